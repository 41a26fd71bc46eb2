# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which programs run on this machine."""

from __future__ import annotations

import os

from .errors import HostError
from .looking import Reader
from .results import decode


def running() -> set[str]:
    """The names of the processes, of which the kernel keeps at most 15 characters each."""
    names = set()
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with Reader(f"/proc/{entry}/stat") as reader:
                line = decode(reader.read())
        except HostError:
            continue  # it has ended meanwhile
        names.add(line.partition("(")[2].partition(")")[0])
    return names

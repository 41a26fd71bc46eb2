# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel's parameters."""

from __future__ import annotations

from .errors import HostError
from .reading import Reader
from .results import decode


def kernel_parameter(name: str) -> str:
    """Return the value of a parameter, without surrounding blanks. Raises HostError for an unknown one."""
    try:
        with Reader("/proc/sys/" + name.replace(".", "/")) as reader:
            return decode(b"".join(reader.chunks())).strip()
    except HostError as error:
        raise HostError("could not find the given key", path=error.path, errno=error.errno) from None

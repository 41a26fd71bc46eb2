# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Python started again with UTF-8, where the locale has another encoding."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence


def start_again() -> None:
    """Replace this process by one with the same arguments in which paths and arguments are UTF-8, as manifests are."""
    words: Sequence[str | bytes] = sys.argv
    if os.path.exists("/proc/self/cmdline"):
        # In encodings like EUC-JP, text cannot always be encoded again.
        with open("/proc/self/cmdline", "rb") as file:
            words = file.read().split(b"\0")[-1 - len(words) : -1]
    isolated = ["-I"] if sys.flags.isolated else []
    os.execv(sys.executable, [sys.executable, "-X", "utf8", *isolated, *words])

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""All kinds of rules."""

from __future__ import annotations

from .kinds.accounts import GROUP, USER
from .kinds.command import COMMAND
from .kinds.file import FILE
from .kinds.http import HTTP
from .kinds.matching import MATCHING
from .kinds.network import ADDR, DNS, INTERFACE, PORT
from .kinds.system import KERNEL_PARAM, MOUNT, PACKAGE, PROCESS, SERVICE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .kind import Kind

#: The kinds by the names of their rules, in the order in which rules are run.
KINDS: dict[str, Kind] = {
    "command": COMMAND,
    "http": HTTP,
    "addr": ADDR,
    "dns": DNS,
    "package": PACKAGE,
    "service": SERVICE,
    "file": FILE,
    "process": PROCESS,
    "user": USER,
    "group": GROUP,
    "port": PORT,
    "kernel-param": KERNEL_PARAM,
    "mount": MOUNT,
    "interface": INTERFACE,
    "matching": MATCHING,
}

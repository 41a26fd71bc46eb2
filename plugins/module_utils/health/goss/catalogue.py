# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""All kinds of rules. A run imports only the kinds that its rules use."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .kind import Kind

# The file in `kinds` and the constant of each kind, by the names of rules, in the order in which rules are run.
_KINDS = {
    "command": ("command", "COMMAND"),
    "http": ("http", "HTTP"),
    "addr": ("network", "ADDR"),
    "dns": ("network", "DNS"),
    "package": ("system", "PACKAGE"),
    "service": ("system", "SERVICE"),
    "file": ("file", "FILE"),
    "process": ("system", "PROCESS"),
    "user": ("accounts", "USER"),
    "group": ("accounts", "GROUP"),
    "port": ("network", "PORT"),
    "kernel-param": ("system", "KERNEL_PARAM"),
    "mount": ("system", "MOUNT"),
    "interface": ("network", "INTERFACE"),
    "matching": ("matching", "MATCHING"),
}
KIND_NAMES = tuple(_KINDS)


def kind_of(name: str) -> Kind:
    """Return the kind of rules out of `KIND_NAMES`, imported now."""
    module, constant = _KINDS[name]
    found: Kind = vars(__import__(f"{__package__}.kinds.{module}", fromlist=["*"]))[constant]
    return found

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of network interfaces."""

from __future__ import annotations

from .....host.errors import HostError
from .....host.facts.network import network_facts
from ..kind import Kind
from ..values import NoStrings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..machine import Machine
    from ..rule import Rule


class _Interface:
    """An interface by its name, None when there is none."""

    def __init__(self, name: str) -> None:
        interfaces = network_facts()["interfaces"]
        self._found = next((interface for interface in interfaces if interface["name"] == name), None)

    def exists(self) -> bool:
        """Whether there is one."""
        return self._found is not None

    def _known(self) -> Any:
        if self._found is None:
            raise HostError("route ip+net: no such network interface")
        return self._found

    def addrs(self) -> tuple[str, ...]:
        """Its addresses with the length of their prefixes."""
        return tuple(address["addr"] for address in self._known()["addrs"]) or NoStrings()

    def mtu(self) -> int:
        """The size of its largest packet."""
        return int(self._known()["mtu"])


def _examine(rule: Rule, machine: Machine) -> None:
    interface = _Interface(rule.about)
    rule.gate("exists", interface.exists)
    rule.may("addrs", interface.addrs)
    rule.may("mtu", interface.mtu)


KIND = Kind("Interface", {"exists": "matcher", "addrs": "matcher", "mtu": "matcher"}, _examine, subject="name")

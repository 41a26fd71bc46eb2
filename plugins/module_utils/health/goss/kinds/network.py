# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of addresses that can be reached, ports with listeners, network interfaces and names."""

from __future__ import annotations

from ....host.dns import addresses, records
from ....host.errors import HostError
from ....host.facts.network import network_facts
from ....host.sockets import is_reachable
from ..kind import Kind
from ..rule import timeout_of
from ..values import NoStrings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....host.machine import Machine
    from ..kind import Snapshot
    from ..rule import Rule


_TIMEOUT_MS = 500


def _examine_addr(rule: Rule, snapshot: Snapshot) -> None:
    network, separator, address = rule.subject.partition("://")
    if not separator:
        network, address = "tcp", rule.subject
    seconds = timeout_of(rule, _TIMEOUT_MS) / 1000
    local = rule.text("local-address")

    def reachable() -> bool:
        snapshot.machine.before_waiting()
        return is_reachable(network, address, seconds, local)

    rule.must("reachable", reachable)


ADDR = Kind(
    "Addr",
    {"local-address": "text", "reachable": "matcher", "timeout": "integer"},
    _examine_addr,
    required=("reachable",),
    subject="address",
)


def _examine_port(rule: Rule, snapshot: Snapshot) -> None:
    port = rule.subject if ":" in rule.subject else f"tcp:{rule.subject}"
    rule.gate("listening", lambda: port in snapshot.ports())
    rule.may("ip", lambda: tuple(snapshot.ports().get(port, ())) or NoStrings())


PORT = Kind("Port", {"listening": "matcher", "ip": "matcher"}, _examine_port, subject="port", required=("listening",))


def _examine_interface(rule: Rule, snapshot: Snapshot) -> None:
    interfaces = {interface["name"]: interface for interface in network_facts()["interfaces"]}
    found = interfaces.get(rule.subject, {})
    rule.gate("exists", lambda: rule.subject in interfaces)
    rule.may("addrs", lambda: tuple(address["addr"] for address in found["addrs"]) or NoStrings())
    rule.may("mtu", lambda: int(found["mtu"]))


INTERFACE = Kind(
    "Interface",
    {"exists": "matcher", "addrs": "matcher", "mtu": "matcher"},
    _examine_interface,
    subject="name",
    required=("exists",),
)


_TRIES = 3


class _Lookup:
    """A name, `HOST` or `TYPE:HOST`, looked up once at first use."""

    def __init__(self, name: str, server: str, seconds: float, machine: Machine) -> None:
        self._machine = machine
        kind, colon, host = name.partition(":")
        is_typed = bool(colon) and kind.isascii() and kind.isalpha() and kind.isupper()
        self._kind, self._host = (kind, host) if is_typed else ("", name)
        self._server = server
        self._seconds = seconds
        self._refusal: HostError | None = None
        self._found: tuple[str, ...] | None = None

    def addrs(self) -> tuple[str, ...]:
        """Return what was found, sorted."""
        if self._found is None and self._refusal is None:
            self._resolve()
        if self._refusal is not None:
            raise self._refusal
        return self._found or ()

    def resolvable(self) -> bool:
        """Return whether anything was found."""
        return bool(self.addrs())

    def _resolve(self) -> None:
        for _attempt in range(_TRIES):
            self._machine.before_waiting()
            try:
                if self._server:
                    found = records(self._host, self._kind, self._server, self._seconds)
                else:
                    found = addresses(self._host, self._seconds)
            except HostError as error:
                self._refusal = error
                continue
            self._refusal, self._found = None, tuple(sorted(found))
            if found or not self._server:
                return


def _examine_dns(rule: Rule, snapshot: Snapshot) -> None:
    given = rule.attributes
    if given.get("resolvable") is None:
        given["resolvable"] = given.get("resolveable")
    lookup = _Lookup(rule.subject, rule.text("server"), timeout_of(rule, _TIMEOUT_MS) / 1000, snapshot.machine)
    rule.gate("resolvable", lookup.resolvable)
    rule.may("addrs", lookup.addrs)


DNS = Kind(
    "DNS",
    {"resolvable": "matcher", "resolveable": "matcher", "addrs": "matcher", "timeout": "integer", "server": "text"},
    _examine_dns,
    required=("resolvable", "resolveable"),
    subject="resolve",
)

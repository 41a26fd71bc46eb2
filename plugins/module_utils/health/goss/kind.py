# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a kind of rules is, and the kinds that there are."""

from __future__ import annotations

from ...host.processes import running
from ...host.sockets import listening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...host.machine import Machine
    from .rule import Rule

_COMMON = {"title": "text", "meta": "mapping", "skip": "boolean"}


class Kind:
    """A kind of rules: `title` as messages show it, and `examine`, which runs the tests of a rule.

    `attributes` says what may be given by name: a `matcher`, or how to ask (`text`, `integer`, `boolean`, `texts`,
    `mapping`, `anything`). Without one of `required` a rule never holds. `subject` is the
    attribute that names what is looked at in place of the rule's own name; messages tell it unless `is_anonymous`.
    """

    def __init__(
        self,
        title: str,
        attributes: dict[str, str],
        examine: Callable[[Rule, Snapshot], None],
        *,
        required: tuple[str, ...] = (),
        subject: str = "",
        is_anonymous: bool = False,
    ) -> None:
        self.title = title
        self.attributes = {**_COMMON, **attributes, **({subject: "text"} if subject else {})}
        self.examine = examine
        self.required = required
        self.subject = subject
        self.is_anonymous = is_anonymous


def _command() -> Kind:
    from .kinds.command import KIND

    return KIND


def _http() -> Kind:
    from .kinds.http import KIND

    return KIND


def _addr() -> Kind:
    from .kinds.addr import KIND

    return KIND


def _dns() -> Kind:
    from .kinds.dns import KIND

    return KIND


def _package() -> Kind:
    from .kinds.package import KIND

    return KIND


def _service() -> Kind:
    from .kinds.service import KIND

    return KIND


def _file() -> Kind:
    from .kinds.file import KIND

    return KIND


def _process() -> Kind:
    from .kinds.process import KIND

    return KIND


def _user() -> Kind:
    from .kinds.user import KIND

    return KIND


def _group() -> Kind:
    from .kinds.group import KIND

    return KIND


def _port() -> Kind:
    from .kinds.port import KIND

    return KIND


def _kernel_param() -> Kind:
    from .kinds.kernel_param import KIND

    return KIND


def _mount() -> Kind:
    from .kinds.mount import KIND

    return KIND


def _interface() -> Kind:
    from .kinds.interface import KIND

    return KIND


def _matching() -> Kind:
    from .kinds.matching import KIND

    return KIND


#: The kinds by the names of their rules, in the order in which rules are run; each is imported when it is called.
KINDS: dict[str, Callable[[], Kind]] = {
    "command": _command,
    "http": _http,
    "addr": _addr,
    "dns": _dns,
    "package": _package,
    "service": _service,
    "file": _file,
    "process": _process,
    "user": _user,
    "group": _group,
    "port": _port,
    "kernel-param": _kernel_param,
    "mount": _mount,
    "interface": _interface,
    "matching": _matching,
}


class Snapshot:
    """The `machine` as one try sees it."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._ports: dict[str, list[str]] | None = None
        self._processes: set[str] | None = None

    def ports(self) -> dict[str, list[str]]:
        """See host.sockets.listening."""
        if self._ports is None:
            self._ports = listening()
        return self._ports

    def processes(self) -> set[str]:
        """See host.processes.running."""
        if self._processes is None:
            self._processes = running()
        return self._processes

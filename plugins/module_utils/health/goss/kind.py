# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A kind of rules, and the data of the host for rules of all kinds."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...host.machine import Machine
    from .rule import Rule

_COMMON = {"title": "text", "meta": "mapping", "skip": "boolean"}


class Kind:
    """A kind of rules: `title` as messages show it, and `examine`, which runs the tests of a rule.

    `attributes` declares the attributes by name: a `matcher`, or a parameter (`text`, `integer`, `boolean`, `texts`,
    `mapping`, `anything`). Without one of `required` a rule never passes. `subject` is the attribute that names the
    checked object in place of the rule's own name; messages show it unless `is_anonymous`.
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


class Snapshot:
    """The `machine` during one try."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._ports: dict[str, list[str]] | None = None
        self._processes: set[str] | None = None

    def ports(self) -> dict[str, list[str]]:
        """See host.sockets.listening."""
        from ...host.sockets import listening

        if self._ports is None:
            self._ports = listening()
        return self._ports

    def processes(self) -> set[str]:
        """See host.processes.running."""
        from ...host.processes import running

        if self._processes is None:
            self._processes = running()
        return self._processes

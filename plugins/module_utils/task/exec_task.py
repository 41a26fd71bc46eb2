# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What only a play can mean of a command: that it is refreshed, and that what it printed is returned."""

from __future__ import annotations

from ..host.results import decode
from .argument_spec import argument_spec
from .hidden_options import given_options
from .resource_task import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..host.results import Result
    from ..model.event import Event
    from ..model.resource import Resource, ResourceType


def exec_argument_spec(type: ResourceType) -> dict[str, Any]:
    """The argument_spec of the module."""
    return argument_spec(type, {"refresh": {"type": "bool", "default": False}})


def run_exec(module: Any, type: ResourceType) -> None:
    """Run the command that the arguments of `module` declare; ends in its exit_json or fail_json."""
    _ExecTask(module).manage(type, given_options(module), module.params["refresh"])


class _ExecTask(Task):
    """Returns the exit code and the output of the command when it ran, also when the task fails because of it."""

    def __init__(self, module: Any) -> None:
        super().__init__(module)
        self._ran: Result | None = None

    def done(self, resource: Resource, outcome: Result) -> None:
        self._ran = outcome

    def result(self, event: Event) -> dict[str, Any]:
        result = super().result(event)
        if self._ran is not None:
            result.update(rc=self._ran.exit_code, stdout=decode(self._ran.stdout), stderr=decode(self._ran.stderr))
        return result

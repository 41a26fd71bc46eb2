# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The task of a command: its result has `rc`, `stdout` and `stderr` as well."""

from __future__ import annotations

from ..host.results import decode
from ..resources.exec.type import ExecState
from .argument_spec import given_options
from .resource_task import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.attempt import Attempt
    from ..model.event import Event
    from ..model.health_check import RunCheck
    from ..model.resource import ResourceType
    from .ansible_module import AnsibleModule, TaskResult


def run_exec(module: AnsibleModule, type: ResourceType, run_check: RunCheck | None = None) -> None:
    """Run the command that the arguments of `module` declare; ends in its exit_json or fail_json."""
    _ExecTask(module, run_check).manage(type, given_options(module))


class _ExecTask(Task):
    """Returns the exit code and the output of the command when it ran, also when the task fails because of it."""

    def __init__(self, module: AnsibleModule, run_check: RunCheck | None) -> None:
        super().__init__(module, run_check)
        self._state: ExecState | None = None

    def decided(self, found: Attempt) -> None:
        """Keep the state in which the provider notes how the command ended."""
        super().decided(found)
        self._state = found.state if isinstance(found.state, ExecState) else None

    def result(self, event: Event) -> TaskResult:
        result = super().result(event)
        ran = self._state.result if self._state else None
        if ran is not None:
            result.update(rc=ran.exit_code, stdout=decode(ran.stdout), stderr=decode(ran.stderr))
        return result

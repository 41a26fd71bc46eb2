# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The task of a command: its result has `rc`, `stdout` and `stderr` as well."""

from __future__ import annotations

from ..engine.sink import Sink
from ..host.results import decode
from ..resources.exec.type import ExecProperties, ExecState
from .argument_spec import given_options
from .resource_task import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.attempt import Attempt
    from ..model.event import Event
    from ..model.health_check import RunCheck
    from ..model.resource import Resource, ResourceType
    from .ansible_module import AnsibleModule, TaskResult

#: The variables of the task's keyword `environment`, by name; the action plugin passes them with the hidden options.
TASK_ENVIRONMENT = "task_environment"


def run_exec(module: AnsibleModule, type: ResourceType, run_check: RunCheck | None = None) -> None:
    """Run the command that the arguments of `module` declare; ends in its exit_json or fail_json."""
    _ExecTask(module, run_check).manage(type, given_options(module))


class _ExecTask(Task):
    """Returns the exit code and the output of the command when it ran, also when the task fails because of it."""

    def __init__(self, module: AnsibleModule, run_check: RunCheck | None) -> None:
        super().__init__(module, run_check)
        self._ran = _Ran()
        self.sinks.append(self._ran)

    def transact(self, resource: Resource, refresh: bool) -> Event:
        """Return the event of the command, which the environment of the task reaches and which does not show it."""
        variables = given_options(self.module).get(TASK_ENVIRONMENT)
        properties = resource.properties
        if not variables or not isinstance(properties, ExecProperties):
            return super().transact(resource, refresh)
        # The options of the task are above its environment (Q103).
        inherited = [f"{name}={value}" for name, value in variables.items() if name != "PATH" or not properties.path]
        environment = [*inherited, *properties.environment]
        event = super().transact(resource.with_properties({"environment": environment}), refresh)
        event.resource = resource
        return event

    def result(self, event: Event) -> TaskResult:
        result = super().result(event)
        ran = self._ran.state.result if self._ran.state else None
        if ran is not None:
            result.update(rc=ran.exit_code, stdout=decode(ran.stdout), stderr=decode(ran.stderr))
        return result


class _Ran(Sink):
    """Keeps the `state` in which the provider notes how the command ended."""

    def __init__(self) -> None:
        self.state: ExecState | None = None

    def decided(self, attempt: Attempt) -> None:
        self.state = attempt.state if isinstance(attempt.state, ExecState) else None

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One task that manages one resource: a module's arguments in, its result out."""

from __future__ import annotations

import sys

from ..engine.context import Context
from ..engine.run import run_one
from ..engine.sink import Sink
from ..host.errors import HostError
from ..model.errors import CCMError
from ..model.provider import ProviderOptions, RunContext
from ..model.resource import resource_of
from .argument_spec import MANIFEST_ONLY, REFRESH, UNUSABLE_INPUT, given_options, takes_words
from .result import TaskLog, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Mapping, Sequence

    from ..engine.attempt import Attempt
    from ..model.environment import ExpressionEnvironment
    from ..model.event import Event
    from ..model.health_check import CheckResult, RunCheck
    from ..model.resource import Resource, ResourceType
    from ..model.values import Difference, Facts, HealthCheck
    from .ansible_module import AnsibleModule, Options, TaskResult

# What makes calls of types of other packages.
_CALLS = f"{__name__.rpartition('.ansible_tasks.')[0]}.host.call_threads"


def declared(type: ResourceType, params: Options) -> Resource:
    """Return the validated resource that options, converted by AnsibleModule, declare. Raises InvalidResource."""
    given, basic = {}, type.basic_properties
    for prop in basic:
        if prop.name in MANIFEST_ONLY:
            continue
        value = params[prop.name]
        if value is None:
            continue
        is_mode = prop.kind == "mode"
        if (is_mode and not isinstance(value, str)) or (takes_words(prop) and not isinstance(value, bool)):
            from .written import written_boolean, written_mode

            value = written_mode(value, prop.name) if is_mode else written_boolean(prop, value)
        given[prop.name] = value
    resource = resource_of(type, given, basic)
    properties = resource.properties
    if params["health_checks"]:
        from .health_checks import declared_health_checks

        properties.health_checks = declared_health_checks(params["health_checks"])
    type.validate(properties)
    type.normalise(properties)
    if properties.provider:
        from ..engine.prerequisites import require_known_provider

        require_known_provider(resource)
    return resource.with_properties(type.deferred_values(properties))


def requested(type: ResourceType, params: Options) -> tuple[Resource, bool]:
    """Return the `declared` resource, and whether to refresh it. Raises InvalidResource."""
    resource, refresh = declared(type, params), params.get(REFRESH)
    if refresh is None or isinstance(refresh, bool):
        return resource, bool(refresh)
    from .refreshing import refreshed_as

    return refreshed_as(resource, refresh)


class Task:
    """The run of a `module`; `run_check` runs its health checks, by default only commands.

    `sinks` receive what happens to its resources.
    """

    def __init__(self, module: AnsibleModule, run_check: RunCheck | None = None) -> None:
        self.log = TaskLog()
        self.module = module
        self._run_check = run_check or _run_command
        self.sinks: list[Sink] = []
        self._differences: list[Difference] = []
        if module._diff:
            self.sinks.append(_Differences(self._differences))

    def manage(self, type: ResourceType, params: Options) -> None:
        """Manage the resource that `params`, by option, declare; ends in exit_json or fail_json of the module.

        With the option `refresh` it is refreshed as if a resource that it subscribes to had changed (Q102).
        """
        self.end(lambda: self.result(self.transact(*requested(type, params))), f"{type.name}#{params['name']}")

    def end(self, run: Callable[[], TaskResult], resource: str) -> None:
        """End in exit_json or fail_json with the result of `run`; `resource` is for errors that name none."""
        try:
            result = plain(run())
        except (CCMError, HostError, *UNUSABLE_INPUT) as error:
            result = {"failed": True, "msg": plain(_message(error, resource)), "changed": False}
        for warning in self.log.warnings:
            self.module.warn(plain(warning))
        if _CALLS in sys.modules:
            from .calls import end_with_calls

            end_with_calls(self.module, int(result["failed"]))
        if result["failed"]:
            self.module.fail_json(**result)
        self.module.exit_json(**result)

    def options(self) -> dict[str, int]:
        """Return the options of the provider (see model/provider_options.py). Raises InvalidResource."""
        return {}

    def transact(self, resource: Resource, refresh: bool) -> Event:
        """Return the event of one resource."""
        return run_one(resource, self.context(options=self.options(), refresh=refresh))

    def context(
        self,
        *,
        options: Mapping[str, int] | None = None,
        refresh: bool = False,
        facts: Callable[[], Facts] = dict,
        resources: Sequence[Resource] = (),
        directory: str = "",
        environment: ExpressionEnvironment | None = None,
    ) -> Context:
        """Return the context of the task's resources; what the module does not have is left out."""
        return Context(
            noop=self.module.check_mode,
            refresh=refresh,
            user_log=self.log,
            sinks=self.sinks,
            options=ProviderOptions(options),
            facts=facts,
            resources=resources,
            directory=directory,
            environment=environment,
            run_check=self._run_check,
        )

    def result(self, event: Event) -> TaskResult:
        """Return the result for the last resource."""
        result: TaskResult = {"changed": event.changed, "failed": event.failed, "event": event.as_dict()}
        if event.failed:
            result["msg"] = _message(event, in_check_mode=self.module.check_mode)
        else:
            result["msg"] = event.message
        if event.health_checks:
            from .health_checks import results_of_checks

            result["health_checks"] = results_of_checks(event)
        for name in event.status.results if event.status else ():
            value = getattr(event.status, name)
            if value:
                result[name] = value
        if self.log.lines:
            result["log"] = self.log.lines
        if self.module._diff:
            result["diff"] = self._differences
        return result


class _Differences(Sink):
    """Keeps the differences that the decision about the last resource makes, in the list `found`."""

    shows_differences = True

    def __init__(self, found: list[Difference]) -> None:
        self._found = found

    def decided(self, attempt: Attempt) -> None:
        self._found[:] = attempt.differences


def _message(problem: Event | Exception, resource: str = "", *, in_check_mode: bool = False) -> str:
    """Return why a resource failed, or what an error says; `resource` is for errors that name none."""
    from .messages import explained

    return explained(problem, resource, in_check_mode=in_check_mode)


def _run_command(check: HealthCheck, resource: Resource, context: RunContext) -> CheckResult:
    """Run a health check that is a command."""
    from ..health.nagios import run_nagios_check

    return run_nagios_check(check, resource, context)


def run_resource(module: AnsibleModule, type: ResourceType, run_check: RunCheck | None = None) -> None:
    """Manage the resource that the arguments of `module` declare; ends in its exit_json or fail_json."""
    Task(module, run_check).manage(type, given_options(module))

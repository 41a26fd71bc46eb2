# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One task that brings one package or several to the same state, in one run of the engine."""

from __future__ import annotations

from ..engine.grouped_order import GroupedOrder
from ..engine.run import Run
from ..engine.sink import Sink
from ..model.errors import InvalidResource
from .argument_spec import argument_spec, given_options
from .resource_task import Task, declared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.attempt import Attempt
    from ..model.event import Event
    from ..model.health_check import RunCheck
    from ..model.resource import Resource, ResourceType
    from ..model.values import Difference, Facts
    from .ansible_module import AnsibleModule, ArgumentSpec, Options, TaskResult

#: The options that differ from the type's properties, or that the type does not have.
PACKAGE_OPTIONS: ArgumentSpec = {
    "name": {"type": "list", "elements": "str", "required": True},
    "lock_timeout": {"type": "str"},
    "update_cache": {"type": "raw"},
}


def package_argument_spec(type: ResourceType) -> ArgumentSpec:
    """Return the argument_spec of the module."""
    return argument_spec(type, PACKAGE_OPTIONS)


def run_packages(module: AnsibleModule, type: ResourceType, run_check: RunCheck | None = None) -> None:
    """Manage the packages that the arguments of `module` declare; ends in its exit_json or fail_json."""
    task = _PackageTask(module, run_check)
    task.end(lambda: task.managed(type), type.name)


def declared_packages(type: ResourceType, params: Options) -> tuple[list[Resource], dict[str, int]]:
    """Return the validated resources that a task's converted options declare, and the options of their provider.

    Changes nothing. Raises InvalidResource; also for no name, for a repeated one and for an alias of several.
    """
    names = params["name"]
    if len(names) != 1:
        _check_names(names, params["alias"])
    options = {}
    oldest_index = _oldest_index(params["update_cache"])
    if params["lock_timeout"] or oldest_index:
        from ..model.provider_options import provider_options

        options = provider_options(lock_timeout=params["lock_timeout"], package_index=oldest_index)
    resources = []
    for name in names:
        try:
            resources.append(declared(type, {**params, "name": name}))
        except InvalidResource as error:
            error.resource = f"{type.name}#{name}"
            raise
    return resources, options


def _oldest_index(update_cache: bool | int | str | None) -> str:
    """Return the highest age of the package index before it is refreshed, as written; "" for never, 0 for always."""
    text = "" if update_cache is None else str(update_cache)
    return {"true": "0", "yes": "0", "false": "", "no": ""}.get(text.lower(), text)


def _check_names(names: list[str], alias: str | None) -> None:
    if not names:
        raise InvalidResource("name is an empty list", advice="name a package, or leave the task out with when")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidResource(f"name has {', '.join(twice)} more than once", advice="name each package once")
    if alias:
        raise InvalidResource(f"alias is for one package, and name has {len(names)}", advice="leave alias out")


class _PackageTask(Task):
    def __init__(self, module: AnsibleModule, run_check: RunCheck | None) -> None:
        super().__init__(module, run_check)
        self._found = _Found()
        self.sinks.append(self._found)

    def managed(self, type: ResourceType) -> TaskResult:
        """Return the task's result, after all packages have been managed. Raises InvalidResource before any is."""
        resources, options = declared_packages(type, given_options(self.module))
        context = self.context(facts=_platform, resources=resources, options=options)
        events = []
        results = []
        for event in Run(resources, context, None if context.noop else GroupedOrder(resources)).events():
            events.append(event)
            results.append(self.result(event))
        result = results[0]
        if len(results) > 1:
            result = summary(events, results, self.module.check_mode, self.log.lines)
        result["events"] = [one["event"] for one in results]
        if self.module._diff:
            result["diff"] = differences(events, self._found.ensures)
        return result


class _Found(Sink):
    """Keeps the `ensures` of packages before their changes, by name."""

    def __init__(self) -> None:
        self.ensures: dict[str, str] = {}

    def decided(self, attempt: Attempt) -> None:
        self.ensures[attempt.resource.properties.name] = attempt.state.ensure


def _platform() -> Facts:
    """Return the one fact by which providers of equal priority are chosen."""
    from ..host.distribution import os_family

    return {"host": {"info": {"platformFamily": os_family()}}}


def summary(events: list[Event], results: list[TaskResult], check_mode: bool, log: list[str]) -> TaskResult:
    """Return the result of a task for several packages, each with an event and a result."""
    from .messages import failures_of

    changed = [event for event in events if event.changed]
    failed = [one["msg"] for one in results if one["failed"]]
    would = "would change" if check_mode else "changed"
    result: TaskResult = {"changed": bool(changed), "failed": bool(failed)}
    result["msg"] = f"{len(changed)} of {len(events)} packages {would}"
    if failed:
        result["msg"] = failures_of(failed, len(events), "packages", "events")
    if log:
        result["log"] = log
    return result


def differences(events: list[Event], found: dict[str, str]) -> list[Difference]:
    """Return the versions of what changed, a line each; `found` are those from before, by name.

    In check mode the version after is the wanted one.
    """
    changed = [event for event in events if event.changed]
    if not changed:
        return []
    before = "".join(f"{event.name} {found[event.name]}\n" for event in changed)
    after = "".join(
        f"{event.name} {event.requested_ensure if event.noop else event.final_ensure}\n" for event in changed
    )
    return [{"before_header": "packages", "after_header": "packages", "before": before, "after": after}]

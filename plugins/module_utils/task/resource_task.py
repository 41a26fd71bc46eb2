# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One task that manages one resource: a module's arguments in, its result out."""

from __future__ import annotations

from ..engine.context import Context
from ..engine.transaction import run_transaction
from ..host.errors import HostError
from ..model.errors import CCMError
from ..model.resource import Properties, Resource, complete
from .argument_spec import module_properties
from .result import TaskLog, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.event import Event
    from ..model.resource import Decision, ResourceType
    from ..model.state import State

#: What Python raises for input of absurd size or depth, and for text that no system call can be handed.
ABSURDITIES = (OSError, ValueError, OverflowError, MemoryError, RecursionError)


def run_resource(
    module: Any,
    type: ResourceType,
    params: dict[str, Any],
    *,
    refresh: bool = False,
    stand_ins: dict[str, Any] | None = None,
) -> None:
    """Manage the resource that `params`, by option, declare; ends in exit_json or fail_json of `module`.

    With `refresh` the resource is refreshed as if a resource it subscribes to had changed. `stand_ins` are values to
    work with in place of the given ones, which the event shows.
    """
    task = _Task(module)
    try:
        event = task.transact(_declared(type, params), stand_ins or {}, refresh)
        result = plain(task.result(event))
    except (CCMError, HostError, *ABSURDITIES) as error:
        from .words import explain

        event, result = None, {"msg": plain(explain(error, f"{type.name}#{params['name']}")), "changed": False}
    for warning in task.log.warnings:
        module.warn(plain(warning))
    if event is None or event.failed:
        module.fail_json(**result)
    module.exit_json(failed=False, **result)


def _declared(type: ResourceType, params: dict[str, Any]) -> Resource:
    """The validated resource; AnsibleModule has converted the kinds of its values. Raises InvalidResource."""
    given = {}
    for prop in module_properties(type):
        value = params[prop.name]
        if prop.kind == "mode" and value is not None and not isinstance(value, str):
            from .quoting import written_mode

            value = written_mode(value)
        if value is not None:
            given[prop.name] = value
    declared = type.basic_properties
    properties = Properties(complete(type, given, declared))
    resource = Resource(type, properties, declared=declared)
    type.validate(properties)
    type.normalise(properties)
    type.finish_deferred(properties)
    if properties.provider:
        from ..engine.preference import require_known_provider

        require_known_provider(resource)
    return resource


class _Task:
    def __init__(self, module: Any) -> None:
        self.log = TaskLog()
        self._module = module
        self._done = ""
        self._differences: list[dict[str, Any]] = []

    def transact(self, resource: Resource, stand_ins: dict[str, Any], refresh: bool) -> Event:
        context = Context(noop=self._module.check_mode, user_log=self.log, before=self._look)
        values = vars(resource.properties)
        given = dict(values)
        values.update(stand_ins)
        event = run_transaction(resource, context, refresh=refresh)
        values.update(given)
        return event

    def _look(self, resource: Resource, provider: Any, state: State, decision: Decision) -> None:
        """Note, before it is done, what will be: `Would have created the file` becomes `Created the file`."""
        done = decision.noop_message.replace("Would have ", "", 1)
        self._done = done[:1].upper() + done[1:]
        if self._module._diff:
            self._differences = provider.differences(resource.properties, state)

    def result(self, event: Event) -> dict[str, Any]:
        result: dict[str, Any] = {"changed": event.changed, "event": event.as_dict()}
        if event.failed:
            from .words import failure_of

            result["msg"] = failure_of(event)
        else:
            result["msg"] = event.noop_message or (self._done if event.changed else "Nothing to do")
        if self.log.lines:
            result["log"] = self.log.lines
        if self._module._diff:
            result["diff"] = self._differences
        return result

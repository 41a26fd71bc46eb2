# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One task that manages one resource: a module's arguments in, its result out."""

from __future__ import annotations

from ..engine.context import Context
from ..engine.preference import require_known_provider
from ..engine.transaction import run_transaction
from ..host.errors import HostError
from ..model.errors import CCMError
from ..model.resource import Properties, Resource, complete
from .argument_spec import module_properties
from .plain import plain
from .task_log import TaskLog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.decision import Decision
    from ..model.event import Event
    from ..model.resource import ResourceType
    from ..model.state import State

#: What Python raises for input of absurd size or depth, and for text that no system call can be handed.
ABSURDITIES = (OSError, ValueError, OverflowError, MemoryError, RecursionError)

#: Kinds whose values AnsibleModule has converted already.
_CONVERTED = {"string", "mode", "boolean", "integer", "strings", "integers"}
_WOULD_HAVE = "Would have "
_NOTHING_TO_DO = "Nothing to do"


class ResourceTask:
    """A resource that a module's arguments declare.

    `module` is an AnsibleModule, `type` the resource's type, `params` the options by name. `stand_ins` are values that
    are worked with in place of those that the task gave; the event shows what the task gave.
    """

    def __init__(self, module: Any, type: ResourceType, params: dict[str, Any], stand_ins: dict[str, Any]) -> None:
        self.module = module
        self.type = type
        self.params = params
        self.reference = f"{type.name}#{params['name']}"
        self._stand_ins = stand_ins
        self._log = TaskLog()
        self._done = ""
        self._differences: list[dict[str, Any]] = []

    def run(self, refresh: bool = False) -> None:
        """Bring the resource to its state, or say what would be done, and leave through exit_json or fail_json."""
        failure = ""
        try:
            event = self._transact(refresh)
            result = self._result(event)
        except (CCMError, HostError) as error:
            from .words import explain

            failure = explain(error, self.reference)
        except ABSURDITIES as error:
            failure = f"{self.reference}: {type(error).__name__}: {error}"
        if failure:
            self.module.fail_json(msg=plain(failure), changed=False)
        for warning in self._log.warnings:
            self.module.warn(plain(warning))
        if event.failed:
            self.module.fail_json(**result)
        self.module.exit_json(failed=False, **result)

    def _transact(self, refresh: bool) -> Event:
        declared = self.type.basic_properties
        resource = Resource(self.type, Properties(complete(self.type, self._given(), declared)), declared=declared)
        self.type.validate(resource.properties)
        self.type.normalise(resource.properties)
        self.type.finish_deferred(resource.properties)
        require_known_provider(resource)
        context = Context(noop=self.module.check_mode, user_log=self._log, before=self._look)
        shown = vars(resource.properties)
        given = dict(shown)
        shown.update(self._stand_ins)
        event = run_transaction(resource, context, refresh=refresh)
        shown.update(given)
        return event

    def _given(self) -> dict[str, Any]:
        given = {}
        is_converted = True
        for prop in module_properties(self.type):
            value = self.params[prop.name]
            if value is None:
                continue
            if prop.kind == "mode" and not isinstance(value, str):
                from .quoting import written_mode

                value = written_mode(value)
            given[prop.name] = value
            is_converted = is_converted and prop.kind in _CONVERTED
        if is_converted:
            return given
        from ..model.decode import decode_properties

        return decode_properties(self.type, given)

    def _look(self, resource: Resource, provider: Any, state: State, decision: Decision) -> None:
        self._done = _in_the_past(decision.noop_message)
        if self.module._diff:
            self._differences = provider.differences(resource.properties, state)

    def _result(self, event: Event) -> dict[str, Any]:
        result: dict[str, Any] = {"changed": event.changed, "msg": self._message(event), "event": event.as_dict()}
        if self._log.lines:
            result["log"] = self._log.lines
        if self.module._diff:
            result["diff"] = self._differences
        plain_result: dict[str, Any] = plain(result)
        return plain_result

    def _message(self, event: Event) -> str:
        if event.failed:
            from .words import failure_of

            return failure_of(event)
        if event.noop_message:
            return event.noop_message
        return self._done if event.changed else _NOTHING_TO_DO


def run_resource(
    module: Any,
    type: ResourceType,
    params: dict[str, Any],
    *,
    refresh: bool = False,
    stand_ins: dict[str, Any] | None = None,
) -> None:
    """Manage the resource that `params` declare; ends in exit_json or fail_json of `module`.

    With `refresh` the resource is refreshed as if a resource it subscribes to had changed. `stand_ins` are values to
    work with in place of the given ones, which the event shows.
    """
    ResourceTask(module, type, params, stand_ins or {}).run(refresh)


def _in_the_past(noop_message: str) -> str:
    """What was done, from the words for what would be done: `Would have created the file`, `Created the file`."""
    done = noop_message[len(_WOULD_HAVE) :] if noop_message.startswith(_WOULD_HAVE) else noop_message
    return done[:1].upper() + done[1:]

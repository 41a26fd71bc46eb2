# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Types of other packages: checked against the contract, once and in each call.

A call that raises, returns the wrong kind of value, prints or does not end becomes an error that names the package.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from ..host.call_threads import NotEnded
from ..host.errors import HostError, WrongCommand, reason_of
from ..host.machine import Machine
from ..model.batch_provider import BatchProvider
from ..model.decision import Decision, Step
from ..model.errors import CCMError, InvalidResource, NotThereYet, ResourceFailed
from ..model.facets import Identity
from ..model.meta import NotDoneInTime
from ..model.provider import Provider
from ..model.resource import ResourceType
from ..model.simple_type import CALL_TIMEOUT
from ..model.state import State
from .declaration_checks import fault_of_declaration, is_of_kind
from .group_faults import GroupFaults, fault_of_partition
from .hiding_log import HidingLog, KnownSecrets
from .secret_values import changed, hidden, secret_texts, without, without_secrets
from .tracebacks import traceback_lines
from .type_calls import TypeCall, calls_that_go_on
from .types import relations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterable, Tuple, Union

    from ..model.contract import AnyProvider, AnyType
    from ..model.property import Property
    from ..model.provider import ProviderContext

    #: The kinds of the results of methods, by their names.
    Kinds = Dict[str, Union[type, Tuple[type, ...]]]

_PACKAGE_PREFIX = __name__.rpartition("resources.")[0]
# The checked methods, each with the error that a fault in it becomes, and the kind of its result.
_OF_TYPES: dict[str, tuple[type[CCMError], type | tuple[type, ...]]] = {
    "validate": (InvalidResource, object),
    "normalise": (InvalidResource, object),
    "deferred_values": (InvalidResource, dict),
    "derived_values": (ResourceFailed, dict),
    "subscriptions": (ResourceFailed, (tuple, list)),
    "has_changed": (ResourceFailed, bool),
    "decide": (ResourceFailed, Decision),
    "shortfall": (ResourceFailed, str),
}
_DIFFERENCES = (list,)
_IDENTITIES = (list, tuple)
_SENT = (Mapping, type(None))
_OF_RELATIONS: Kinds = {
    "provides": _IDENTITIES,
    "installs": (tuple, list),
    "wants": _IDENTITIES,
    **dict.fromkeys(("watches", "watched_trees", "watched_units", "only_refreshed", "observed"), object),
    **dict.fromkeys(("determines", "remains", "is_there", "content"), object),
    "sent": _SENT,
}
_PATHS = (list, tuple, set, frozenset)
_PARTS = (dict,)
_OF_REVERSALS: Kinds = {"is_reversible": object, "paths": _PATHS, "parts": _PARTS, "undone": dict}
# Where its provider still acts there is nothing to be cleaned up.
_CLEANING = (object,)
_OF_PROVIDERS: Kinds = {
    "manageable": (int, str),
    "status": State,
    "status_after": State,
    "require_possible": object,
    "drop_unfinished": _CLEANING,
    "differences": _DIFFERENCES,
}
_PARTITION = (list,)
_OF_BATCHES: Kinds = {"partition": _PARTITION, "act_on_batch": object}
_OF_DIFFERENCE = {"before", "after", "before_header", "after_header"}


def refused(name: str, package: str, reason: str) -> InvalidResource:
    """Return the error for a type that cannot be used."""
    return InvalidResource(
        f"resource type {name} of {package} cannot be used: {reason}",
        value=name,
        advice="it is a fault of that package: update or remove it, or report it to its authors",
    )


def with_traceback(error: CCMError, problem: BaseException, secrets: list[str]) -> CCMError:
    """Return an error with the traceback of the fault that it is about, which `--debug` shows."""
    error.traceback = lambda: traceback_lines(problem, secrets)
    return error


def _hide(error: CCMError, secrets: list[str]) -> None:
    """Replace secrets in the texts of an error that a type raises."""
    error.message, error.advice = without(secrets, error.message), without(secrets, error.advice)
    error.value = hidden(secrets, error.value)
    if isinstance(error, NotThereYet) and error.expected is not None:
        without_secrets(secrets, error.expected)


def checked(found: object, name: str, package: str) -> AnyType:
    """Return a type that fulfils the contract, with its calls checked. Raises InvalidResource.

    `package` names its origin in messages, such as "the package ccm-user 1.0.0".
    """
    if isinstance(found, ResourceType) and "decide" in vars(found):
        # It is checked already, perhaps by another name.
        return found
    fault = fault_of_declaration(found, name)
    if fault or not isinstance(found, ResourceType):
        raise refused(name, package, fault)
    _CheckedCalls(found, package).install()
    return found


class _CheckedCalls:
    """The checked calls of one type of a package."""

    def __init__(self, of_type: AnyType, package: str) -> None:
        self._type = of_type
        self._package = package
        self._limit: float = getattr(of_type, "call_timeout", CALL_TIMEOUT)
        self._known = KnownSecrets()
        # Faults of is_groupable, which has no log: the next call of a provider says them.
        self._unsaid: list[CCMError] = []
        self._has_given_up = False

    def install(self) -> None:
        """Replace the methods of the type, on this instance only."""
        of_type = self._type
        methods: dict[str, object] = {
            name: self._checked(getattr(of_type, name), f"{name} of the type {of_type.name}", kind, error)
            for name, (error, kind) in _OF_TYPES.items()
        }
        groupable = self._checked(
            of_type.is_groupable,
            f"is_groupable of the type {of_type.name}",
            bool,
            ResourceFailed,
            lambda _type, error: self._unsaid.append(error),
        )
        methods["is_groupable"] = _false_when_failing(groupable)
        methods["waits_for_nothing"] = lambda _properties: False
        for name, kinds, error in (
            ("relations", _OF_RELATIONS, InvalidResource),
            ("reversal", _OF_REVERSALS, ResourceFailed),
        ):
            part = getattr(of_type, name, None)
            if part is not None:
                methods[name] = self._checked_part(part, f"the {name} of the type {of_type.name}", kinds, error)
        vars(of_type).update(methods, provider=lru_cache(maxsize=None)(self._provider_of(of_type.provider)))

    def _checked_part(self, part: object, label: str, kinds: Kinds, error: type[CCMError]) -> object:
        """Return relations or a reversal with their calls checked; types may share the object itself."""
        methods = {
            name: self._checked(getattr(part, name), f"{name} of {label}", kind, error) for name, kind in kinds.items()
        }
        return changed(part, **methods)

    def _provider_of(self, provider: Callable[[str], type[AnyProvider]]) -> Callable[[str], type[AnyProvider]]:
        def checked_provider(name: str) -> type[AnyProvider]:
            found = provider(name)
            kinds = {**_OF_PROVIDERS, **dict.fromkeys((*self._type.verbs, "__init__"), object)}
            kinds.update(_OF_BATCHES if issubclass(found, BatchProvider) else {})
            methods: dict[str, Callable[..., object]] = {
                method: self._checked(
                    getattr(found, method),
                    f"{method} of the provider {found.name}",
                    kind,
                    ResourceFailed,
                    _said if method in _OF_BATCHES else None,
                    manages=True,
                )
                for method, kind in kinds.items()
            }
            made = methods["__init__"]

            def begin(provider: AnyProvider, context: ProviderContext[Any]) -> None:
                self._known.add(secret_texts(self._type.own_properties, context.siblings))
                logs = {name: HidingLog(getattr(context, name), self._known) for name in ("log", "user_log")}
                vars(provider)["group_faults"] = GroupFaults(**logs)
                made(provider, changed(context, **logs))

            methods.update(__init__=begin, manageable=staticmethod(methods["manageable"]))
            return type(found.__name__, (found,), {**methods, "__module__": found.__module__})

        return checked_provider

    def _checked(
        self,
        method: Callable[..., object],
        label: str,
        kind: type | tuple[type, ...],
        error: type[CCMError],
        say: Callable[[object, CCMError], None] | None = None,
        *,
        manages: bool = False,
    ) -> Callable[..., object]:
        """Return a method with its calls checked; `say` is called with the object and each fault.

        One that `manages` a resource is not called while a call goes on that was given up and excludes it.
        """

        def call(*given: object) -> object:
            secrets = secret_texts(self._type.own_properties, given)
            self._known.add(secrets)
            acting = list(given[2]) if kind is _PARTITION and isinstance(given[2], list) else []

            def fault_of_type(found: CCMError) -> CCMError:
                if say:
                    say(given[0], found)
                return found

            while self._unsaid and isinstance(given[0], Provider):
                _said(given[0], self._unsaid.pop())
            # A provider may wait in any way.
            machine = getattr(given[0], "machine", None)
            if isinstance(machine, Machine):
                machine.before_waiting()
            made = TypeCall(label, self._package, self._type, given)
            if manages and self._has_given_up:
                earlier = next((each for each in calls_that_go_on() if each.excludes(made)), None)
                if earlier and kind is _CLEANING:
                    return None
                if earlier:
                    raise error(f"{made.label} is not called: {earlier.label} did not end in time, and goes on")

            def checked_result(*given: object) -> tuple[object, str]:
                result = method(*given)
                fault = self._fault_of_result(result, kind)
                if kind is _PARTITION and isinstance(result, list):
                    fault = fault_of_partition(result, acting)
                return result, fault

            try:
                result, fault = made.result(checked_result, self._limit, self._known.texts)
            except NotEnded as problem:
                self._has_given_up = self._has_given_up or made.goes_on
                of_kind = NotDoneInTime if problem.was_late else error
                raise fault_of_type(of_kind(f"{made.label} {problem}")) from None
            except CCMError as problem:
                message: object = problem.message
                if not isinstance(message, str):
                    kind_of_message = f"whose message is {type(message).__name__}, not str"
                    raise error(f"{made.label} raised {_described(problem)}, {kind_of_message}") from None
                _hide(problem, secrets)
                raise
            except HostError as problem:
                raise error(without(secrets, str(problem))) from problem
            except (Exception, SystemExit) as problem:
                found = with_traceback(error(f"{made.label} raised {_described(problem)}"), problem, secrets)
                raise fault_of_type(found) from problem
            if fault:
                raise fault_of_type(error(without(self._known.texts, f"{made.label} returned {fault}")))
            return result if kind is object else without_secrets(secrets, result)

        return call

    def _fault_of_result(self, result: object, kind: type | tuple[type, ...]) -> str:
        """Return the fault of the result of a call, "" for none."""
        if not isinstance(result, kind):
            kinds = kind if isinstance(kind, tuple) else (kind,)
            return f"{type(result).__name__}, not {' or '.join(each.__name__ for each in kinds)}"
        if isinstance(result, Decision):
            other = [type(step).__name__ for step in result.steps if not isinstance(step, Step)]
            if other:
                return f"a Decision with {other[0]} among its steps, not Step"
            unknown = [verb for verb in result.verbs if verb not in self._type.verbs]
            return f"the verb {unknown[0]}, which is none of the type: {', '.join(self._type.verbs)}" if unknown else ""
        if isinstance(result, State):
            return _fault_of_state(result, self._type.name)
        if kind is _IDENTITIES and isinstance(result, (list, tuple)):
            wrong = [type(each).__name__ for each in result if not isinstance(each, Identity)]
            return f"{wrong[0]} among what should be Identity" if wrong else ""
        if kind is _SENT:
            known = relations(self._type)
            return fault_of_sent(result, known.sends if known else ())
        if kind is _PATHS or kind is _PARTS:
            return _fault_of_reversal(result)
        return _fault_of_differences(result) if isinstance(result, list) and kind is _DIFFERENCES else ""


def _said(provider: object, error: CCMError) -> None:
    """Say a fault in the logs of a provider, where it has them."""
    faults = getattr(provider, "group_faults", None)
    if isinstance(faults, GroupFaults):
        faults.say(error)


def _false_when_failing(call: Callable[..., object]) -> Callable[..., bool]:
    """Return the call, which gives False where it fails: the resource is then managed without a group."""

    def safe(*given: object) -> bool:
        try:
            return bool(call(*given))
        except CCMError:
            return False

    return safe


def _fault_of_state(state: State, type_name: str) -> str:
    """Return why events cannot show a state of a type, "" when they can."""
    if getattr(state, "type", "") != type_name:
        return f"a State of the type {getattr(state, 'type', '')!r}, not {type_name!r}: set type in its class"
    if not all(isinstance(text, str) for text in (state.name, state.ensure)):
        return "a State whose name or ensure is no text"
    mappings = (state.details, state.details.get("metadata", {})) if isinstance(state.details, dict) else (None,)
    if not all(isinstance(each, dict) for each in mappings):
        return "a State whose details or metadata are no mapping"
    wrong = _first_of_other_kind(state.details)
    if wrong:
        return f"a State with {wrong}, which events cannot show"
    missing = [field for field in ("name", "provider") if not state.metadata.get(field)]
    return f"a State without {' and '.join(missing)} in its metadata" if missing else ""


def fault_of_sent(found: object, sends: Iterable[Property]) -> str:
    """Return why values cannot be sent to others, "" when they can."""
    if not isinstance(found, Mapping):
        return ""
    declared = {prop.name: prop for prop in sends}
    unknown = [str(name) for name in found if name not in declared]
    if unknown:
        return f"{', '.join(sorted(unknown))}, which is none of sends"
    for name, value in found.items():
        if not is_of_kind(declared[name], value) or _first_of_other_kind(value):
            return f"{name} as {type(value).__name__}, which sends declares as {declared[name].kind}"
    return ""


def _fault_of_reversal(found: object) -> str:
    """Return why the state cannot keep paths or parts, "" when it can; it keeps descriptions of paths as lists."""
    if isinstance(found, dict):
        wrong = [name for name, part in found.items() if not isinstance(part, (str, int))]
        return f"the part {wrong[0]}, which must be text, a whole number or a boolean" if wrong else ""
    paths = found if isinstance(found, (list, tuple, set, frozenset)) else ()
    relative = [path for path in paths if not (isinstance(path, str) and path.startswith("/"))]
    return f"{relative[0]!r}, which is no absolute path" if relative else ""


def _fault_of_differences(found: list[object]) -> str:
    """Return why differences cannot be shown, "" when they can."""
    for difference in found:
        if not (isinstance(difference, dict) and set(difference) == _OF_DIFFERENCE):
            return f"a difference that has not exactly {', '.join(sorted(_OF_DIFFERENCE))}"
        before, after = difference["before"], difference["after"]
        if type(before) is not type(after) or not isinstance(before, (str, dict)):
            return "a difference whose before and after are not both texts, or both texts by name"
    return ""


def _first_of_other_kind(value: object) -> str:
    """Return the name of the first kind in a value that JSON does not have, "" when there is none."""
    if isinstance(value, dict):
        parts = [*value, *value.values()]
    elif isinstance(value, (list, tuple)):
        parts = list(value)
    else:
        return "" if value is None or isinstance(value, (str, int, float)) else type(value).__name__
    return next(filter(None, map(_first_of_other_kind, parts)), "")


def _described(problem: BaseException) -> str:
    """Return the kind of an error and the last line outside this package, without its text: that may hold secrets."""
    reason = f": {reason_of(problem.errno)}" if isinstance(problem, OSError) and problem.errno else ""
    reason = f": {problem}" if isinstance(problem, WrongCommand) else reason
    place, traceback = "", problem.__traceback__
    while traceback:
        frame = traceback.tb_frame
        if not frame.f_globals.get("__name__", "").startswith(_PACKAGE_PREFIX):
            place = f" in line {traceback.tb_lineno} of {frame.f_code.co_filename}"
        traceback = traceback.tb_next
    return f"{type(problem).__name__}{reason}{place}"

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Types of other packages: checked against the contract, once and in each call.

A call that raises, returns the wrong kind of value, prints or does not end becomes an error that names the package.
"""

from __future__ import annotations

from functools import lru_cache, partial

from ..host.call_threads import NotEnded
from ..host.errors import HostError, WrongCommand, reason_of
from ..host.machine import Machine
from ..model.batch_provider import BatchProvider
from ..model.decision import Decision
from ..model.errors import CCMError, InvalidResource, NotThereYet, ResourceFailed
from ..model.event_source import EventSource
from ..model.meta import NotDoneInTime
from ..model.provider import Provider
from ..model.resource import Properties, ResourceType
from ..model.simple_type import CALL_TIMEOUT, SimpleType
from ..model.state import State
from .declaration_checks import fault_of_declaration
from .group_faults import GroupFaults, fault_of_partition
from .hiding_log import HidingLog, KnownSecrets
from .result_faults import DIFFERENCES, IDENTITIES, PARTS, PATHS, SENT, TEXTS, fault_of_result
from .secret_values import changed, hidden, secret_texts, without, without_secrets
from .tracebacks import traceback_lines
from .type_calls import TypeCall, calls_that_go_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Tuple, Union

    from ..model.contract import AnyProvider, AnyType
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
# The methods whose defaults call only others of these.
_WHERE_OVERRIDDEN: dict[str, tuple[type[CCMError], type]] = {
    "made": (InvalidResource, Properties),
    "validate_late": (InvalidResource, object),
    "determines": (ResourceFailed, object),
}
_OF_RELATIONS: Kinds = {
    "provides": IDENTITIES,
    "installs": TEXTS,
    "wants": IDENTITIES,
    **dict.fromkeys(("watches", "watched_trees", "watched_units"), TEXTS),
    **dict.fromkeys(("observed", "determines", "is_there"), object),
    "only_refreshed": dict,
    "remains": (str, type(None)),
    "content": str,
    "sent": SENT,
}
_OF_REVERSALS: Kinds = {"is_reversible": object, "paths": PATHS, "parts": PARTS, "undone": dict}
# Where its provider still acts there is nothing to be cleaned up.
_CLEANING = (object,)
_OF_PROVIDERS: Kinds = {
    "manageable": (int, str),
    "status": State,
    "status_after": State,
    "require_possible": object,
    "drop_unfinished": _CLEANING,
    "differences": DIFFERENCES,
}
# The methods of providers that do nothing where a type does not have its own.
_OF_LASTING: Kinds = {"close": _CLEANING, "watch": (EventSource, type(None))}
_OF_SOURCES: Kinds = {"fileno": int, "read": bool, "close": object}
# The methods that have so many seconds at most: the end of a run, or the loop of `ccm watch`, waits for them.
_AWAITED = dict.fromkeys(("close", "watch", *_OF_SOURCES), 5.0)
_PARTITION = (list,)
_OF_BATCHES: Kinds = {"partition": _PARTITION, "act_on_batch": object}


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

    `package` names its origin in messages, such as "the package ccm-account 1.0.0".
    """
    if isinstance(found, ResourceType) and "decide" in vars(found):
        # It is checked already, perhaps by another name.
        return found
    call = TypeCall(f"the declaration of {name}", package, given=(found, name))
    earlier = call.same_that_goes_on()
    try:
        fault = f"{earlier.label} {earlier.fault}" if earlier else call.result(fault_of_declaration, CALL_TIMEOUT)
    except NotEnded as error:
        fault = f"{call.label} {error}"
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

    def install(self) -> None:
        """Replace the methods of the type, on this instance only."""
        of_type = self._type
        own = {name: made for name, made in _WHERE_OVERRIDDEN.items() if _is_overridden(of_type, name)}
        methods: dict[str, object] = {
            name: self._checked(getattr(of_type, name), f"{name} of the type {of_type.name}", kind, error)
            for name, (error, kind) in {**_OF_TYPES, **own}.items()
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
        """Return relations, a reversal or a source with their calls checked; types may share the object itself."""
        methods = {
            name: self._checked(getattr(part, name), f"{name} of {label}", kind, error, most=_AWAITED.get(name))
            for name, kind in kinds.items()
        }
        return changed(part, **methods)

    def _provider_of(self, provider: Callable[[str], type[AnyProvider]]) -> Callable[[str], type[AnyProvider]]:
        def checked_provider(name: str) -> type[AnyProvider]:
            found = self._checked(provider, f"provider of the type {self._type.name}", type, ResourceFailed)(name)
            if not (isinstance(found, type) and issubclass(found, Provider)):
                label = f"provider of the type {self._type.name} of {self._package}"
                raise ResourceFailed(f"{label} returned the class {getattr(found, '__name__', '')}, not a provider")
            kinds = {**_OF_PROVIDERS, **dict.fromkeys((*self._type.verbs, "__init__", "begin"), object)}
            kinds.update({"act": object} if found.act is not Provider.act else {})
            own = {each for each in _OF_LASTING if getattr(found, each) is not getattr(Provider, each)}
            kinds.update({each: _OF_LASTING[each] for each in own})
            kinds.update(_OF_BATCHES if issubclass(found, BatchProvider) else {})
            methods: dict[str, Callable[..., object]] = {
                method: self._checked(
                    getattr(found, method),
                    f"{method} of the provider {found.name}",
                    kind,
                    ResourceFailed,
                    _said if method in _OF_BATCHES else None,
                    manages=True,
                    most=None if method in self._type.verbs else _AWAITED.get(method),
                )
                for method, kind in kinds.items()
            }
            methods.update({each: self._hiding_secrets(methods[each]) for each in ("__init__", "begin")})
            methods["manageable"] = staticmethod(methods["manageable"])
            return type(found.__name__, (found,), {**methods, "__module__": found.__module__})

        return checked_provider

    def _hiding_secrets(self, method: Callable[..., object]) -> Callable[[AnyProvider, ProviderContext[Any]], None]:
        """Return a method of a provider that is given a context, whose logs show no secrets."""

        def call(provider: AnyProvider, context: ProviderContext[Any]) -> None:
            if not isinstance(context.log, HidingLog):
                self._known.add(secret_texts(self._type.own_properties, context.siblings))
                logs = {name: HidingLog(getattr(context, name), self._known) for name in ("log", "user_log")}
                vars(provider)["group_faults"] = GroupFaults(**logs)
                context = changed(context, **logs)
            method(provider, context)

        return call

    def _checked(
        self,
        method: Callable[..., object],
        label: str,
        kind: type | tuple[type, ...],
        error: type[CCMError],
        say: Callable[[object, CCMError], None] | None = None,
        *,
        manages: bool = False,
        most: float | None = None,
    ) -> Callable[..., object]:
        """Return a method with its calls checked; `say` is called with the object and each fault.

        None is made while a call goes on that was given up and excludes it; see TypeCall for `manages`. A call may
        take `most` seconds, if that is less than the limit of the type.
        """
        limit = self._limit if most is None else min(most, self._limit)

        def call(*given: object) -> object:
            secrets = secret_texts(self._type.own_properties, given)
            self._known.add(secrets)
            acting = list(given[2]) if kind is _PARTITION and isinstance(given[2], list) else []

            def fault_of_type(found: CCMError) -> CCMError:
                if say:
                    say(given[0], found)
                return found

            first = given[0] if given else None
            while self._unsaid and isinstance(first, Provider):
                _said(first, self._unsaid.pop())
            # A provider may wait in any way.
            machine = getattr(first, "machine", None)
            if isinstance(machine, Machine):
                machine.before_waiting()
            made = TypeCall(label, self._package, self._type, given, manages=manages)
            earlier = next((each for each in calls_that_go_on() if each.excludes(made)), None)
            if earlier and kind is _CLEANING:
                return None
            if earlier:
                raise error(f"{made.label} is not called: {earlier} {earlier.fault}, and goes on")

            def checked_result(*given: object) -> tuple[object, str]:
                result = method(*given)
                fault = fault_of_result(result, kind, self._type)
                if kind is _PARTITION and isinstance(result, list):
                    fault = fault_of_partition(result, acting)
                return result, fault

            try:
                result, fault = made.result(checked_result, limit, self._known.texts)
            except NotEnded as problem:
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
            except (Exception, SystemExit, KeyboardInterrupt) as problem:
                if isinstance(problem, KeyboardInterrupt) and problem is not made.raised:
                    raise
                found = with_traceback(error(f"{made.label} raised {_described(problem)}"), problem, secrets)
                raise fault_of_type(found) from problem
            if fault:
                raise fault_of_type(error(without(self._known.texts, f"{made.label} returned {fault}")))
            if isinstance(result, State) and _shows_itself(result):
                label_of_state = f"as_dict of the state of the type {self._type.name}"
                as_dict = self._checked(type(result).as_dict, label_of_state, dict, ResourceFailed)
                vars(result)["as_dict"] = partial(as_dict, result)
            if isinstance(result, EventSource):
                return self._checked_part(result, f"the events of the type {self._type.name}", _OF_SOURCES, error)
            return result if kind is object else without_secrets(secrets, result)

        return call


def _shows_itself(state: State) -> bool:
    return type(state).as_dict is not State.as_dict and "as_dict" not in vars(state)


def _is_overridden(of_type: AnyType, name: str) -> bool:
    method = getattr(type(of_type), name)
    return method is not getattr(ResourceType, name) and method is not getattr(SimpleType, name)


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

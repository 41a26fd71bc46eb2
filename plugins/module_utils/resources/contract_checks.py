# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Types of other packages: checked against the contract, once and in each call.

A call that raises, returns the wrong kind of value, prints or does not end becomes an error that names the package.
"""

from __future__ import annotations

import io
import sys
import threading
from contextlib import contextmanager
from functools import lru_cache

from ..host.errors import HostError, reason_of
from ..host.machine import Machine
from ..host.time_limit import TimeLimitReached, time_limit
from ..model.batch_provider import BatchProvider
from ..model.decision import Decision
from ..model.errors import CCMError, InvalidResource, ResourceFailed
from ..model.relations import Identity
from ..model.resource import Properties, ResourceType
from ..model.simple_type import CALL_TIMEOUT
from ..model.state import State
from ..redaction.texts import REDACTED
from .declaration_checks import fault_of_declaration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator, Sequence, TextIO, TypeVar

    from ..model.contract import AnyProvider, AnyType
    from ..model.values import Data, Value

    R = TypeVar("R")

_PACKAGE_PREFIX = __name__.rpartition("resources.")[0]
# The checked methods, each with the error that a fault in it becomes, and the kind of its result.
_OF_TYPES: dict[str, tuple[type[CCMError], type | tuple[type, ...]]] = {
    "validate": (InvalidResource, object),
    "normalise": (InvalidResource, object),
    "deferred_values": (InvalidResource, dict),
    "derived_values": (ResourceFailed, dict),
    "subscriptions": (ResourceFailed, (tuple, list)),
    "has_changed": (ResourceFailed, bool),
    "is_groupable": (ResourceFailed, bool),
    "decide": (ResourceFailed, Decision),
    "shortfall": (ResourceFailed, str),
}
_DIFFERENCES = (list,)
_IDENTITIES = (list, tuple)
_OF_RELATIONS: dict[str, tuple[type, ...]] = {
    "provides": _IDENTITIES,
    "installs": (tuple, list),
    "wants": _IDENTITIES,
}
_OF_PROVIDERS: dict[str, type | tuple[type, ...]] = {
    "manageable": (int, str),
    "status": State,
    "status_after": State,
    "require_possible": object,
    "drop_unfinished": object,
    "differences": _DIFFERENCES,
}
# Guards sys.stdout, which all threads share.
_STDOUT = threading.Lock()
_OF_DIFFERENCE = {"before", "after", "before_header", "after_header"}


def refused(name: str, package: str, reason: str) -> InvalidResource:
    """Return the error for a type that cannot be used."""
    return InvalidResource(
        f"resource type {name} of {package} cannot be used: {reason}",
        value=name,
        advice="it is a fault of that package: update or remove it, or report it to its authors",
    )


def checked(found: object, name: str, package: str) -> AnyType:
    """Return a type that fulfils the contract, with its calls checked. Raises InvalidResource.

    `package` names its origin in messages, such as "the package ccm-user 1.0.0".
    """
    if isinstance(found, ResourceType) and "decide" in vars(found):
        return found  # it is checked already
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

    def install(self) -> None:
        """Replace the methods of the type, on this instance only."""
        of_type = self._type
        methods = {
            name: self._checked(getattr(of_type, name), f"{name} of the type {of_type.name}", kind, error)
            for name, (error, kind) in _OF_TYPES.items()
        }
        methods["is_groupable"] = _false_when_failing(methods["is_groupable"])
        relations = getattr(of_type, "relations", None)
        for name, kind in _OF_RELATIONS.items() if relations else ():
            label = f"{name} of the relations of the type {of_type.name}"
            vars(relations)[name] = self._checked(getattr(relations, name), label, kind, InvalidResource)
        vars(of_type).update(methods, provider=lru_cache(maxsize=None)(self._provider_of(of_type.provider)))

    def _provider_of(self, provider: Callable[[str], type[AnyProvider]]) -> Callable[[str], type[AnyProvider]]:
        def checked_provider(name: str) -> type[AnyProvider]:
            found = provider(name)
            kinds = {**_OF_PROVIDERS, **dict.fromkeys((*self._type.verbs, "__init__"), object)}
            if issubclass(found, BatchProvider):
                kinds.update(partition=list, act_on_batch=object)
            methods: dict[str, Callable[..., object]] = {
                method: self._checked(
                    getattr(found, method), f"{method} of the provider {found.name}", kind, ResourceFailed
                )
                for method, kind in kinds.items()
            }
            return type(found.__name__, (found,), {**methods, "manageable": staticmethod(methods["manageable"])})

        return checked_provider

    def _checked(
        self, method: Callable[..., R], label: str, kind: type | tuple[type, ...], error: type[CCMError]
    ) -> Callable[..., R]:
        label = f"{label} of {self._package}"

        def call(*given: object) -> R:
            secrets = self._secrets(given)
            # A provider may wait in any way.
            machine = getattr(given[0], "machine", None)
            if isinstance(machine, Machine):
                machine.before_waiting()
            try:
                with limited(self._package, self._limit):
                    result = method(*given)
                    fault = self._fault_of_result(result, kind)
            except TimeLimitReached:
                raise error(f"{label} did not end within {self._limit:g} seconds") from None
            except CCMError as problem:
                problem.message = _without(secrets, problem.message)
                raise
            except HostError as problem:
                raise error(_without(secrets, str(problem))) from problem
            except (Exception, SystemExit) as problem:
                raise error(f"{label} raised {_described(problem)}") from problem
            if fault:
                raise error(f"{label} returned {fault}")
            if secrets and isinstance(result, State):
                _hide_in_events(result, secrets)
            return result

        return call

    def _secrets(self, given: tuple[object, ...]) -> list[str]:
        """Return the values of secret properties in the arguments of a call, the longest first."""
        found: list[str] = []
        for properties in _flattened(given):
            if isinstance(properties, Properties):
                for prop in self._type.own_properties:
                    value = getattr(properties, prop.name) if prop.secret else None
                    found += value.values() if isinstance(value, dict) else [value] if isinstance(value, str) else []
        return sorted(filter(None, found), key=len, reverse=True)

    def _fault_of_result(self, result: object, kind: type | tuple[type, ...]) -> str:
        """Return what is wrong with the result of a call, "" when nothing is."""
        if not isinstance(result, kind):
            kinds = kind if isinstance(kind, tuple) else (kind,)
            return f"{type(result).__name__}, not {' or '.join(each.__name__ for each in kinds)}"
        if isinstance(result, Decision):
            unknown = [verb for verb in result.verbs if verb not in self._type.verbs]
            return f"the verb {unknown[0]}, which is none of the type: {', '.join(self._type.verbs)}" if unknown else ""
        if isinstance(result, State):
            return _fault_of_state(result, self._type.name)
        if kind is _IDENTITIES and isinstance(result, (list, tuple)):
            wrong = [type(each).__name__ for each in result if not isinstance(each, Identity)]
            return f"{wrong[0]} among what should be Identity" if wrong else ""
        return _fault_of_differences(result) if isinstance(result, list) and kind is _DIFFERENCES else ""


def _flattened(given: Sequence[object]) -> Iterator[object]:
    """Yield the arguments of a call, and what the lists among them have: those of batches have properties in them."""
    for argument in given:
        if isinstance(argument, (list, tuple)):
            yield from _flattened(argument)
        else:
            yield argument


def _false_when_failing(call: Callable[..., object]) -> Callable[..., bool]:
    """Return the call, which gives False where it fails: the resource is then managed without a group."""

    def safe(*given: object) -> bool:
        try:
            return bool(call(*given))
        except CCMError:
            return False

    return safe


def _without(secrets: list[str], text: str) -> str:
    for secret in secrets:
        text = text.replace(secret, REDACTED)
    return text


def _hide_in_events(state: State, secrets: list[str]) -> None:
    """Let a state be shown without secrets; decisions still compare the values that were found."""
    shown = state.as_dict

    def hidden(value: Value) -> Value:
        if isinstance(value, str):
            return _without(secrets, value)
        if isinstance(value, dict):
            return {key: hidden(entry) for key, entry in value.items()}
        return [hidden(entry) for entry in value] if isinstance(value, (list, tuple)) else value

    def as_dict() -> Data:
        return {key: hidden(value) for key, value in shown().items()}

    vars(state)["as_dict"] = as_dict


def _fault_of_state(state: State, type_name: str) -> str:
    """Return why events cannot show a state of a type, "" when they can."""
    if getattr(state, "type", "") != type_name:
        return f"a State of the type {getattr(state, 'type', '')!r}, not {type_name!r}: set type in its class"
    if not all(isinstance(text, str) for text in (state.name, state.ensure)):
        return "a State whose name or ensure is no text"
    wrong = _first_of_other_kind(state.details)
    if wrong:
        return f"a State with {wrong}, which events cannot show"
    missing = [field for field in ("name", "provider") if not state.metadata.get(field)]
    return f"a State without {' and '.join(missing)} in its metadata" if missing else ""


def _fault_of_differences(found: list[object]) -> str:
    """Return why differences cannot be shown, "" when they can."""
    for difference in found:
        if not (isinstance(difference, dict) and set(difference) == _OF_DIFFERENCE):
            return f"a difference that has not exactly {', '.join(sorted(_OF_DIFFERENCE))}"
        before, after = difference["before"], difference["after"]
        if type(before) is not type(after) or not isinstance(before, (str, dict)):
            return "a difference whose before and after are not both texts, or both texts by name"
    return ""


@contextmanager
def limited(package: str, seconds: float) -> Iterator[None]:
    """Limit code of a package to `seconds`; what it prints goes to standard error. Raises TimeLimitReached.

    Time is limited in the main thread only, which receives signals.
    """
    with _Printed(package) as printed, _printing_to(printed), time_limit(seconds):
        yield


@contextmanager
def _printing_to(printed: _Printed) -> Iterator[None]:
    """Let what this thread prints go to `printed`; other threads print as before."""
    thread = threading.get_ident()
    with _STDOUT:
        stdout = sys.stdout
        by_thread = stdout if isinstance(stdout, _ByThread) else _ByThread(stdout)
        before = by_thread.printed.get(thread)
        by_thread.printed[thread] = printed
        sys.stdout = by_thread
    try:
        yield
    finally:
        with _STDOUT:
            if before is None:
                del by_thread.printed[thread]
            else:
                by_thread.printed[thread] = before
            if sys.stdout is by_thread and not by_thread.printed:
                sys.stdout = by_thread.real


class _ByThread(io.TextIOBase):
    """Writes to `printed` of the thread that writes, and for other threads to the `real` standard output."""

    def __init__(self, real: TextIO) -> None:
        self.real = real
        self.printed: dict[int, _Printed] = {}

    def write(self, text: str) -> int:
        return (self.printed.get(threading.get_ident()) or self.real).write(text)

    def flush(self) -> None:
        self.real.flush()

    def close(self) -> None:
        """Do nothing: the real output belongs to the command, and may be closed when this object goes."""

    def fileno(self) -> int:
        return self.real.fileno()

    def isatty(self) -> bool:
        return self.real.isatty()

    def __getattr__(self, name: str) -> object:
        return getattr(self.real, name)


class _Printed(io.TextIOBase):
    """Writes to standard error what a package prints, each line with the name of the package.

    Standard output belongs to the command: to its log, or to JSON that a program reads.
    """

    def __init__(self, package: str) -> None:
        self._package = package
        self._line = ""

    def write(self, text: str) -> int:
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            sys.stderr.write(f"{self._package} printed: {line}\n")
        return len(text)

    def close(self) -> None:
        if self._line:
            self.write("\n")
        super().close()


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
    place, traceback = "", problem.__traceback__
    while traceback:
        frame = traceback.tb_frame
        if not frame.f_globals.get("__name__", "").startswith(_PACKAGE_PREFIX):
            place = f" in line {traceback.tb_lineno} of {frame.f_code.co_filename}"
        traceback = traceback.tb_next
    return f"{type(problem).__name__}{reason}{place}"

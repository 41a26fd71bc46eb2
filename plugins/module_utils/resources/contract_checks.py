# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Types of other packages: checked against the contract, once and in each call.

A call that raises, returns the wrong kind of value, prints or does not end becomes an error that names the package.
"""

from __future__ import annotations

import io
import sys
from contextlib import contextmanager, redirect_stdout
from functools import lru_cache

from ..host.errors import HostError, reason_of
from ..host.time_limit import TimeLimitReached, time_limit
from ..model.decision import Decision
from ..model.errors import CCMError, InvalidResource, ResourceFailed
from ..model.property import Property
from ..model.provider import Provider
from ..model.resource import ResourceType
from ..model.simple_type import CALL_TIMEOUT, CONTRACT
from ..model.state import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator, TypeVar

    from ..model.contract import AnyProvider, AnyType

    R = TypeVar("R")

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
_OF_PROVIDERS: dict[str, type | tuple[type, ...]] = {
    "manageable": (int, str),
    "status": State,
    "status_after": State,
    "act": object,
    "drop_unfinished": object,
    "differences": list,
}


def refused(name: str, package: str, reason: str) -> InvalidResource:
    """Return the error for a type that cannot be used."""
    return InvalidResource(
        f"resource type {name} of {package} cannot be used: {reason}",
        value=name,
        advice="report it to the authors of that package, or remove the package",
    )


def checked(found: object, name: str, package: str) -> AnyType:
    """Return a type that fulfils the contract, with its calls checked. Raises InvalidResource.

    `package` names its origin in messages, such as "the package ccm-user 1.0.0".
    """
    if not isinstance(found, ResourceType):
        raise refused(name, package, f"it is not a resource type, but {type(found).__name__}")
    if getattr(found, "name", "") != name:
        raise refused(name, package, f"its own name is {getattr(found, 'name', '')!r}")
    if getattr(found, "contract", None) != CONTRACT:
        contract = getattr(found, "contract", None)
        raise refused(name, package, f"it is for contract {contract}, and this is contract {CONTRACT}")
    if not found.provider_names:
        raise refused(name, package, "it has no providers")
    if not all(isinstance(prop, Property) for prop in found.own_properties):
        raise refused(name, package, "own_properties may hold only Property")
    for provider_name in found.provider_names:
        fault = _fault_of_provider(found.provider(provider_name), found)
        if fault:
            raise refused(name, package, fault)
    if "decide" not in vars(found):
        _CheckedCalls(found, package).install()
    return found


def _fault_of_provider(provider: object, of_type: AnyType) -> str:
    """Return why a provider does not fulfil the contract, "" when it does."""
    if not (isinstance(provider, type) and issubclass(provider, Provider)):
        return f"{provider!r} is not a provider class"
    missing = sorted(provider.__abstractmethods__) + [
        verb for verb in of_type.verbs if not callable(getattr(provider, verb, None))
    ]
    return f"its provider {provider.name} has no method {', '.join(missing)}" if missing else ""


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
        vars(of_type).update(methods, provider=lru_cache(maxsize=None)(self._provider_of(of_type.provider)))

    def _provider_of(self, provider: Callable[[str], type[AnyProvider]]) -> Callable[[str], type[AnyProvider]]:
        def checked_provider(name: str) -> type[AnyProvider]:
            found = provider(name)
            methods: dict[str, Callable[..., object]] = {
                method: self._checked(
                    getattr(found, method), f"{method} of the provider {found.name}", kind, ResourceFailed
                )
                for method, kind in _OF_PROVIDERS.items()
            }
            return type(found.__name__, (found,), {**methods, "manageable": staticmethod(methods["manageable"])})

        return checked_provider

    def _checked(
        self, method: Callable[..., R], label: str, kind: type | tuple[type, ...], error: type[CCMError]
    ) -> Callable[..., R]:
        label = f"{label} of {self._package}"

        def call(*given: object) -> R:
            try:
                with limited(self._package, self._limit):
                    result = method(*given)
                    fault = self._fault_of_result(result, kind)
            except TimeLimitReached:
                raise error(f"{label} did not end within {self._limit:g} seconds") from None
            except (CCMError, HostError):
                raise
            except (Exception, SystemExit) as problem:
                raise error(f"{label} raised {_described(problem)}") from None
            if fault:
                raise error(f"{label} returned {fault}")
            return result

        return call

    def _fault_of_result(self, result: object, kind: type | tuple[type, ...]) -> str:
        """Return what is wrong with the result of a call, "" when nothing is."""
        if not isinstance(result, kind):
            kinds = kind if isinstance(kind, tuple) else (kind,)
            return f"{type(result).__name__}, not {' or '.join(each.__name__ for each in kinds)}"
        if isinstance(result, Decision):
            unknown = [verb for verb in result.verbs if verb not in self._type.verbs]
            return f"the verb {unknown[0]}, which is none of the type: {', '.join(self._type.verbs)}" if unknown else ""
        if isinstance(result, State):
            if getattr(result, "type", "") != self._type.name:
                return f"a State of the type {getattr(result, 'type', '')!r}"
            wrong = _first_of_other_kind(result.details)
            return f"a State with {wrong}, which events cannot show" if wrong else ""
        return ""


@contextmanager
def limited(package: str, seconds: float) -> Iterator[None]:
    """Limit code of a package to `seconds`; what it prints goes to standard error. Raises TimeLimitReached."""
    with _Printed(package) as printed, redirect_stdout(printed), time_limit(seconds):
        yield


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
    """Return the kind of an error and where it was raised, without its text: that may hold secrets."""
    reason = f": {reason_of(problem.errno)}" if isinstance(problem, OSError) and problem.errno else ""
    at = problem.__traceback__
    while at and at.tb_next:
        at = at.tb_next
    place = f" in line {at.tb_lineno} of {at.tb_frame.f_code.co_filename}" if at else ""
    return f"{type(problem).__name__}{reason}{place}"

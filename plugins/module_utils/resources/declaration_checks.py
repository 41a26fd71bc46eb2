# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The declaration of a type of another package, checked against the contract before the type is used."""

from __future__ import annotations

from types import FunctionType, MethodType

from ..model.common import common_properties
from ..model.errors import InvalidResource
from ..model.kinds import decode_value
from ..model.property import DEFERRED, EAGER, NEVER, Property
from ..model.provider import Provider
from ..model.resource import BASIC_PROPERTIES, ResourceType
from ..model.simple_type import CONTRACT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from ..model.contract import AnyType
    from ..model.values import Value

#: The kinds of properties that manifests, modules and the command line can give.
KINDS = ("string", "mode", "boolean", "integer", "strings", "integers", "string_map", "string_maps", "data")
_COMMON = {prop.name for prop in (*BASIC_PROPERTIES, *common_properties())}
# Flags and commands of `ccm ensure`, and names in events that other meanings have.
_RESERVED = {"check", "check_tries", "check_timeout", "hiera", "noop", "read_env", "session", "context", "if", "unless"}
_TAKES_VARIABLE = 0x04
# In seconds.
_SHORTEST_POLL = 0.1
_METHODS = {
    "begin": 1,
    "close": 0,
    "watch": 1,
    "status": 1,
    "status_after": 2,
    "act": 3,
    "differences": 2,
    "drop_unfinished": 1,
}


def fault_of_declaration(found: object, name: str) -> str:
    """Return why an object cannot be used as the type of this name, "" when it can."""
    try:
        return next(_faults(found, name), "")
    except Exception as error:
        return f"its declaration raises {type(error).__name__}: {error}"


def is_of_other_copy(found: object) -> bool:
    """Return whether an object declares the contract but was made with another copy of it (Q106)."""
    declared = getattr(found, "contract", None)
    return isinstance(declared, int) and not isinstance(found, (type, ResourceType))


def is_of_kind(prop: Property, value: Value) -> bool:
    """Return whether a value is of the kind of a property as it is, without being converted."""
    if value is None:
        return prop.nullable
    try:
        decoded = decode_value(prop, value)
    except InvalidResource:
        return False
    return decoded == value and type(decoded) is type(value)


def _faults(found: object, name: str) -> Iterator[str]:
    if isinstance(found, type):
        yield f"{found.__name__} is a class; name an instance of it"
    if is_of_other_copy(found):
        yield f"another copy of ccm was imported before {type(found).__module__}, which uses that one"
    if not isinstance(found, ResourceType):
        yield f"it is not a resource type, but {type(found).__name__}"
    else:
        yield from _faults_of_names(found, name)
        for prop in (*found.own_properties, *found.undo_properties):
            yield from _faults_of_property(prop)
        yield from _faults_of_type(found)
        for provider_name in found.provider_names:
            yield from _faults_of_provider(found.provider(provider_name), found)


def _faults_of_names(found: AnyType, name: str) -> Iterator[str]:
    own = getattr(found, "name", "")
    if own != name:
        yield f"its own name is {own!r}"
    if not (name.isascii() and name.isalpha() and name.islower()) or name == "api":
        yield "its name must have only the letters a to z, and not be api"
    contract = getattr(found, "contract", None)
    if contract is None:
        yield f"it has no version of the contract: write contract = {CONTRACT} in the class"
    if contract != CONTRACT or isinstance(contract, bool):
        yield f"it is for contract {contract!r}, and this is contract {CONTRACT}"
    for attribute in ("verbs", "own_properties", "undo_properties", "ensure_choices", "provider_names", "semaphores"):
        if not isinstance(getattr(found, attribute, None), tuple):
            yield f"{attribute} must be a tuple, like (one,)"


def _faults_of_type(found: AnyType) -> Iterator[str]:
    names = [prop.name for prop in (*found.own_properties, *found.undo_properties)]
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            yield f"the property {name} is declared twice"
    if "subscribe" in names and type(found).subscriptions is ResourceType.subscriptions:
        yield "it has a property subscribe, but no method subscriptions"
    for verb in found.verbs:
        if not (isinstance(verb, str) and verb.isidentifier()) or hasattr(Provider, verb):
            yield f"{verb!r} cannot be a verb: it must be a name for a method that providers do not have already"
    if not found.ensure_choices and not found.default_ensure:
        yield "it has neither ensure_choices nor default_ensure"
    if not found.provider_names:
        yield "it has no providers"
    timeout = getattr(found, "call_timeout", 1)
    if not _is_time(timeout):
        yield f"call_timeout must be a number of seconds, not {timeout!r}"
    interval = getattr(getattr(found, "relations", None), "poll_seconds", _SHORTEST_POLL)
    if not _is_time(interval) or interval < _SHORTEST_POLL:
        yield f"poll_seconds of its relations must be a number of seconds, at least {_SHORTEST_POLL}, not {interval!r}"
    sends = getattr(getattr(found, "relations", None), "sends", ())
    if not isinstance(sends, tuple) or not all(isinstance(prop, Property) and prop.kind in KINDS for prop in sends):
        yield f"sends of its relations must be a tuple of Property, each of one of the kinds {', '.join(KINDS)}"
    yield from _fault_of_parameters(found.decide, 3, "decide")


def _is_time(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < float("inf")


def _faults_of_property(prop: object) -> Iterator[str]:
    if not isinstance(prop, Property):
        yield "own_properties and undo_properties may hold only Property"
        return
    lead = f"the property {prop.name!r}"
    if not (isinstance(prop.name, str) and prop.name.isidentifier()):
        yield f"{lead} must be named like a variable"
    if prop.name in _COMMON | _RESERVED:
        yield f"{lead} has the name of a property or of a flag that each type has"
    if prop.kind not in KINDS:
        yield f"{lead} is of the kind {prop.kind!r}, which is none of {', '.join(KINDS)}"
    if prop.when not in (EAGER, DEFERRED, NEVER):
        yield f"{lead} has when={prop.when!r}, which is none of {EAGER}, {DEFERRED}, {NEVER}"
    if prop.default is None:
        return
    try:
        decoded = decode_value(prop, prop.default)
    except InvalidResource as error:
        yield f"the default of {lead}: {error}"
        return
    if decoded != prop.default or type(decoded) is not type(prop.default):
        yield f"the default of {lead} must be of its kind, {prop.kind}"
    if prop.choices and prop.default not in prop.choices:
        yield f"the default of {lead} is none of its choices"


def _faults_of_provider(provider: object, of_type: AnyType) -> Iterator[str]:
    if not (isinstance(provider, type) and issubclass(provider, Provider)):
        yield f"{provider!r} is not a provider class"
        return
    missing = sorted(provider.__abstractmethods__) + [
        verb for verb in of_type.verbs if not callable(getattr(provider, verb, None))
    ]
    lead = f"its provider {provider.name}"
    if missing:
        yield f"{lead} has no method {', '.join(missing)}"
    if not hasattr(provider.manageable, "__self__"):
        yield f"manageable of {lead} must be a classmethod"
    for method, count in {**_METHODS, **dict.fromkeys(of_type.verbs, 2)}.items():
        yield from _fault_of_parameters(getattr(provider, method), count + 1, f"{method} of {lead}")


def _fault_of_parameters(method: object, count: int, label: str) -> Iterator[str]:
    """Yield a fault when a method cannot be called with `count` arguments; functions only are checked."""
    bound = 1 if isinstance(method, MethodType) else 0
    function = method.__func__ if isinstance(method, MethodType) else method
    if not isinstance(function, FunctionType) or function.__code__.co_flags & _TAKES_VARIABLE:
        return
    code = function.__code__
    most = code.co_argcount - bound
    if not most - len(function.__defaults__ or ()) <= count <= most:
        names = ", ".join(code.co_varnames[: code.co_argcount])
        yield f"{label} takes ({names}); the contract has {count + bound} parameters"

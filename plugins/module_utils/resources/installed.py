# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Resource types of installed Python packages: entry points of the group `ccm.resource_types`."""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib import metadata

from ..model.decision import Decision
from ..model.errors import InvalidResource, ResourceFailed
from ..model.property import Property
from ..model.provider import Provider
from ..model.resource import ResourceType
from ..model.simple_type import CONTRACT, SimpleType
from ..model.state import State
from ..model.type_description import TypeDescription
from .types import TYPE_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from ..model.contract import AnyProvider, AnyType
    from ..model.resource import Properties

    K = TypeVar("K")

GROUP = "ccm.resource_types"
_COLLECTIONS = "ansible_collections."


class InstalledType:
    """A type that a package offers: its `name`, the `package` with its version, and the `value` of its entry point."""

    def __init__(self, name: str, package: str, value: str) -> None:
        self.name = name
        self.package = package
        self.value = value

    def refused(self, reason: str) -> InvalidResource:
        """Return the error for a type that cannot be used."""
        return InvalidResource(
            f"resource type {self.name} of {self.package} cannot be used: {reason}",
            value=self.name,
            advice="report it to the authors of that package, or remove the package",
        )


def installed_types() -> tuple[InstalledType, ...]:
    """Return what installed packages offer, sorted by name and package; nothing of them is imported."""
    return _offered(tuple(sys.path))


# What is installed does not change while a search path stays the same; reading it takes milliseconds.
@lru_cache(maxsize=4)
def _offered(_search_path: tuple[str, ...]) -> tuple[InstalledType, ...]:
    found = {}
    for distribution in metadata.distributions():
        for entry in distribution.entry_points:
            if entry.group == GROUP:
                kind = "collection" if entry.value.startswith(_COLLECTIONS) else "package"
                package = f"the {kind} {distribution.metadata['Name']} {distribution.version}"
                found[entry.name, package] = InstalledType(entry.name, package, entry.value)
    return tuple(found[key] for key in sorted(found))


def additional_types() -> tuple[InstalledType, ...]:
    """Return what installed packages offer, without types that are named like a built-in one."""
    return tuple(each for each in installed_types() if each.name not in TYPE_NAMES)


def installed_names() -> tuple[str, ...]:
    """Return the names that packages offer, without those of built-in types, sorted."""
    return tuple(dict.fromkeys(each.name for each in additional_types()))


def installed_type(name: str) -> AnyType | None:
    """Return the type of a package, imported now; None when no package offers it.

    Raises InvalidResource, with the name of the package, for a type that cannot be used, and for two packages with the
    same type.
    """
    offers = [each for each in installed_types() if each.name == name]
    if not offers:
        return None
    if len(offers) > 1:
        packages = " and ".join(each.package for each in offers)
        raise InvalidResource(
            f"resource type {name} is offered by {packages}", value=name, advice="remove all of them but one"
        )
    return _loaded(offers[0])


@lru_cache(maxsize=None)
def _loaded(offer: InstalledType) -> AnyType:
    module, _colon, attribute = offer.value.partition(":")
    try:
        found = vars(__import__(module, fromlist=["*"])).get(attribute.strip() or "TYPE")
    except (Exception, SystemExit) as error:
        raise offer.refused(f"{type(error).__name__}: {error}") from None
    return checked(found, offer)


def checked(found: object, offer: InstalledType) -> AnyType:
    """Return a type that fulfils the contract. Raises InvalidResource."""
    if not isinstance(found, ResourceType):
        raise offer.refused(f"{offer.value} is not a resource type, but {type(found).__name__}")
    if getattr(found, "name", "") != offer.name:
        raise offer.refused(f"its own name is {getattr(found, 'name', '')!r}")
    if getattr(found, "contract", None) != CONTRACT:
        raise offer.refused(f"it is for contract {getattr(found, 'contract', None)}, and this is contract {CONTRACT}")
    if not found.provider_names:
        raise offer.refused("it has no providers")
    for prop in found.own_properties:
        if not isinstance(prop, Property):
            raise offer.refused("own_properties may hold only Property")
    for name in found.provider_names:
        _check_provider(found.provider(name), found, offer)
    _check_results(found)
    return found


def _check_provider(provider: type[AnyProvider], of_type: AnyType, offer: InstalledType) -> None:
    if not (isinstance(provider, type) and issubclass(provider, Provider)):
        raise offer.refused(f"{provider!r} is not a provider class")
    missing = sorted(provider.__abstractmethods__) + [
        verb for verb in of_type.verbs if not callable(getattr(provider, verb, None))
    ]
    if missing:
        raise offer.refused(f"its provider {provider.name} has no method {', '.join(missing)}")


def _check_results(of_type: AnyType) -> None:
    """Let a type and its providers fail with a clear message when a method returns the wrong kind of value.

    A type that was found by another search path before is checked already.
    """
    if "decide" in vars(of_type):
        return
    decide, provider = of_type.decide, of_type.provider

    def checked_decide(state: State, properties: Properties, refresh: bool) -> Decision:
        return _of_kind(Decision, decide(state, properties, refresh), f"decide of the type {of_type.name}")

    @lru_cache(maxsize=None)
    def checked_provider(name: str) -> type[AnyProvider]:
        found = provider(name)

        def status(self: AnyProvider, properties: Properties) -> State:
            return _of_kind(State, found.status(self, properties), f"status of the provider {found.name}")

        def status_after(self: AnyProvider, properties: Properties, before: State) -> State:
            after = found.status_after(self, properties, before)
            return _of_kind(State, after, f"status_after of the provider {found.name}")

        return type(found.__name__, (found,), {"status": status, "status_after": status_after})

    vars(of_type).update(decide=checked_decide, provider=checked_provider)


def _of_kind(kind: type[K], value: K, method: str) -> K:
    if not isinstance(value, kind):
        raise ResourceFailed(f"{method} returned {type(value).__name__}, not a {kind.__name__}")
    return value


def installed_description(of_type: AnyType) -> TypeDescription:
    """Return the description of a type for schemas and lint, made from its declaration."""
    fields = of_type.state_fields if isinstance(of_type, SimpleType) else ()
    known = (
        Property("name", required=True, help="The name of the resource."),
        Property("provider", required=True, help="The provider that read the state."),
        *fields,
    )
    return TypeDescription((Property("metadata", "object", required=True, fields=known),))

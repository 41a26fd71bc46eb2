# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Resource types of installed Python packages: entry points of the group `ccm.resource_types`."""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib import metadata

from ..host.call_threads import NotEnded
from ..model.errors import InvalidResource
from ..model.facets import TypeDescription
from ..model.property import Property
from ..model.simple_type import CALL_TIMEOUT, SimpleType
from .contract_checks import checked, refused, with_traceback
from .contract_names import imported_again, share_names
from .declaration_checks import is_of_other_copy
from .type_calls import TypeCall
from .types import TYPE_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.contract import AnyType

GROUP = "ccm.resource_types"
_COLLECTIONS = "ansible_collections."


class InstalledType:
    """A type that a package offers: its `name`, the `package` with its version, and the `value` of its entry point."""

    def __init__(self, name: str, package: str, value: str) -> None:
        self.name = name
        self.package = package
        self.value = value
        self.is_of_collection = value.startswith(_COLLECTIONS)


def installed_types() -> tuple[InstalledType, ...]:
    """Return what installed packages offer, sorted by name and package; nothing of them is imported."""
    return _offered(tuple(sys.path))


# The installed packages do not change while a search path stays the same; reading them takes milliseconds.
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
    """Return the names that packages offer, without the names of built-in types, sorted."""
    return tuple(dict.fromkeys(each.name for each in additional_types()))


def installed_type(name: str) -> AnyType | None:
    """Return the type of a package, imported now; None when no package offers it.

    A type of a collection, which a task named, is used in the place of one of a package (Q106). Raises InvalidResource,
    with the name of the package, for a type that cannot be used, and for two packages with the same type.
    """
    offers = [each for each in installed_types() if each.name == name]
    if not offers:
        return None
    offers = [each for each in offers if each.is_of_collection] or offers
    if len(offers) > 1:
        packages = " and ".join(each.package for each in offers)
        raise InvalidResource(
            f"resource type {name} is offered by {packages}", value=name, advice="remove all of them but one"
        )
    return _loaded(offers[0])


@lru_cache(maxsize=None)
def _loaded(offer: InstalledType) -> AnyType:
    module, _colon, attribute = offer.value.partition(":")
    attribute = attribute.strip() or "TYPE"
    share_names()
    call = TypeCall(f"the import of {module}", offer.package, given=(module, attribute))
    if call.same_that_goes_on():
        raise refused(offer.name, offer.package, f"{module} is still being imported")
    try:
        attributes = call.result(_attributes, CALL_TIMEOUT)
    except NotEnded as error:
        raise refused(offer.name, offer.package, f"{module} was not imported {error.when}") from None
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}"
        raise with_traceback(refused(offer.name, offer.package, reason), error, []) from None
    if attribute not in attributes:
        raise refused(offer.name, offer.package, f"{module} has no {attribute}")
    found = checked(attributes[attribute], offer.name, offer.package)
    if found.name != offer.name:
        raise refused(offer.name, offer.package, f"its own name is {found.name!r}")
    return found


def _attributes(module: str, attribute: str) -> dict[str, object]:
    """Return the attributes of a module, imported now; `attribute` is a type of it."""
    attributes = vars(__import__(module, fromlist=["*"]))
    return vars(imported_again(module)) if is_of_other_copy(attributes.get(attribute)) else attributes


def installed_description(of_type: AnyType) -> TypeDescription:
    """Return the description of a type for schemas and lint, made from its declaration."""
    fields = of_type.state_fields if isinstance(of_type, SimpleType) else ()
    known = (
        Property("name", required=True, help="The name of the resource."),
        Property("provider", required=True, help="The provider that read the state."),
        *fields,
    )
    return TypeDescription((Property("metadata", "object", required=True, fields=known),))

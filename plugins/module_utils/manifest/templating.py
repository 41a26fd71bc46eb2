# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Expressions in the properties of a resource, resolved once each at their moment (features.md 3)."""

from __future__ import annotations

from ..model.errors import CCMError, InvalidResource
from ..model.property import DEFERRED, EAGER, NEVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..data.environment import Environment
    from ..model.property import Property
    from ..model.resource import Resource


def resolve_properties(resource: Resource, environment: Environment, when: str = EAGER) -> None:
    """Resolve, in place, the properties of a resource whose moment is `when`.

    Raises TemplateError with the property at fault.
    """
    values = vars(resource.properties)
    for prop in resource.type.properties:
        if prop.when != when:
            continue
        value = values[prop.name]
        if value.__class__ is str:
            if "{{" not in value and "${" not in value:
                continue
        elif not value or value is True:
            continue
        try:
            values[prop.name] = _resolved(prop, value, environment)
        except CCMError as error:
            error.property = error.property or prop.name
            raise


def resolve_deferred(resource: Resource, environment: Environment) -> None:
    """Resolve what had to wait until just before the resource is looked at."""
    resolve_properties(resource, environment, DEFERRED)
    resource.type.finish_deferred(resource.properties)


def _resolved(prop: Property, value: Any, environment: Environment) -> Any:
    from ..data.templates import expand_values, resolve_string

    kind = prop.kind
    if kind == "data":
        return expand_values(value, environment, keys=prop.keys_resolved)
    if kind == "number_or_template":
        return _port(value, environment)
    if kind == "objects":
        return [_resolved_object(prop, entry, environment) for entry in value]
    if kind == "object":
        return _resolved_object(prop, value, environment)
    if isinstance(value, str):
        return resolve_string(value, environment)
    if kind == "strings":
        return [resolve_string(item, environment) for item in value]
    if kind == "string_map":
        return {key: resolve_string(item, environment) for key, item in value.items()}
    if kind == "string_maps":
        return [{key: resolve_string(item, environment) for key, item in entry.items()} for entry in value]
    return value


def _resolved_object(prop: Property, values: dict[str, Any], environment: Environment) -> dict[str, Any]:
    return {
        field.name: values[field.name]
        if field.when == NEVER or not values[field.name]
        else _resolved(field, values[field.name], environment)
        for field in prop.fields
    }


def _port(value: Any, environment: Environment) -> int:
    from ..data.templates import resolve_typed

    resolved = resolve_typed(value, environment) if isinstance(value, str) else value
    if isinstance(resolved, bool) or not isinstance(resolved, int):
        kind = {str: "string", float: "float64", bool: "bool", list: "[]interface {}"}.get(resolved.__class__, "map")
        raise InvalidResource(
            f"registration is invalid: port must be an integer number not {kind}", property="port", value=value
        )
    return resolved

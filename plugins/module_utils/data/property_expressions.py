# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values with expressions in them: of properties, of `meta` and of what a manifest passes on."""

from __future__ import annotations

from ..model.environment import require_environment
from ..model.errors import CCMError, TemplateError
from ..model.property import NEVER
from .templates import resolve_string, resolve_typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..model.environment import ExpressionEnvironment
    from ..model.property import Property
    from ..model.values import Data, Value


def resolved_value(prop: Property, value: Value, environment: ExpressionEnvironment, field: str) -> Value:
    """Return the value of a property with its expressions resolved. Raises TemplateError, which names `field`."""
    kind = prop.kind
    if prop.secret:
        return _each(value, environment, field, _secret_text)
    if isinstance(value, str) and kind != "number_or_template":
        return _text(value, environment, field)
    if kind == "data" and isinstance(value, dict):
        return _data(value, environment, prop.keys_resolved, field)
    if kind == "number_or_template":
        return _port(value, environment)
    if kind == "objects" and isinstance(value, list):
        return [
            _object(prop, entry, environment, at) if isinstance(entry, dict) else entry
            for at, entry in enumerate(value)
        ]
    if kind in ("strings", "string_map", "string_maps"):
        return _each(value, environment, field, _text)
    return value


def _each(
    value: Value,
    environment: ExpressionEnvironment,
    field: str,
    resolve: Callable[[str, ExpressionEnvironment, str], Value],
) -> Value:
    """Return a value with its texts resolved; the path of each text goes on from `field`."""
    if isinstance(value, str):
        return resolve(value, environment, field)
    if isinstance(value, list):
        return [_each(item, environment, f"{field}[{at}]", resolve) for at, item in enumerate(value)]
    return _entries(value, environment, field, resolve) if isinstance(value, dict) else value


def _entries(
    value: Data,
    environment: ExpressionEnvironment,
    field: str,
    resolve: Callable[[str, ExpressionEnvironment, str], Value],
) -> Data:
    """Return a mapping with its texts resolved, without entries whose expression has no value."""
    found = {key: _each(item, environment, f"{field}[{key}]", resolve) for key, item in value.items()}
    return {key: item for key, item in found.items() if item is not None or value[key] is None}


def _secret_text(text: str, environment: ExpressionEnvironment, field: str) -> str:
    """Return a text of a secret property; errors do not quote it, and so give no reason either."""
    try:
        return _text(text, environment, field)
    except CCMError:
        raise TemplateError(
            f"resolving field {field}: an expression in it cannot be compiled or evaluated",
            advice="the reason is not shown, for it may quote the secret",
        ) from None


def _text(text: str, environment: ExpressionEnvironment, field: str) -> str:
    try:
        return resolve_string(text, environment)
    except CCMError as error:
        raise error.prefixed(f"resolving field {field}: ") from None


def resolved_outputs(declared: Data, environment: ExpressionEnvironment | None) -> Data:
    """Return what a manifest passes on. Raises CCMError with the property `outputs`."""
    try:
        return _entries(declared, require_environment(environment), "outputs", _typed)
    except CCMError as error:
        error.property = error.property or "outputs"
        raise


def _typed(text: str, environment: ExpressionEnvironment, field: str) -> Value:
    try:
        return resolve_typed(text, environment)
    except CCMError as error:
        raise error.prefixed(f"resolving field {field}: ") from None


def _data(value: Data, environment: ExpressionEnvironment, keys_resolved: bool, field: str) -> Data:
    if not keys_resolved:
        return _entries(value, environment, field, _typed)
    resolved: Data = {}
    for key, item in value.items():
        name = _text(key, environment, f"{field} key {key}")
        resolved.update(_entries({name: item}, environment, field, _typed))
    return resolved


def _object(prop: Property, values: Data, environment: ExpressionEnvironment, at: int) -> Data:
    resolved: Data = {}
    for field in prop.fields:
        value = values[field.name]
        try:
            is_literal = field.when == NEVER or value is None
            resolved[field.name] = (
                value if is_literal else resolved_value(field, value, environment, field.recorded_name)
            )
        except CCMError as error:
            error.path = (prop.name, at, field.name)
            raise
    return resolved


def _port(value: Value, environment: ExpressionEnvironment) -> Value:
    from ..model.registration import check_port_kind

    resolved = resolve_typed(value, environment) if isinstance(value, str) else value
    check_port_kind(resolved, value)
    return resolved

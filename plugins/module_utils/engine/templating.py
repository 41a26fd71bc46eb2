# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Expressions in the properties of a resource, each resolved once, early or late (behaviour.md 3)."""

from __future__ import annotations

from ..data.templates import resolve_string, resolve_typed
from ..model.environment import require_environment
from ..model.errors import CCMError, InvalidResource, TemplateError
from ..model.property import DEFERRED, EAGER, NEVER
from .around import Around
from .prerequisites import require_absolute_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..model.environment import ExpressionEnvironment
    from ..model.property import Property
    from ..model.resource import Resource
    from ..model.values import Data, Value
    from .around import GoResolve
    from .context import Context


class LateExpressions(Around):
    """Resolves the late expressions of resources; with `strict` patterns of texts in lists are checked."""

    def __init__(self, *, strict: bool) -> None:
        self._strict = strict

    def resolve(self, resource: Resource, context: Context, go: GoResolve) -> Resource:
        """Return the resource with its late expressions resolved. Raises as `resolve_late` does."""
        if context.environment is None:
            return go(resource, context)
        try:
            return resolve_late(resource, context.environment, strict=self._strict)
        except CCMError as error:
            raise resource.placed(error) from None

    def outputs(self, declared: Data, context: Context) -> tuple[Data | None, bool]:
        """Return what a manifest passes on, and whether that is sensitive. Raises CCMError."""
        try:
            return _entries(declared, require_environment(context.environment), "outputs", _typed), False
        except CCMError as error:
            error.property = error.property or "outputs"
            raise


def resolve_properties(resource: Resource, environment: ExpressionEnvironment, when: str = EAGER) -> Resource:
    """Return the resource with properties of this moment resolved; itself if it has no expressions.

    Raises TemplateError with the property at fault, in the words of the original: `resolving field X: ...`.
    """
    values = vars(resource.properties)
    resolved: Data = {}
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
            resolved[prop.name] = _resolved(prop, value, environment, prop.recorded_name)
        except CCMError as error:
            error.property = error.property or prop.name
            raise
    return resource.with_properties(resolved) if resolved else resource


def resolve_late(
    resource: Resource,
    environment: ExpressionEnvironment,
    *,
    strict: bool = False,
    hide: Callable[[Resource], Resource] = lambda resolved: resolved,
) -> Resource:
    """Return the resource with its late expressions resolved, and validated as with early ones (decisions.md Q105).

    With `strict` the patterns of texts in lists are checked, as in manifests. `hide` is called with the resolved
    resource before its type sees it. Raises as `resolve_deferred`, and InvalidResource.
    """
    resolved = resolve_deferred(resource, environment, hide)
    if resolved is not resource and has_late_expressions(resource):
        resolved.type.validate_late(resolved.properties)
        require_absolute_paths(resolved, is_resolved=True)
        if strict:
            _require_patterns(resolved)
    return resolved


def resolve_deferred(
    resource: Resource,
    environment: ExpressionEnvironment,
    hide: Callable[[Resource], Resource] = lambda resolved: resolved,
) -> Resource:
    """Return the resource with its late expressions resolved. Raises as `resolve_properties`."""
    resolved = resolve_properties(resource, environment, DEFERRED)
    meta = resolved.properties.meta
    if meta:
        fields = [field.name for field in resolved.type.own_meta if field.when == DEFERRED]
        values: Data = {**vars(resolved.properties)["meta"]}
        texts: Data = {name: _text(str(values[name]), environment, name, f"meta.{name}") for name in fields}
        resolved = resolved.with_properties({"meta": {**values, **texts}} if texts else {})
    resolved = hide(resolved)
    values = resolved.type.deferred_values(resolved.properties)
    return resolved.with_properties(values) if values else resolved


def _require_patterns(resource: Resource) -> None:
    """Check late texts in lists, as `check_strictly` early ones. Raises InvalidResource."""
    values = vars(resource.properties)
    for prop in resource.type.properties:
        if prop.when == DEFERRED and prop.pattern and prop.kind == "strings":
            import re

            for number, text in enumerate(values[prop.name], 1):
                if not re.search(prop.pattern, text):
                    error = InvalidResource(
                        f"{prop.name}.{number} does not match the pattern {prop.pattern}", property=prop.name
                    )
                    error.path = (prop.name, number - 1)
                    raise error


def has_late_expressions(resource: Resource) -> bool:
    """Return whether a property of a resource is resolved only just before it is managed."""
    values = vars(resource.properties)
    texts = (str(values[prop.name]) for prop in resource.type.properties if prop.when == DEFERRED and values[prop.name])
    return any("{{" in text or "${" in text for text in texts)


def _resolved(prop: Property, value: Value, environment: ExpressionEnvironment, field: str) -> Value:
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


def _text(text: str, environment: ExpressionEnvironment, field: str, property: str = "") -> str:
    try:
        return resolve_string(text, environment)
    except CCMError as error:
        error.property = property or error.property
        raise error.prefixed(f"resolving field {field}: ") from None


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
            resolved[field.name] = value if is_literal else _resolved(field, value, environment, field.recorded_name)
        except CCMError as error:
            error.path = (prop.name, at, field.name)
            raise
    return resolved


def _port(value: Value, environment: ExpressionEnvironment) -> Value:
    from ..model.registration import check_port_kind

    resolved = resolve_typed(value, environment) if isinstance(value, str) else value
    check_port_kind(resolved, value)
    return resolved

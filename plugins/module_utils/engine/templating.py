# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Expressions in the properties of a resource, each resolved once, early or late (behaviour.md 3)."""

from __future__ import annotations

from ..model.errors import CCMError, InvalidResource
from ..model.property import DEFERRED, EAGER
from .around import Around

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
        from ..data.property_expressions import resolved_outputs

        return resolved_outputs(declared, context.environment), False


def resolve_properties(resource: Resource, environment: ExpressionEnvironment, when: str = EAGER) -> Resource:
    """Return the resource with properties of this moment resolved; itself if it has no expressions.

    Raises TemplateError with the property at fault, in the words of the original: `resolving field X: ...`.
    """
    values = vars(resource.properties)
    resolved: Data = {}
    for prop in resource.declared:
        if prop.when != when:
            continue
        value = values[prop.name]
        if not value or value is True:
            continue
        text = "".join(map(str, value)) if prop.kind == "strings" else value
        if text.__class__ is str and "{{" not in text and "${" not in text:
            continue
        resolved[prop.name] = _resolved(prop, value, environment, prop.recorded_name, prop.name)
    return resource.with_properties(resolved) if resolved else resource


def _resolved(prop: Property, value: Value, environment: ExpressionEnvironment, field: str, property: str) -> Value:
    from ..data.property_expressions import resolved_value

    try:
        return resolved_value(prop, value, environment, field)
    except CCMError as error:
        error.property = error.property or property
        raise


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
        from .prerequisites import require_absolute_paths

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
        values: Data = {**vars(resolved.properties)["meta"]}
        texts: Data = {
            field.name: _resolved(field, str(values[field.name]), environment, field.name, f"meta.{field.name}")
            for field in resolved.type.own_meta
            if field.when == DEFERRED
        }
        resolved = resolved.with_properties({"meta": {**values, **texts}} if texts else {})
    resolved = hide(resolved)
    values = resolved.type.deferred_values(resolved.properties)
    return resolved.with_properties(values) if values else resolved


def _require_patterns(resource: Resource) -> None:
    """Check late texts in lists, as `check_strictly` early ones. Raises InvalidResource."""
    values = vars(resource.properties)
    for prop in resource.type.late_properties:
        if prop.pattern and prop.kind == "strings":
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
    texts = (str(values[prop.name]) for prop in resource.type.late_properties if values[prop.name])
    return any("{{" in text or "${" in text for text in texts)

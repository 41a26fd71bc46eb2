# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks the resources of a manifest against its schema (behaviour.md 15.4).

Checked are the choices of `ensure`, the patterns of lists of texts, maps of one entry, and required and least values in
lists of objects. Rules that the type itself validates are not checked again.
"""

from __future__ import annotations

from ..model.errors import InvalidResource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.property import Property
    from ..model.values import Path
    from .declarations import Declaration


def check_strictly(declaration: Declaration, index: int) -> None:
    """Check the resource at `index` (from 0, all lists counted through) against the manifest's schema.

    Raises InvalidResource in the form of the original's schema check: the JSON pointer of the value at fault, and why.
    """
    resource = declaration.resource
    properties = resource.properties
    at = f"/ccm/resources/{index}/{resource.type.name}"
    choices = resource.type.ensure_choices
    if choices and properties.ensure not in choices:
        quoted = ", ".join(f"'{choice}'" for choice in choices)
        raise _refused(declaration, f"{at}/ensure", ("ensure",), f"value must be one of {quoted}")
    values = vars(properties)
    for prop in resource.type.properties:
        value = values[prop.name]
        if value:
            _check_value(declaration, prop, value, f"{at}/{prop.name}", (prop.name,))


def _check_value(declaration: Declaration, prop: Property, value: Any, at: str, path: Path) -> None:
    if prop.pattern and prop.kind == "strings":
        for position, item in enumerate(value):
            _check_pattern(declaration, prop, item, f"{at}/{position}", (*path, position))
    elif prop.kind == "string_maps":
        for position, entry in enumerate(value):
            if len(entry) != 1:
                raise _refused(declaration, f"{at}/{position}", (*path, position), "wants exactly one pattern: command")
    elif prop.kind == "objects":
        for position, entry in enumerate(value):
            for field in prop.fields:
                _check_field(declaration, field, entry[field.name], f"{at}/{position}", (*path, position))


def _check_field(declaration: Declaration, field: Property, value: Any, at: str, path: Path) -> None:
    if field.required and value is None:
        raise _refused(declaration, at, path, f"missing property '{field.name}'")
    if field.minimum is not None and value and value < field.minimum:
        raise _refused(
            declaration, f"{at}/{field.name}", (*path, field.name), f"got {value}, want at least {field.minimum}"
        )


def _check_pattern(declaration: Declaration, prop: Property, value: str, at: str, path: Path) -> None:
    text = prop.placeholder if "{{" in value or "${" in value else value
    if prop.when == "never":
        text = value
    import re

    if not re.search(prop.pattern, text):
        raise _refused(declaration, at, path, f"'{value}' does not match pattern '{prop.pattern}'")


def _refused(declaration: Declaration, at: str, path: Path, problem: str) -> InvalidResource:
    return InvalidResource(
        f"jsonschema validation failed: at '{at}': {problem}",
        resource=declaration.resource.reference,
        property=str(path[0]),
        position=declaration.origin.value_position(path),
    )

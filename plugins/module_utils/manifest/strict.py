# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks the resources of a manifest against its schema (behaviour.md 15.4).

Checked are the choices of `ensure`, the patterns of lists of texts, maps of one entry, and required and least values in
lists of objects. Rules that the type itself validates are not checked again.
"""

from __future__ import annotations

import re

from ..model.errors import InvalidResource
from ..model.property import NEVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator, Tuple

    from ..model.property import Property
    from ..model.resource import Resource
    from ..model.values import Path
    from .declarations import Declaration

    #: The path of a value in its resource, and why it is refused.
    Fault = Tuple[Path, str]


def check_strictly(declaration: Declaration, index: int) -> None:
    """Check the resource at `index` (from 0, all lists counted through) against the manifest's schema.

    Raises InvalidResource in the form of the original's schema check: the JSON pointer of the value at fault, and why.
    """
    resource = declaration.resource
    for path, problem in _faults(resource):
        pointer = "/".join(map(str, ("/ccm/resources", index, resource.type.name, *path)))
        raise InvalidResource(
            f"jsonschema validation failed: at '{pointer}': {problem}",
            resource=resource.reference,
            property=str(path[0]),
            position=declaration.origin.value_position(path),
        )


def _faults(resource: Resource) -> Iterator[Fault]:
    choices, values = resource.type.ensure_choices, vars(resource.properties)
    if choices and values["ensure"] not in choices:
        quoted = ", ".join(f"'{choice}'" for choice in choices)
        yield ("ensure",), f"value must be one of {quoted}"
    for prop in resource.declared:
        value = values[prop.name]
        if value and (prop.pattern or prop.kind != "strings") and prop.kind in ("strings", "string_maps", "objects"):
            for at, entry in enumerate(value):
                yield from _faults_of_entry(prop, entry, (prop.name, at))


def _faults_of_entry(prop: Property, entry: Any, path: Path) -> Iterator[Fault]:
    if prop.kind == "strings":
        is_expression = prop.when != NEVER and ("{{" in entry or "${" in entry)
        if not re.search(prop.pattern, prop.placeholder if is_expression else entry):
            yield path, f"'{entry}' does not match pattern '{prop.pattern}'"
    elif prop.kind == "string_maps" and len(entry) != 1:
        yield path, "wants exactly one pattern: command"
    for field in prop.fields if prop.kind == "objects" else ():
        value = entry[field.name]
        if field.required and value is None:
            yield path, f"missing property '{field.name}'"
        if field.minimum is not None and value and value < field.minimum:
            yield (*path, field.name), f"got {value}, want at least {field.minimum}"

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The option `refresh` of a task that says with a word how a resource is refreshed."""

from __future__ import annotations

from .argument_spec import REFRESH, refresh_options
from .written import written_boolean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.resource import Resource
    from ..model.values import Value


def refreshed_as(resource: Resource, written: Value) -> tuple[Resource, bool]:
    """Return a resource with `meta.refresh` as the option `refresh` has it, and whether to refresh the resource.

    `written` is the value of the option, not null. Raises InvalidResource for a value that the type does not have.
    """
    [option] = refresh_options(resource.type)
    value = written_boolean(option, written)
    if isinstance(value, bool):
        return resource, value
    declared = next(prop for prop in resource.type.properties if prop.name == "meta")
    meta = {field.name: field.default_value() for field in declared.fields}
    return resource.with_properties({"meta": {**meta, REFRESH: value}}), True

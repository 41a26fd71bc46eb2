# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Hide properties of a resource that may have sensitive values of other resources."""

from __future__ import annotations

from ..model.errors import ResourceFailed
from ..model.sending import HIDDEN, is_receiving, receiving

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Collection

    from ..model.event import Event
    from ..model.resource import Properties, Resource
    from ..model.values import Data, Difference


def hiding(resource: Resource, names: Collection[str], texts: Collection[str] = ()) -> Resource:
    """Return the resource with the properties of these names hidden, and with its sent values sensitive, too.

    The `texts` are sensitive values of other resources, which types of other packages must not show either.
    """
    declared = []
    meta: Data = {}
    for prop in resource.declared:
        if prop.name == "meta":
            meta = {field.name: field.default_value() for field in prop.fields}
        if prop.name in names:
            hidden = object.__new__(type(prop))
            vars(hidden).update(vars(prop), secret=True)
            prop = hidden
        declared.append(prop)
    meta.update(vars(resource.properties)["meta"] or {}, send=receiving(names, texts))
    found = resource.with_properties({"meta": meta})
    found.declared = tuple(declared)
    return found


def shown_differences(properties: Properties, differences: list[Difference]) -> list[Difference]:
    """Return differences without texts that may have a sensitive value of another resource."""
    return [_hidden(difference) for difference in differences] if is_receiving(properties) else differences


def hide_reasons(event: Event) -> None:
    """Let an event not say why a resource failed that has a sensitive value of another one."""
    if event.resource and is_receiving(event.resource.properties):
        error = ResourceFailed(f"failed: the reason is {HIDDEN}")
        event.errors, event.causes = [error.message], [error]


def _hidden(difference: Difference) -> Difference:
    if not any(isinstance(difference.get(side), str) for side in ("before", "after")):
        return difference
    headers = {key: value for key, value in difference.items() if key.endswith("_header")}
    return {**headers, "prepared": f"what changes is {HIDDEN}\n"}

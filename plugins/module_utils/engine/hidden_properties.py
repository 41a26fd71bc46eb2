# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Hide properties of a resource that may have sensitive values of other resources."""

from __future__ import annotations

from ..model.sending import receiving

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Collection

    from ..model.resource import Resource
    from ..model.values import Data


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

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The descriptions of resource types, each made once."""

from __future__ import annotations

from functools import lru_cache

from .types import TYPE_NAMES, imported, required_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.facets import TypeDescription


@lru_cache(maxsize=None)
def description(name: str) -> TypeDescription:
    """Return the description of a type for schemas, documentation and lint. Raises as `resource_type` does."""
    if name in TYPE_NAMES:
        found: TypeDescription = imported(f"{name}.facets").description()
        return found
    other: TypeDescription = imported("installed").installed_description(required_type(name))
    return other

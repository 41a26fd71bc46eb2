# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths with what a shell would expand; properties are taken as they are written (behaviour.md 6)."""

from __future__ import annotations

import re

from ..lang.templatescan import scan
from ..resources.descriptions import description

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .declared import Declared
    from .review import Review

RULE = "path"
_EXPANDED = re.compile(r"\A~|[*?]|\[[^\]]+\]")


def check_unused(review: Review, declared: Declared) -> None:
    """Note a property that means nothing beside the others of a resource."""
    unused = description(declared.type.name).unused
    name, reason = unused(declared.values) if unused else ("", "")
    if name:
        place = declared.origin.position((name,) if name in declared.own else ())
        review.warn("unused", reason, place, resource=declared.reference, property=name)


def check_paths(review: Review, declared: Declared) -> None:
    """Note patterns, and `~` at the beginning, in the paths of a resource."""
    for key in description(declared.type.name).paths:
        parts = scan(declared.text(key))
        found = _EXPANDED.search("".join(part if isinstance(part, str) else "x" for part in parts))
        if found is None:
            continue
        review.warn(
            RULE,
            f"{key} has {found.group()[0]}, which is not expanded: it is a character of the name",
            declared.origin.value_position((key,)) if key in declared.own else declared.origin.position(()),
            resource=declared.reference,
            property=key,
            advice="write the path itself, without patterns and without ~",
        )

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values that are allowed, and that nothing can meet: a run fails with them."""

from __future__ import annotations

from ..resources.descriptions import description
from .placeholders import holds_expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .declared import Declared
    from .review import Review

RULE = "value"


def check_unmet(review: Review, declared: Declared) -> None:
    """Note values of a resource, as its type describes them, that nothing can meet."""
    for name, look in description(declared.type.name).unmet.items():
        text = declared.text(name)
        if not text or holds_expression(text) or declared.ensure == "absent":
            continue
        reason, advice = look(text)
        if reason:
            review.warn(
                RULE,
                reason,
                declared.origin.value_position((name,) if name in declared.own else ()),
                resource=declared.reference,
                property=name,
                advice=advice,
            )

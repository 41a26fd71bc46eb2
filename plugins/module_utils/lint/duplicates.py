# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Resources that a manifest declares twice."""

from __future__ import annotations

from .children import is_application

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .declared import Declared
    from .review import Review

RULE = "duplicate"


def check_duplicates(review: Review, resources: list[Declared]) -> None:
    """Note resources of one type and name where control cannot choose among them; children may run twice."""
    first: dict[str, Declared] = {}
    for declared in resources:
        if not declared.name or is_application(declared) or declared.values.get("control"):
            continue
        earlier = first.setdefault(declared.reference, declared)
        place = earlier.origin.position(())
        if earlier is not declared and place is not None:
            review.warn(
                RULE,
                f"{declared.reference} is declared twice, first in line {place.line}: both run, in order",
                declared.origin.position(()),
                resource=declared.reference,
                advice="declare it once, or choose with control",
            )

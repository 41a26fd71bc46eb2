# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Words of other tools in the place of versions (decisions.md Q115)."""

from __future__ import annotations

from ..model.foreign_words import version_advice
from ..resources.descriptions import description
from .placeholders import holds_expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .declared import Declared
    from .review import Review

WORD = "word"


def check_words(review: Review, declared: Declared) -> None:
    """Note an `ensure` that a run would take as a version though it has no digit."""
    known, ensure = description(declared.type.name).version_words, declared.ensure
    if not known or not isinstance(ensure, str) or not ensure or holds_expression(ensure):
        return
    advice = version_advice(ensure, known, [prop.name for prop in declared.type.properties])
    if advice:
        place = declared.origin.value_position(("ensure",)) if "ensure" in declared.own else None
        review.warn(
            WORD,
            f'"{ensure}" is no word of ensure here: a run looks for the version {ensure}',
            place or declared.origin.position(()),
            resource=declared.reference,
            property="ensure",
            advice=advice,
        )

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Files that a manifest names and that are not beside it."""

from __future__ import annotations

import os

from ..resources.file.type import PRESENT
from ..resources.file.type import TYPE as FILE
from .standins import holds_expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.position import Position
    from .declared import Declared
    from .review import Review

RULE = "file"


def check_source(review: Review, declared: Declared) -> None:
    """Note a file's source that is not there."""
    source = declared.values.get("source")
    if declared.type is not FILE or not source or holds_expression(source) or declared.values.get("ensure") != PRESENT:
        return
    place = declared.origin.value_position(("source",))
    require_file(review, source, place, declared.reference, property="source")


def require_file(review: Review, name: str, place: Position | None, about: str, *, property: str = "") -> bool:
    """Whether there is a file of a relative name; notes one that there is not.

    What an absolute name stands for is another matter on another machine.
    """
    if name.startswith("/"):
        return False
    if os.path.exists(os.path.join(review.directory, name)):
        return True
    review.warn(
        RULE,
        f"there is no file {name} beside the manifest",
        place,
        resource=about,
        property=property,
        advice="something in the run has to bring it before it is looked at",
    )
    return False

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Registrations that are not published (behaviour.md 18)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .declared import Declared
    from .review import Review

RULE = "registration"
_PROPERTY = "register_when_stable"


def check_registrations(review: Review, declared: Declared) -> None:
    """Note that the registrations of a resource are not published without `--register`."""
    if declared.values.get(_PROPERTY):
        review.warn(
            RULE,
            f"{_PROPERTY} is published by ccm apply and ccm watch with --register only",
            declared.origin.position((_PROPERTY,) if _PROPERTY in declared.own else ()),
            resource=declared.reference,
            property=_PROPERTY,
        )

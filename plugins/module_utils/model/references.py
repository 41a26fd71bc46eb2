# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The check of references to other resources."""

from __future__ import annotations

from .common import wrong_reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable


def require_references(references: Iterable[str]) -> None:
    """Refuse an entry of `subscribe` that is not `type#name`. Raises InvalidResource."""
    for at, reference in enumerate(references):
        if reference.count("#") != 1:
            raise wrong_reference(f"invalid subscribe format {reference}", "subscribe", at, reference)

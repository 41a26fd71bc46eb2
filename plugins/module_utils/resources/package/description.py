# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The description of packages for schemas and lint."""

from __future__ import annotations

from ...model.property import Property
from ...model.type_description import TypeDescription
from .type import PURGED, WORDS

_STATE_FIELDS = (
    Property(
        "metadata",
        "object",
        required=True,
        fields=(
            Property("name", required=True, help="The name of the package, which another package may provide."),
            Property("version", required=True, help="The installed version, or absent."),
            Property("arch", help="The architecture of what is installed."),
            Property("provider", required=True, help="The provider that read the state."),
            Property("extended", "data", help="What only this package manager reports."),
        ),
    ),
)


def _ensure(value: object) -> str:
    """Return what the original does with `purged` (decisions.md Q97)."""
    return f"the original takes {PURGED} for a version" if value == PURGED else ""


def _mark(value: object) -> str:
    """Return what the original does with `mark` (decisions.md Q97)."""
    return "the original ignores mark" if value else ""


DESCRIPTION = TypeDescription(
    _STATE_FIELDS,
    required_by_original=("ensure",),
    portability={"ensure": _ensure, "mark": _mark},
    version_words=WORDS,
)

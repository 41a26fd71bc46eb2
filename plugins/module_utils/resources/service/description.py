# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The description of services for schemas and lint."""

from __future__ import annotations

from ...model.property import Property
from ...model.type_description import TypeDescription

_STATE_FIELDS = (
    Property(
        "metadata",
        "object",
        required=True,
        fields=(
            Property("name", required=True, help="The name that was asked for."),
            Property("provider", required=True, help="Who looked."),
            Property("enabled", "boolean", required=True, help="Whether it is started at boot."),
            Property("running", "boolean", required=True, help="Whether it runs."),
        ),
    ),
)


def _name(value: object) -> str:
    """Q23: units of templates."""
    is_unit = isinstance(value, str) and "@" in value and "{" not in value
    return "the original refuses names of services with @" if is_unit else ""


DESCRIPTION = TypeDescription(_STATE_FIELDS, portability={"name": _name})

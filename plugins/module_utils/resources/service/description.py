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
            Property("name", required=True, help="The name of the resource."),
            Property("provider", required=True, help="The provider that read the state."),
            Property("enabled", "boolean", required=True, help="Whether it is started at boot."),
            Property("running", "boolean", required=True, help="Whether the service is running."),
        ),
    ),
)


def _portability_of_name(value: object) -> str:
    """Return why the original refuses a name with @ (decisions.md Q23); "" for others and with an expression."""
    has_at = isinstance(value, str) and "@" in value and "{" not in value
    return "the original refuses names of services with @" if has_at else ""


DESCRIPTION = TypeDescription(_STATE_FIELDS, portability={"name": _portability_of_name})

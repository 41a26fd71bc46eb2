# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the state of a scaffold shows beside what every state has, in the order of events."""

from __future__ import annotations

from ...model.property import Property

STATE_FIELDS = (
    Property(
        "metadata",
        "object",
        required=True,
        fields=(
            Property("name", required=True, help="The name that was asked for."),
            Property("provider", required=True, help="Who looked."),
            Property("target_exists", "boolean", help="Whether the directory is there."),
            Property("changed", "strings", help="Paths of files that are to be written."),
            Property("purged", "strings", help="Paths of files that no template renders."),
            Property("stable", "strings", help="Paths of files that are as they should be."),
            Property("engine", required=True, help="The language of the templates."),
        ),
    ),
)

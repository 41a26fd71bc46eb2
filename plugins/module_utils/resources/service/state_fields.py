# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the state of a service shows beside what every state has, in the order of events."""

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
            Property("enabled", "boolean", required=True, help="Whether it is started at boot."),
            Property("running", "boolean", required=True, help="Whether it runs."),
        ),
    ),
)

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the state of a child manifest shows beside what every state has, in the order of events."""

from __future__ import annotations

from ...model.property import Property

STATE_FIELDS = (
    Property("resource_count", "integer", help="How many resources the child has."),
    Property("changed_count", "integer", help="How many of them changed."),
    Property("failed_count", "integer", help="How many of them failed."),
)

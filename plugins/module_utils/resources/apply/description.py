# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The description of child manifests for schemas and lint."""

from __future__ import annotations

from ...model.property import Property
from ...model.type_description import TypeDescription

_STATE_FIELDS = (
    Property("resource_count", "integer", help="How many resources the child has."),
    Property("changed_count", "integer", help="How many of them changed."),
    Property("failed_count", "integer", help="How many of them failed."),
)

DESCRIPTION = TypeDescription(_STATE_FIELDS)

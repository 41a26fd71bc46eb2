# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The description of packages for schemas and lint."""

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
            Property("version", required=True, help="The installed version, or absent."),
            Property("arch", help="The architecture of what is installed."),
            Property("provider", required=True, help="The provider that read the state."),
            Property("extended", "data", help="What only this package manager reports."),
        ),
    ),
)

DESCRIPTION = TypeDescription(_STATE_FIELDS, required_by_original=("ensure",))

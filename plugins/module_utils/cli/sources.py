# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The flags that give facts and data in addition to a manifest."""

from __future__ import annotations

from ..model.flags import Flag

HIERA = "CCM_HIERA_DATA"


def _fact_names(current: str) -> list[str]:
    """Return what completion proposes; only then it is imported."""
    from .completion_values import fact_names

    return fact_names(current)


GIVEN = (
    Flag("fact", "map", "Set additional facts to merge with the system facts", offered=_fact_names),
    Flag("facts", "file", "File holding additional facts to merge with the system facts"),
    Flag(
        "hiera",
        "text",
        "Hiera data file to use as overriding data source",
        env=HIERA,
        placeholder="HIERA",
        path="file",
    ),
)

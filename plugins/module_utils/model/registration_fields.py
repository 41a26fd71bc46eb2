# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The fields of a registration entry for JSON and YAML, apart from its rules: most tasks send these only."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .values import Registration, Value


def fields_of(entry: Registration) -> dict[str, Value]:
    """Return an entry for JSON and YAML, without the fields that it does not have."""
    found: dict[str, Value] = {name: entry[name] for name in ("cluster", "service", "protocol", "address")}
    if entry["port"] is not None:
        found["port"] = entry["port"]
    found["priority"] = entry["priority"]
    if entry["annotations"]:
        found["annotations"] = dict(sorted(entry["annotations"].items()))
    if entry["ttl"]:
        found["ttl"] = entry["ttl"]
    return found

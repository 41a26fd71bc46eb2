# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What completion proposes from the host: its facts."""

from __future__ import annotations

from ..data.environment import facts_of_machine
from ..model.log import Log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.values import Facts


def fact_paths(current: str) -> list[str]:
    """Return the GJSON paths of facts one step further than `current`; those with further steps end in a dot."""
    lead, _dot, _begun = current.rpartition(".")
    found: object = _facts()
    for name in lead.split(".") if lead else ():
        found = found.get(name) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        return []
    prefix = f"{lead}." if lead else ""
    plain = {key: value for key, value in found.items() if key and key.replace("_", "").replace("-", "").isalnum()}
    return [f"{prefix}{key}" + ("." if isinstance(value, dict) and value else "") for key, value in plain.items()]


def fact_names(current: str) -> list[str]:
    """Return `NAME=` for each fact; nothing for a value."""
    return [] if "=" in current else [f"{name}=" for name in _facts()]


def _facts() -> Facts:
    from .documents import ordered

    return ordered(facts_of_machine(Log())())

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""References to resources, `type#name`."""

from __future__ import annotations


def split_reference(reference: str) -> tuple[str, str]:
    """Type and name (or alias) of a reference; split at the first `#`, names may hold more (features.md 2.1)."""
    type_name, _hash, name = reference.partition("#")
    return type_name, name

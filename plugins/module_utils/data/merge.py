# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Merges one tree of data over another.

No function here changes its arguments. Results share unchanged parts with their sources: copy a result before changing
it in depth.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

    from ..model.values import Data, Value


def deep_merge(base: Data, over: Mapping[str, Value]) -> Data:
    """Return `base` with `over` merged in.

    Maps are merged key by key, lists are concatenated (base first, nothing dropped), everything else of `over` replaces
    what `base` has, null included. Keys of `base` keep their place, new ones follow; the class of the map `base` (for
    example facts that have Go's field names) is kept. Source: behaviour.md 12.2 and 16.
    """
    result = base.copy()
    for key, value in over.items():
        # Facts also answer to names that are no keys; merging uses only keys.
        if dict.__contains__(base, key):
            value = merge_values(base[key], value)
        result[key] = value
    return result


def merge_values(base: Value, over: Value) -> Value:
    """Return the merged value of two values under the same key (see `deep_merge`)."""
    if isinstance(base, dict) and isinstance(over, dict):
        return deep_merge(base, over)
    if isinstance(base, list) and isinstance(over, list):
        return base + over
    return over


def shallow_merge(base: Data, over: Data) -> Data:
    """Return `base` with its top-level keys replaced by the keys of `over` (behaviour.md 16)."""
    return {**base, **over}

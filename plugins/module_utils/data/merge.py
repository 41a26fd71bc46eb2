# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Putting one tree of data over another.

No function here changes what it is given. Results share the parts that did not change with their sources: whoever
wants to change a result in depth copies it first.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

    from ..model.values import Data, Value


def deep_merge(base: Data, over: Mapping[str, Value]) -> Data:
    """Return `base` with `over` merged in.

    Maps are merged key by key, lists are concatenated (base first, nothing dropped), everything else of `over`
    replaces what `base` has, null included. Keys of `base` keep their place, new ones follow; the kind of map that
    `base` is (facts that know Go's field names, say) is kept. Source: behaviour.md 12.2 and 16.
    """
    result = base.copy()
    for key, value in over.items():
        # Facts answer to names that are no keys; merging goes by keys.
        if dict.__contains__(base, key):
            value = merge_values(base[key], value)
        result[key] = value
    return result


def merge_values(base: Value, over: Value) -> Value:
    """Return what becomes of two values that stand under the same key (see `deep_merge`)."""
    if isinstance(base, dict) and isinstance(over, dict):
        return deep_merge(base, over)
    if isinstance(base, list) and isinstance(over, list):
        return base + over
    return over


def shallow_merge(base: Data, over: Data) -> Data:
    """Return `base` with its top-level keys replaced by those of `over` (behaviour.md 16)."""
    return {**base, **over}

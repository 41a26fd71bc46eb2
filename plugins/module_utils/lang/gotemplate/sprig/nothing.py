# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Lists and maps that were never made: nil, though they have a type."""

from __future__ import annotations

from ...go.kinds import StringList
from ...go.values import NilList, NilMap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class NilStringList(StringList):
    """A list of texts that is nil: empty, and ``null`` in JSON."""

    __slots__ = ()


def was_never_made(value: Any) -> bool:
    """Return whether ``value`` is a list or map of nil."""
    return isinstance(value, (NilList, NilMap, NilStringList))

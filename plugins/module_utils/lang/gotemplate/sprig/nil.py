# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Typed nil lists and maps."""

from __future__ import annotations

from ...go.kinds import StringList
from ...go.values import NilList, NilMap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class NilStringList(StringList):
    """A list of texts that is nil: empty, and ``null`` in JSON."""

    __slots__ = ()


def is_typed_nil(value: Any) -> bool:
    """Return whether ``value`` is a nil list or a nil map."""
    return isinstance(value, (NilList, NilMap, NilStringList))

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The type of values in documents; only mypy reads this file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping, Sequence, Union

    #: What YAML and JSON can hold.
    Value = Union[None, bool, int, float, str, bytes, Sequence["Value"], Mapping[str, "Value"]]

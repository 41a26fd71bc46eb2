# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The types of values as YAML and JSON have them; only mypy reads this file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Mapping, Sequence, Union

    Value = Union[None, bool, int, float, str, Sequence["Value"], Mapping[str, "Value"]]
    #: A mapping that is being put together.
    Data = Dict[str, Value]

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of the kernel's parameters."""

from __future__ import annotations

from ....host.kernel_parameters import kernel_parameter
from ..kind import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..kind import Snapshot
    from ..rule import Rule


def _examine(rule: Rule, snapshot: Snapshot) -> None:
    rule.must("value", lambda: kernel_parameter(rule.about))


KIND = Kind("KernelParam", {"value": "matcher"}, _examine, subject="name", required=("value",))

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What is said when we are to end while a package manager is at work, which would leave packages in pieces."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...model.log import Log


def notice(program: str, log: Log) -> Callable[[], None]:
    """What to call then."""
    return lambda: log.warn(f"Interrupted, waiting for {program} to end")

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether something is at a path that a property names."""

from __future__ import annotations

import os

from ..host.errors import HostError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.log import Log


def exists(path: str, log: Log) -> bool:
    """Return whether something is at a path, links followed; a warning says why that cannot be seen."""
    if os.path.exists(path):
        return True
    from ..host.looking import inspect

    try:
        return inspect(path) is not None
    except HostError as error:
        log.warn(f"Cannot look at {path}: {error}")
    return False

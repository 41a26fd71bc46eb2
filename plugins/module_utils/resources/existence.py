# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether the path in a property exists."""

from __future__ import annotations

import os

from ..host.errors import HostError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.log import Log


def exists(path: str, log: Log) -> bool:
    """Return whether a path exists, links followed; log a warning when that cannot be checked."""
    if os.path.exists(path):
        return True
    from ..host.reading import inspect

    try:
        return inspect(path) is not None
    except HostError as error:
        log.warn(f"Cannot read {path}: {error}")
    return False

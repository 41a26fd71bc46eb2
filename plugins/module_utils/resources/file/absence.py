# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What is said of a path where nothing is, or nothing can be seen (behaviour.md 7.1)."""

from __future__ import annotations

import errno

from .type import ABSENT, FileState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.errors import HostError
    from ...model.log import Log

_NO_TIME = "0001-01-01T00:00:00Z"


def absent_state(path: str, provider: str) -> FileState:
    """The state of a file that is not there, as the provider of that name saw it."""
    metadata = {"name": path, "owner": "", "group": "", "mode": "", "provider": provider, "mtime": _NO_TIME}
    return FileState(path, ABSENT, {"metadata": metadata})


def tolerate(error: HostError, path: str, log: Log) -> None:
    """Take a path below a file, or in a closed directory, for absent, with a warning; raises all other errors."""
    if error.denied:
        log.warn(f"Permission denied for file {path}: {error}")
    elif error.errno == errno.ENOTDIR:
        log.warn(f"There can be no file {path}: {error}")
    else:
        raise error

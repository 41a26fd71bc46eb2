# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a file may be put in the place of."""

from __future__ import annotations

import errno
import os

from .errors import HostError
from .reading import irregular


class NotRegular(HostError):
    """A file was to be put in the place of a device, a directory, a named pipe or a socket."""


def require_replaceable(mode: int, path: str) -> None:
    """Raise NotRegular unless a file may replace what has this mode, as `st_mode` has it (decisions.md Q87)."""
    kind = irregular(mode)
    if kind:
        raise NotRegular(f"{path} exists as {kind}; cannot replace it by a file", path=path, errno=errno.EINVAL)


def require_output(path: str) -> None:
    """Raise NotRegular when a device, a directory, a named pipe or a socket is at `path`, perhaps behind links.

    The same for a link such as /dev/stdout, which programs would miss.
    """
    try:
        if os.path.islink(path) and os.readlink(path).startswith("/proc/"):
            raise NotRegular(f"{path} is a link of the system; cannot replace it by a file", path=path)
        require_replaceable(os.stat(path).st_mode, path)
    except (OSError, ValueError):
        return  # writing reports why

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Where programs are found (behaviour.md 2.7, Q3)."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

PATH = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/usr/local/sbin"


def find_program(name: str, path: str = "") -> str:
    """Return the file that `name` would run, "" when there is none; see `commands.run` for `path`.

    A name with a slash is returned unchanged and not checked. Raises CommandNotFound for a program that is only in an
    empty or relative entry of PATH, that is in the current directory.
    """
    if path and is_program(path):
        return path
    if "/" in name:
        return name
    return _search(name, path)


def missing(names: Sequence[str]) -> list[str]:
    """Return the programs that have no file."""
    return [name for name in names if not find_program(name)]


def _search(name: str, path: str) -> str:
    for entry in (path or os.environ.get("PATH", "")).split(":"):
        if path and is_program(entry):
            return entry
        candidate = f"{entry or '.'}/{name}"
        if is_program(candidate):
            if not entry.startswith("/"):
                from .command_errors import CommandNotFound

                reason = "cannot run executable found relative to current directory"
                raise CommandNotFound(f'exec: "{name}": {reason}', [name], path=candidate)
            return candidate
    return ""


def is_program(path: str) -> bool:
    """Return whether a path is an executable file."""
    try:
        executable = os.access(path, os.X_OK, effective_ids=os.access in os.supports_effective_ids)
        return executable and not os.path.isdir(path)
    except ValueError:
        return False

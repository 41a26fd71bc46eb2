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

    A name with a slash stands for itself and is not looked at. Raises CommandNotFound for a program that only an empty
    or relative entry of PATH offers, that is one from the current directory.
    """
    if path and is_program(path):
        return path
    if "/" in name:
        return name
    return _search(name, path)


def missing(names: Sequence[str]) -> list[str]:
    """Return those programs of which there is no file."""
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
    """Return whether a path is that of a file that may be executed."""
    try:
        executable = os.access(path, os.X_OK, effective_ids=os.access in os.supports_effective_ids)
        return executable and not os.path.isdir(path)
    except ValueError:
        return False

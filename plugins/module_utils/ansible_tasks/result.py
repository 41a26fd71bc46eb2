# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The result of a module: values that any JSON writer takes, and the log lines of the task."""

from __future__ import annotations

from ..model.log import ERROR, LEVELS, WARN, Log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.log import Fields

_MAX_DEPTH = 200


def plain(value: Any, depth: int = 0) -> Any:
    """Return the value as dict, list, str, int, float, bool and None.

    Text that UTF-8 cannot hold is written with `\\x`.

    Values nested deeper than 200 levels become three dots.
    """
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, (dict, list, tuple)) and depth >= _MAX_DEPTH:
        return "..."
    if isinstance(value, dict):
        return {_text(str(key)): plain(entry, depth + 1) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry, depth + 1) for entry in value]
    return _text(value if isinstance(value, str) else str(value))


def _text(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _shown(text: str) -> str:
    from ..lang.controls import escaped

    return escaped(text, "\t\n")


class TaskLog(Log):
    """Keeps what users should read in `lines`, and of that what they should check in `warnings`.

    A warning is shown on a terminal, so characters that control one are escaped in it (decisions.md Q113).
    """

    levels = LEVELS[1:]

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.warnings: list[str] = []

    def write(self, level: str, message: str, fields: Fields) -> None:
        """Keep one line."""
        if level not in self.levels:
            return
        text = message + "".join(f" {key}={value}" for key, value in fields)
        self.lines.append(text)
        if level in (WARN, ERROR):
            self.warnings.append(text if text.isprintable() else _shown(text))

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values that any JSON writer takes, for what a module hands back."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DEEPEST = 200


def plain(value: Any, depth: int = 0) -> Any:
    """The value as dict, list, str, int, float, bool and None; text that UTF-8 cannot hold is written with `\\x`.

    What lies deeper than 200 levels becomes three dots.
    """
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, (dict, list, tuple)) and depth >= _DEEPEST:
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

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the functions on texts share: how a value looks as text, and cutting texts by their bytes."""

from __future__ import annotations

from ...go.fmt import GoFormatError, sprint
from ...go.values import decoded, encoded
from ..function import CallError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Longest text that a function makes out of shorter ones, in characters.
MAX_TEXT = 1 << 26


def shown(value: Any) -> str:
    """Return ``value`` as ``%v`` shows it. Raises CallError for a value that is nested too deeply."""
    try:
        return sprint(value)
    except GoFormatError as error:
        raise CallError(str(error)) from None


def text_of(value: Any) -> str:
    """Return ``value`` as text: bytes are the text that they encode, anything else looks as ``%v`` shows it."""
    if isinstance(value, str):
        return value
    return decoded(value) if isinstance(value, bytes) else shown(value)


def texts_of(value: Any) -> list[str]:
    """Return the entries of a list that are not nil as texts; anything else that is not nil as the only one."""
    if value is None:
        return []
    if isinstance(value, (list, tuple, bytes)):
        return [text_of(item) for item in value if item is not None]
    return [text_of(value)]


def byte_slice(text: str, start: int | None, end: int | None) -> str:
    """Return the bytes of ``text`` from ``start`` (None: the first) to before ``end`` (None: the last).

    Raises CallError in the words of Go's runtime when they are not inside the text.
    """
    data = encoded(text)
    size = len(data)
    first, last = start or 0, size if end is None else end
    if not 0 <= last <= size:
        detail = "" if last < 0 else f" with length {size}"
        raise CallError(f"runtime error: slice bounds out of range [:{last}]{detail}")
    if not 0 <= first <= last:
        shown_end = "" if first < 0 else last
        raise CallError(f"runtime error: slice bounds out of range [{first}:{shown_end}]")
    return decoded(data[first:last])


def repeated(text: str, count: int) -> str:
    """Return ``text`` ``count`` times. Raises CallError for a negative count or a result that is too long."""
    if count < 0:
        raise CallError("strings: negative Repeat count")
    check_size(len(text) * count)
    return text * count


def check_size(size: int) -> None:
    """Raise CallError when ``size`` characters are too many for a result."""
    if size > MAX_TEXT:
        raise CallError(f"a text of {size} characters is too long: {MAX_TEXT} are the most")

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The flags of one directive of ``printf``."""

from __future__ import annotations

_NAMES = {"#": "sharp", "0": "zero", "+": "plus", "-": "minus", " ": "space"}


class Flags:
    """Flags, width and precision (None where there is none); ``go_syntax`` is ``%#v``, ``erroring`` inside ``%!``."""

    __slots__ = ("erroring", "go_syntax", "minus", "plus", "precision", "sharp", "space", "width", "zero")

    def __init__(self) -> None:
        self.sharp = self.zero = self.plus = self.minus = self.space = False
        self.go_syntax = self.erroring = False
        self.width: int | None = None
        self.precision: int | None = None

    def read(self, layout: str, at: int) -> int:
        """Take the flags at an offset of ``layout``; return the offset behind them."""
        while layout[at : at + 1] in _NAMES:
            setattr(self, _NAMES[layout[at]], True)
            at += 1
        return at

    def for_value(self) -> None:
        """Give ``#`` and ``+`` the meaning that they have with ``%v``."""
        self.go_syntax, self.sharp, self.plus = self.sharp, False, False

    def cut(self, text: str) -> str:
        """Return ``text`` cut to the precision."""
        return text if self.precision is None else text[: self.precision]

    def pad(self, text: str, zero: bool | None = None) -> str:
        """Return ``text`` filled up to the width; ``zero`` overrules the flag."""
        missing = (self.width or 0) - len(text)
        if missing <= 0:
            return text
        if self.minus:
            return text + " " * missing
        return ("0" if (self.zero if zero is None else zero) else " ") * missing + text

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors in a JSON text, in the words of Go's ``encoding/json``."""

from __future__ import annotations

from .quoting import quote
from .values import encoded

_DIGITS = "0123456789"
_SPACES = b" \t\r\n"
_MAX_DEPTH = 10000


class _Fault(Exception):
    pass


def fault_in(text: str) -> str:
    """Return why ``text`` is no JSON; an empty text when nothing is wrong with it."""
    try:
        _Scanner(encoded(text)).scan()
    except _Fault as fault:
        return str(fault)
    return ""


class _Scanner:
    """Walks over a text byte by byte; ``open`` are the brackets it is inside of."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.open: list[str] = []

    def scan(self) -> None:
        self.value()
        while True:
            char = self.skip(at_end=not self.open)
            if not self.open:
                if char:
                    self.refuse("after top-level value")
                return
            if self.open[-1] == "[":
                self.after_element(char)
            else:
                self.after_pair(char)

    def value(self) -> None:
        """Pass a scalar, or opening brackets with what follows them up to the first scalar inside."""
        char = self.skip()
        while char in "{[":
            self.at += 1
            self.open.append(char)
            if len(self.open) > _MAX_DEPTH:
                raise _Fault("exceeded max depth")
            if self.skip() == ("}" if char == "{" else "]"):
                self.close()
                return
            if char == "{":
                self.key()
            char = self.skip()
        if char == '"':
            self.string()
        elif char in "-0123456789":
            self.number()
        elif char in "tfn":
            self.word({"t": "true", "f": "false", "n": "null"}[char])
        else:
            self.refuse("looking for beginning of value")

    def key(self) -> None:
        """Pass a key and its colon."""
        if self.skip() != '"':
            self.refuse("looking for beginning of object key string")
        self.string()
        if self.skip() != ":":
            self.refuse("after object key")
        self.at += 1

    def after_element(self, char: str) -> None:
        if char == "]":
            self.close()
            return
        if char != ",":
            self.refuse("after array element")
        self.at += 1
        self.value()

    def after_pair(self, char: str) -> None:
        if char == "}":
            self.close()
            return
        if char != ",":
            self.refuse("after object key:value pair")
        self.at += 1
        self.key()
        self.value()

    def close(self) -> None:
        self.at += 1
        self.open.pop()

    def string(self) -> None:
        self.at += 1
        while True:
            self.check_end()
            char = self.peek()
            if char == '"':
                break
            if char < " ":
                self.refuse("in string literal")
            self.at += 1
            if char == "\\":
                self.escape()
        self.at += 1

    def escape(self) -> None:
        char = self.peek()
        if char not in 'bfnrt\\/"u':
            self.refuse("in string escape code")
        self.at += 1
        if char == "u":
            for _digit in range(4):
                if self.peek() not in "0123456789abcdefABCDEF":
                    self.refuse("in \\u hexadecimal character escape")
                self.at += 1

    def number(self) -> None:
        if self.peek() == "-":
            self.at += 1
            if self.peek() not in _DIGITS:
                self.refuse("in numeric literal")
        if self.peek() == "0":
            self.at += 1
        else:
            self.digits()
        if self.data[self.at : self.at + 1] == b".":
            self.at += 1
            if self.peek() not in _DIGITS:
                self.refuse("after decimal point in numeric literal")
            self.digits()
        if self.data[self.at : self.at + 1] in (b"e", b"E"):
            self.at += 1
            if self.peek() in "+-":
                self.at += 1
            if self.peek() not in _DIGITS:
                self.refuse("in exponent of numeric literal")
            self.digits()

    def digits(self) -> None:
        while self.data[self.at : self.at + 1].isdigit():
            self.at += 1

    def word(self, word: str) -> None:
        for char in word:
            if self.peek() != char:
                self.refuse(f"in literal {word} (expecting '{char}')")
            self.at += 1

    def skip(self, at_end: bool = False) -> str:
        """Pass blanks and return the next byte as a letter; an empty text at the end when it may be there."""
        while self.data[self.at : self.at + 1] and self.data[self.at] in _SPACES:
            self.at += 1
        if at_end and self.at == len(self.data):
            return ""
        self.check_end()
        return self.peek()

    def check_end(self) -> None:
        if self.at == len(self.data):
            raise _Fault("unexpected end of JSON input")

    def peek(self) -> str:
        """Return the next byte as a letter; the end looks like a blank, as Go has it."""
        return chr(self.data[self.at]) if self.at < len(self.data) else " "

    def refuse(self, where: str) -> None:
        char = self.peek()
        special = {"'": "'\\''", '"': "'\"'"}.get(char)
        raise _Fault(f"invalid character {special or chr(39) + quote(char)[1:-1] + chr(39)} {where}")

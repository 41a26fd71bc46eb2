# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A template's text cut into tokens."""

from __future__ import annotations

from ..go.quoting import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Tuple

    #: Kind, offset, text.
    Token = Tuple[str, int, str]

SPACES = " \t\r\n"
_SPACE = tuple(SPACES)
KEYWORDS = {"block", "break", "continue", "define", "else", "end", "if", "range", "nil", "template", "with"}
#: What may follow a name.
_AFTER_NAME = SPACES + ".,|:()"
_DIGITS = "0123456789_"
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" + _DIGITS)
_BASES = {"x": "0123456789abcdefABCDEF_", "o": "01234567_", "b": "01_"}


class _Bad(Exception):
    """What the last token says when the text cannot be cut any further."""


def tokens(text: str, left: str = "{{", right: str = "}}") -> list[Token]:
    """Return the tokens of ``text``; the last one is ``eof`` or ``error``.

    Kinds: text, left, right, space, bool, char (any other character), character (``'x'``), complex, number, string,
    raw, dot, field, variable, identifier, ``=``, ``:=``, ``|``, ``(``, ``)``, and the keywords by themselves.
    """
    return _Lexer(text, left, right).run()


class _Lexer:
    def __init__(self, text: str, left: str, right: str) -> None:
        self.source = text
        self.left = left
        self.right = right
        self.at = 0
        self.start = 0
        self.found: list[Token] = []

    def run(self) -> list[Token]:
        try:
            while self._text():
                self._action()
        except _Bad as bad:
            self.found.append(("error", self.start, str(bad)))
        return self.found

    def _emit(self, kind: str) -> None:
        start = self.start
        self.found.append((kind, start, self.source[start : self.at]))
        self.start = self.at

    def _text(self) -> bool:
        """Read text and comments up to an action and its left delimiter; return whether there is one."""
        source, left = self.source, self.left
        while True:
            at = source.find(left, self.at)
            if at < 0:
                self.at = len(source)
                if self.at > self.start:
                    self._emit("text")
                self._emit("eof")
                return False
            inside = at + len(left)
            trims = source.startswith("-", inside) and source[inside + 1 : inside + 2] in _SPACE
            self.at = at
            if trims:
                self.at = self.start + len(source[self.start : at].rstrip(SPACES))
            if self.at > self.start:
                self._emit("text")
            self.start, self.at = at, inside
            body = inside + 2 if trims else inside
            if not source.startswith("/*", body):
                self._emit("left")
                self.start = self.at = body
                return True
            self._comment(body)

    def _comment(self, at: int) -> None:
        source = self.source
        self.start = at
        end = source.find("*/", at + 2)
        if end < 0:
            raise _Bad("unclosed comment")
        self.at = end + 2
        size = self._closing()
        if not size:
            raise _Bad("comment ends before closing delimiter")
        self._close(size)

    def _closing(self) -> int:
        """Return how long the right delimiter here is with its trim marker, 0 where there is none."""
        source, at = self.source, self.at
        if source.startswith("-" + self.right, at + 1) and source[at] in SPACES:
            return len(self.right) + 2
        return len(self.right) if source.startswith(self.right, at) else 0

    def _close(self, size: int) -> None:
        """Step over a right delimiter of ``size``, and over the space after it that a trim marker takes away."""
        self.at += size
        if size > len(self.right):
            source, at = self.source, self.at
            while source[at : at + 1] in _SPACE:
                at += 1
            self.at = at
        self.start = self.at

    def _action(self) -> None:
        """Read the tokens of an action, the right delimiter included."""
        source, end = self.source, len(self.source)
        readers, right = _READERS, self.right[:1]
        depth = 0
        while True:
            char = source[self.at : self.at + 1]
            if char == right or char in _SPACE:
                size = self._closing()
                if size:
                    if depth:
                        raise _Bad("unclosed left paren")
                    self.found.append(("right", self.at, self.right))
                    self._close(size)
                    return
            if self.at >= end:
                raise _Bad("unclosed action")
            self.at += 1
            reader = readers.get(char)
            if reader is not None:
                reader(self)
            elif char in _WORD or _is_word(char):
                self._identifier()
            elif char == "(":
                depth += 1
                self._emit("(")
            elif char == ")":
                depth -= 1
                if depth < 0:
                    raise _Bad("unexpected right paren")
                self._emit(")")
            elif " " <= char <= "~":
                self._emit("char")
            else:
                raise _Bad("unrecognized character in action: " + _named(char))

    def _space(self) -> None:
        source = self.source
        while source[self.at : self.at + 1] in _SPACE:
            self.at += 1
        if self.at - self.start > 1 and source.startswith("-" + self.right, self.at):
            self.at -= 1
        self._emit("space")

    def _word(self) -> None:
        """Step over letters, digits and underscores, and see that what follows may follow a name."""
        source, end = self.source, len(self.source)
        at = self.at
        while at < end and (source[at] in _WORD or _is_word(source[at])):
            at += 1
        self.at = at
        if at < end and source[at] not in _AFTER_NAME and not source.startswith(self.right, at):
            raise _Bad("bad character " + _named(source[at]))

    def _identifier(self) -> None:
        self._word()
        word = self.source[self.start : self.at]
        if word in KEYWORDS:
            self._emit(word)
        else:
            self._emit("bool" if word in ("true", "false") else "identifier")

    def _variable(self) -> None:
        self._word()
        self._emit("variable")

    def _field(self) -> None:
        following = self.source[self.at : self.at + 1]
        if not following or "0" <= following <= "9":
            self._number()
            return
        self._word()
        self._emit("dot" if self.at == self.start + 1 else "field")

    def _declare(self) -> None:
        if not self.source.startswith("=", self.at):
            raise _Bad("expected :=")
        self.at += 1
        self._emit(":=")

    def _quoted(self) -> None:
        """Read a string or character that is in the quotes which it begins with."""
        source, at = self.source, self.at
        mark = source[self.start]
        while source[at : at + 1] != mark:
            if source.startswith("\\", at):
                at += 1
            if source[at : at + 1] in ("", "\n"):
                raise _Bad("unterminated " + ("quoted string" if mark == '"' else "character constant"))
            at += 1
        self.at = at + 1
        self._emit("string" if mark == '"' else "character")

    def _raw(self) -> None:
        end = self.source.find("`", self.at)
        if end < 0:
            raise _Bad("unterminated raw quoted string")
        self.at = end + 1
        self._emit("raw")

    def _number(self) -> None:
        self.at = self.start
        good = self._digits()
        kind = "number"
        if good and self.source[self.at : self.at + 1] in ("+", "-"):
            good = self._digits() and self.source[self.at - 1] == "i"
            kind = "complex"
        if not good:
            raise _Bad("bad number syntax: " + quote(self.source[self.start : self.at]))
        self._emit(kind)

    def _accept(self, valid: str) -> bool:
        if self.at < len(self.source) and self.source[self.at] in valid:
            self.at += 1
            return True
        return False

    def _digits(self) -> bool:
        """Step over one number with its sign; return whether it ends where a number may."""
        self._accept("+-")
        digits = _DIGITS
        if self._accept("0") and self._accept("xXoObB"):
            digits = _BASES[self.source[self.at - 1].lower()]
        self._run(digits)
        if self._accept("."):
            self._run(digits)
        if self._accept({_DIGITS: "eE", _BASES["x"]: "pP"}.get(digits, "")):
            self._accept("+-")
            self._run(_DIGITS)
        self._accept("i")
        if self.at < len(self.source) and _is_word(self.source[self.at]):
            self.at += 1
            return False
        return True

    def _run(self, valid: str) -> None:
        while self._accept(valid):
            pass

    def _assign(self) -> None:
        self._emit("=")

    def _pipe(self) -> None:
        self._emit("|")


_READERS = {
    **dict.fromkeys(SPACES, _Lexer._space),
    **dict.fromkeys("+-0123456789", _Lexer._number),
    "=": _Lexer._assign,
    "|": _Lexer._pipe,
    ":": _Lexer._declare,
    '"': _Lexer._quoted,
    "'": _Lexer._quoted,
    "`": _Lexer._raw,
    "$": _Lexer._variable,
    ".": _Lexer._field,
}


def _is_word(char: str) -> bool:
    """Return whether Go takes ``char`` for a letter, a digit or the underscore."""
    if char.isascii():
        return char in _WORD
    from unicodedata import category

    found = category(char)
    return found[0] == "L" or found == "Nd"


def _named(char: str) -> str:
    """Return a character as Go's ``%#U``: ``U+0021 '!'``."""
    if "\udc80" <= char <= "\udcff":
        char = "\ufffd"
    return f"U+{ord(char):04X}" + (f" '{char}'" if char.isprintable() else "")

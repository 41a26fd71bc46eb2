# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Template text to tokens: text between actions as it is, actions in pieces, comments left out."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Container, Tuple

    #: (kind, text, line); the text of LEFT and READY is that of the whole action, for LEFT only if it is on one line
    Token = Tuple[str, str, int]

ERROR = "error"
EOF = "eof"
TEXT = "text"
LEFT = "left delimiter"
READY = "ready"
RIGHT = "right delimiter"
SPACE = "space"
IDENTIFIER = "identifier"
FIELD = "field"
UNDERSCORE = "_"
BOOL = "bool"
NUMBER = "number"
CHARACTER = "character"
STRING = "string"
RAW = "raw string"
OTHER = "other"
AND = "and"
OR = "or"
NOT = "not"
ASSIGN = "="

#: Words with a meaning of their own. Their tokens are of the kind of their name.
KEYWORDS = frozenset(
    (
        *("extends", "import", "include", "block", "end", "yield", "content", "if", "else", "range", "try", "catch"),
        *("return", "and", "or", "not", "nil", "msg", "trans"),
    )
)

#: The comment marks, whatever the delimiters are.
_COMMENT, _COMMENT_END = "{*", "*}"
_BLANKS = " \t\r\n"
_SYMBOLS = {
    **{symbol: symbol for symbol in ",;*/%-+?<>:|[]()=_"},
    "<=": "<=",
    ">=": ">=",
    "!=": "!=",
    "==": "==",
    "!": NOT,
    ":=": ASSIGN,
    "||": OR,
    "&&": AND,
}
#: What may stand before a sign that is an operator; after anything else ``-1`` is a number.
_BEFORE_OPERATOR = frozenset(("+", "-", NUMBER, IDENTIFIER, STRING, RAW, CHARACTER, BOOL, FIELD, OTHER, "trans"))
#: What may follow a name, the first character of the right delimiter apart.
_AFTER_NAME = frozenset(_BLANKS + ".,|:)=(;?[]+-/%*&!<>")
_PIECE = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    |(?P<word>\.?\w+)
    |(?P<string>"(?:[^"\\\n]|\\[^\n])*")
    |(?P<raw>`[^`]*`)
    |(?P<character>'(?:[^'\\\n]|\\[^\n])*')
    |(?P<symbol>&&|\|\||[<>!=:]=|[,;*/%\-+?<>!=:|\[\]()])""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]*(?:\.[0-9a-fA-F]*)?|[0-9]*(?:\.[0-9]*)?)(?:[eE][+-]?[0-9]*)?i?")
_UNTERMINATED = {'"': "unterminated quoted string", "`": "unterminated raw quoted string"}


class _Stop(Exception):
    """Text that is no token; the reason."""


def tokenize(text: str, left: str, right: str, known: Container[str] = ()) -> list[Token]:
    """Return the tokens of a template. The last one is EOF, or an ERROR where the text is no token any more.

    An action whose text is ``known`` is one token, READY.
    """
    scanner = _Scanner(text, left, right, known)
    try:
        scanner.run()
    except _Stop as stop:
        scanner.emit(ERROR, str(stop))
    return scanner.tokens


class _Scanner:
    def __init__(self, text: str, left: str, right: str, known: Container[str]) -> None:
        self.text = text
        self.left = left
        self.right = right
        self.trimmed_right = " -" + right
        self.tokens: list[Token] = []
        self.start = 0
        self.line = 1
        self.counted = 0
        self.known = known
        self.opened = -1  # index of the last LEFT
        self.inside = 0  # where its action begins

    def emit(self, kind: str, text: str) -> None:
        """Add a token that begins at ``start``."""
        self.line += self.text.count("\n", self.counted, self.start)
        self.counted = self.start
        self.tokens.append((kind, text, self.line))

    def emit_to(self, kind: str, end: int) -> None:
        """Add the token from ``start`` to ``end``."""
        self.emit(kind, self.text[self.start : end])

    def run(self) -> None:
        """Scan text up to an action or a comment, that, and so on to the end."""
        text, left = self.text, self.left
        at = 0
        while True:
            mark = self.next_mark(at)
            if mark < 0:
                break
            if text.startswith(left, mark):
                at = self.action(mark)
            elif text.startswith(_COMMENT, mark):
                at = self.comment(mark)
            else:
                at = mark + 1
        if len(text) > self.start:
            self.emit(TEXT, text[self.start :])
        self.start = len(text)
        self.emit(EOF, "")

    def next_mark(self, at: int) -> int:
        """Return where the next action or comment may begin; comments behind the last such place are plain text."""
        opener = self.text.find(self.left[0], at)
        comment = self.text.find(_COMMENT[0], at)
        return comment if -1 < comment < opener else opener

    def comment(self, mark: int) -> int:
        if mark > self.start:
            self.emit(TEXT, self.text[self.start : mark])
        end = self.text.find(_COMMENT_END, mark + 2)
        self.start = mark
        if end < 0:
            raise _Stop("unclosed comment")
        self.start = end + 2
        return self.start

    def action(self, mark: int) -> int:
        text = self.text
        self.inside = inside = mark + len(self.left)
        trims = text.startswith("- ", inside)
        before = text[self.start : mark]
        if trims:
            before = before.rstrip(_BLANKS)
        if before:
            self.emit(TEXT, before)
        self.start = mark
        end = text.find(self.right, inside)
        inner = text[inside:end] if end > 0 else ""
        if inner in self.known:
            self.emit(READY, inner)
            self.start = end + len(self.right)
            return self.trimmed(self.start) if inner.endswith(" -") else self.start
        self.opened = len(self.tokens)
        self.emit(LEFT, "")
        self.start = at = inside + (2 if trims else 0)
        depth = 0
        while True:
            trims = text.startswith(self.trimmed_right, at)
            if trims or text.startswith(self.right, at):
                if depth:
                    raise _Stop("unclosed left parenthesis")
                return self.close(at, trims)
            count = len(self.tokens)
            at, closed = self.piece(at)
            if closed:
                return at
            if count == len(self.tokens):
                continue
            kind = self.tokens[-1][0]
            if kind == "(":
                depth += 1
            elif kind == ")":
                depth -= 1
                if depth < 0:
                    raise _Stop("unexpected right paren U+0029 ')'")
            self.start = at

    def close(self, at: int, trims: bool) -> int:
        if trims:
            at += 2
        self.start = at
        self.emit(RIGHT, self.right)
        kind, _text, line = self.tokens[self.opened]
        if line == self.line:
            self.tokens[self.opened] = (kind, self.text[self.inside : at], line)
        self.start = at + len(self.right)
        return self.trimmed(self.start) if trims else self.start

    def trimmed(self, at: int) -> int:
        """Skip the blanks behind an action."""
        while at < len(self.text) and self.text[at] in _BLANKS:
            at += 1
        self.start = at
        return at

    def piece(self, at: int) -> tuple[int, bool]:
        """Add the token at ``at``; return where it ends, and whether the action ended with it."""
        text = self.text
        found = _PIECE.match(text, at)
        if found is None:
            return self.odd(at), False
        kind = found.lastgroup
        end = found.end()
        if kind == "space":
            if text.startswith(self.trimmed_right, end - 1):
                end -= 1
                if end == at + 1:
                    return self.close(end, True), True
            self.emit_to(SPACE, end)
        elif kind == "word":
            end = self.word(at, end)
        elif kind == "symbol":
            end = self.symbol(at, found.group())
        else:
            self.emit_to({"string": STRING, "raw": RAW}.get(str(kind), CHARACTER), end)
        return end, False

    def symbol(self, at: int, symbol: str) -> int:
        if symbol in "+-" and "0" <= self.text[at + 1 : at + 2] <= "9" and self.tokens[-1][0] not in _BEFORE_OPERATOR:
            return self.number(at)
        self.emit(_SYMBOLS[symbol], symbol)
        return at + len(symbol)

    def number(self, at: int) -> int:
        found = _NUMBER.match(self.text, at)
        end = found.end() if found else at
        follower = self.text[end : end + 1]
        if _is_word(follower):
            raise _Stop("bad number syntax: " + _quoted(self.text[at : end + 1]))
        self.emit_to(NUMBER, end)
        return end

    def word(self, at: int, end: int) -> int:
        text = self.text
        first = text[at]
        if first == ".":
            if "0" <= text[at + 1] <= "9":
                return self.number(at)
        elif "0" <= first <= "9":
            return self.number(at)
        word = text[at:end]
        if not word.isascii():
            end = at + 1
            while _is_word(text[end : end + 1]):
                end += 1
            word = text[at:end]
            if not _is_word(first) and first != ".":
                raise _Stop("unrecognized character in action: " + _named(first))
            if word == ".":
                raise _Stop("bad character " + _named(text[end]))
        if word == "_":
            self.emit_to(UNDERSCORE, end)
            return end
        self.check_after_name(end)
        if first == "." and self.start < at:
            raise _Stop("unrecognized character in action: " + _named(text[self.start]))
        word = text[self.start : end]
        if first == ".":
            self.emit(FIELD, word)
        elif word in KEYWORDS:
            self.emit(word, word)
        else:
            self.emit(BOOL if word in ("true", "false") else IDENTIFIER, word)
        return end

    def check_after_name(self, end: int) -> None:
        follower = self.text[end : end + 1]
        if follower and follower not in _AFTER_NAME and follower != self.right[0]:
            raise _Stop("bad character " + _named(follower))

    def odd(self, at: int) -> int:
        """Add the token of a character with which no ordinary piece begins."""
        char = self.text[at : at + 1]
        if not char:
            raise _Stop("unclosed action")
        if char == ".":
            self.check_after_name(at + 1)
            self.emit(IDENTIFIER, char)
        elif char == "&":
            return at + 1  # belongs to whatever comes next
        elif char == "'":
            raise _Stop("unterminated character constant")
        elif char in _UNTERMINATED:
            raise _Stop(_UNTERMINATED[char])
        elif " " <= char <= "~":
            self.emit(OTHER, char)
        else:
            raise _Stop("unrecognized character in action: " + _named(char))
        return at + 1


def _is_word(char: str) -> bool:
    return char == "_" or char.isalpha() or char.isdecimal()


def _quoted(text: str) -> str:
    from ..gofmt import quote

    return quote(text)


def _named(char: str) -> str:
    """Return a character as ``U+0040 '@'``."""
    return f"U+{ord(char):04X} '{char}'" if char.isprintable() else f"U+{ord(char):04X}"

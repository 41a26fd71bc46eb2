# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Template text to tokens: text between actions as it is, actions in pieces, comments left out."""

from __future__ import annotations

import re

from ..go.quoting import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Container, Tuple

    #: (kind, text, line); LEFT and READY have the text of the whole action, LEFT only if it is on one line. Blanks in
    #: actions are no tokens.
    Token = Tuple[str, str, int]

ERROR = "error"
EOF = "eof"
TEXT = "text"
LEFT = "left delimiter"
READY = "ready"
RIGHT = "right delimiter"
IDENTIFIER = "identifier"
FIELD = "field"
LOOSE_FIELD = "field behind blanks"
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

#: The comment marks, for all delimiters.
_COMMENT, _COMMENT_END = "{*", "*}"
_BLANKS = " \t\r\n"
_SYMBOLS = {
    **{symbol: symbol for symbol in ",;*/%-+?<>:|[]()="},
    "<=": "<=",
    ">=": ">=",
    "!=": "!=",
    "==": "==",
    "!": NOT,
    ":=": ASSIGN,
    "||": OR,
    "&&": AND,
}
#: What may be before a sign that is an operator; after anything else ``-1`` is a number.
_BEFORE_OPERATOR = frozenset(
    ("+", "-", NUMBER, IDENTIFIER, STRING, RAW, CHARACTER, BOOL, FIELD, LOOSE_FIELD, OTHER, "trans")
)
#: What may follow a name, the first character of the right delimiter apart.
_AFTER_NAME = frozenset(_BLANKS + ".,|:)=(;?[]+-/%*&!<>")
#: What the names of most languages are made of; there are further letters and digits.
_NAME = frozenset("_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
#: What makes a number more than its digits.
_BEYOND_DIGITS = frozenset(".xXeEi")
_PAIRS = frozenset(symbol for symbol in _SYMBOLS if len(symbol) == 2)
_QUOTED = {'"': STRING, "`": RAW, "'": CHARACTER}
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
        self.rights = (self.trimmed_right, right)
        self.tokens: list[Token] = []
        self.start = 0
        self.line = 1
        self.newline = _newline(text, 0)  # the next line end that is not counted yet
        self.known = known
        self.opened = -1  # index of the last LEFT
        self.inside = 0  # where its action begins
        self.loose = False  # whether blanks are before the next token of an action

    def emit(self, kind: str, text: str) -> None:
        """Add a token that begins at ``start``."""
        if self.start > self.newline:
            self.count_lines()
        self.tokens.append((kind, text, self.line))

    def emit_to(self, kind: str, end: int) -> None:
        """Add the token from ``start`` to ``end``."""
        self.emit(kind, self.text[self.start : end])

    def count_lines(self) -> None:
        self.line += self.text.count("\n", self.newline, self.start)
        self.newline = _newline(self.text, self.start)

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
        self.start = inside + (2 if trims else 0)
        return self.pieces(self.start)

    def pieces(self, at: int) -> int:
        """Add the tokens of an action from ``at`` to its right delimiter; return where the text behind it begins."""
        text, rights = self.text, self.rights
        self.loose = False
        depth = 0
        while not text.startswith(rights, at):
            if text[at : at + 1] in _BLANKS and at < len(text):
                begin, at = at, self.blanks(at + 1)
                if at == begin + 1 and text.startswith(self.trimmed_right, at):
                    depth = 0  # open parentheses are forgotten then, as in Jet
                continue
            count = len(self.tokens)
            at = self.piece(at)
            if count == len(self.tokens):
                continue
            last = self.tokens[-1][0]
            if last == "(":
                depth += 1
            elif last == ")":
                depth -= 1
                if depth < 0:
                    raise _Stop("unexpected right paren U+0029 ')'")
            self.start = at
            self.loose = False
        if depth:
            raise _Stop("unclosed left parenthesis")
        return self.close(at, text.startswith(self.trimmed_right, at))

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

    def blanks(self, end: int) -> int:
        """Skip the blanks up to ``end`` and behind it; the last one may belong to the right delimiter."""
        text = self.text
        self.loose = True
        while text[end : end + 1] in _BLANKS and end < len(text):
            end += 1
        if text.startswith(self.trimmed_right, end - 1):
            end -= 1
        self.start = end
        return end

    def piece(self, at: int) -> int:
        """Add the token at ``at``; return where it ends."""
        text = self.text
        char = text[at : at + 1]
        if char in _NAME or char == "." or char > "\x7f":
            return self.word(at)
        if text[at : at + 2] in _PAIRS:
            self.emit(_SYMBOLS[text[at : at + 2]], text[at : at + 2])
            return at + 2
        if char in _SYMBOLS:
            return self.symbol(at, char)
        end = self.closing(at, char) if char in _QUOTED else 0
        if not end:
            return self.odd(at)
        self.emit_to(_QUOTED[char], end)
        return end

    def closing(self, at: int, mark: str) -> int:
        """Return where the quoted text at ``at`` ends, 0 where it does not."""
        text = self.text
        end = text.find(mark, at + 1)
        if mark == "`":
            return end + 1
        while end > 0:
            if "\n" in text[at:end]:
                return 0
            if not (end - len(text[at:end].rstrip("\\")) - at) % 2:
                return end + 1
            end = text.find(mark, end + 1)
        return 0

    def symbol(self, at: int, symbol: str) -> int:
        if symbol in "+-" and "0" <= self.text[at + 1 : at + 2] <= "9" and self.may_begin_number():
            return self.number(at)
        self.emit(_SYMBOLS[symbol], symbol)
        return at + 1

    def may_begin_number(self) -> bool:
        """Return whether a sign at this place is no operator."""
        return self.loose or self.tokens[-1][0] not in _BEFORE_OPERATOR

    def number(self, at: int) -> int:
        text = self.text
        end = at
        while "0" <= text[end : end + 1] <= "9":
            end += 1
        if end == at or text[end : end + 1] in _BEYOND_DIGITS:
            end = _end_of_number(text, at)
        if _is_word(text[end : end + 1]):
            raise _Stop("bad number syntax: " + _quoted(text[at : end + 1]))
        self.emit_to(NUMBER, end)
        return end

    def word(self, at: int) -> int:
        """Add a name, a field, a number or ``_``."""
        text = self.text
        first = text[at]
        end = at + 1
        if "0" <= first <= "9" or (first == "." and "0" <= text[end : end + 1] <= "9"):
            return self.number(at)
        if first == "." and not _is_word(text[end : end + 1]):
            return self.odd(at)
        if first > "\x7f" and not _is_word(first):
            return self.odd(at)
        while text[end : end + 1] in _NAME or _is_word(text[end : end + 1]):
            end += 1
        word = text[self.start : end]
        if first == "_" and end == at + 1:
            self.emit(UNDERSCORE, word)
            return end
        self.check_after_name(end)
        if first == ".":
            if self.start < at:
                raise _Stop("unrecognized character in action: " + _named(text[self.start]))
            self.emit(LOOSE_FIELD if self.loose else FIELD, word)
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
            return at + 1  # belongs to what comes next
        elif char == "'":
            raise _Stop("unterminated character constant")
        elif char in _UNTERMINATED:
            raise _Stop(_UNTERMINATED[char])
        elif " " <= char <= "~":
            self.emit(OTHER, char)
        else:
            raise _Stop("unrecognized character in action: " + _named(char))
        return at + 1


def _end_of_number(text: str, at: int) -> int:
    """Return where the number ends that begins at ``at`` with a sign or a point, or is more than its digits."""
    number = r"[+-]?(?:0[xX][0-9a-fA-F]*(?:\.[0-9a-fA-F]*)?|[0-9]*(?:\.[0-9]*)?)(?:[eE][+-]?[0-9]*)?i?"
    found = re.compile(number).match(text, at)
    return found.end() if found else at


def _newline(text: str, at: int) -> int:
    """Return where the next line ends, or the text."""
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def _is_word(char: str) -> bool:
    return char == "_" or char.isalpha() or char.isdecimal()


def _quoted(text: str) -> str:
    return quote(text)


def _named(char: str) -> str:
    """Return a character as ``U+0040 '@'``."""
    return f"U+{ord(char):04X} '{char}'" if char.isprintable() else f"U+{ord(char):04X}"

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""From a regular expression in RE2's syntax to its tree, with the errors of Go's `regexp/syntax`."""

from __future__ import annotations

from . import charclass, errors, tree
from .escapes import check_text, read_char, read_class, read_escape, read_set_escape
from .tree import Node
from .unicode_tables import orbit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .charclass import CharSet

#: Flags `(?imsU)`.
_FOLD, _MULTI_LINE, _DOT_ALL, _UNGREEDY = 1, 2, 4, 8
_FLAGS = {"i": _FOLD, "m": _MULTI_LINE, "s": _DOT_ALL, "U": _UNGREEDY}

#: Go's limits for the height of a tree and for counted repetitions.
MAX_HEIGHT = 1000
MAX_REPEAT = 1000
#: The most instructions a program may have. Go allows 3,355,443: too much for an interpreter's memory.
MAX_SIZE = 100_000
#: The most entries that the character sets of one expression may have together.
MAX_SET_ENTRIES = 1_000_000

_DIGITS = frozenset("0123456789")
_NAME_CHARS = frozenset("0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_SPECIAL = frozenset("\\.+*?()|[]{}^$")
_PLACES = {"A": tree.BEGIN_TEXT, "z": tree.END_TEXT, "b": tree.WORD_BOUNDARY, "B": tree.NO_WORD_BOUNDARY}


class Parsed:
    """An expression understood: its tree and the names of its groups, "" for the whole and for groups without one."""

    def __init__(self, root: Node, names: list[str]) -> None:
        self.root = root
        self.names = names


class _Group:
    """A group that is still open: its finished branches, the items of the current one, the flags to go back to."""

    def __init__(self, flags: int, index: int) -> None:
        self.flags = flags
        self.index = index
        self.branches: list[Node] = []
        self.items: list[Node] = []

    def close(self) -> Node:
        return tree.choice([*self.branches, tree.sequence(self.items)])


def parse(pattern: str) -> Parsed:
    """Parse `pattern`. Raises RegexpError with Go's text for a pattern that Go rejects or that is too large."""
    return _Parser(pattern).run()


class _Parser:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.pos = 0
        self.flags = 0
        self.names = [""]
        self.groups = [_Group(0, 0)]
        self.set_entries = 0
        #: Where the repetition began that was read just now, -1 if something else was.
        self.last_repeat = -1

    def run(self) -> Parsed:
        pattern = self.pattern
        while self.pos < len(pattern):
            char = pattern[self.pos]
            if char in "*+?{" and self._repetition(char):
                continue
            self.last_repeat = -1
            reader = _READERS.get(char)
            if reader is None:
                self._literal(ord(read_char(pattern, self.pos)))
                self.pos += 1
            else:
                reader(self)
        if len(self.groups) > 1:
            raise errors.RegexpError(errors.MISSING_PAREN, pattern)
        root = self.groups[0].close()
        self._check(root)
        return Parsed(root, self.names)

    def _push(self, node: Node) -> None:
        self._check(node)
        self.groups[-1].items.append(node)

    def _check(self, node: Node) -> None:
        if node.height > MAX_HEIGHT:
            raise errors.RegexpError(errors.NESTS_TOO_DEEPLY, self.pattern)
        if node.size > MAX_SIZE or self.set_entries > MAX_SET_ENTRIES:
            raise errors.RegexpError(errors.TOO_LARGE, self.pattern)

    def _literal(self, code: int) -> None:
        if self.flags & _FOLD:
            chars = charclass.from_runs((other, other) for other in orbit(code))
            self.groups[-1].items.append(tree.Literal([chars], True))
        else:
            self.groups[-1].items.append(tree.Literal([(code, code + 1)], False))

    def _set(self, chars: CharSet) -> None:
        self.set_entries += len(chars)
        self._push(tree.Chars(chars))

    # Each of the following reads one thing at self.pos and moves beyond it.

    def _any(self) -> None:
        self._push(tree.Chars(charclass.ANY if self.flags & _DOT_ALL else charclass.ANY_BUT_NEWLINE))
        self.pos += 1

    def _begin(self) -> None:
        self._push(tree.Assert(tree.BEGIN_LINE if self.flags & _MULTI_LINE else tree.BEGIN_TEXT))
        self.pos += 1

    def _end(self) -> None:
        self._push(tree.Assert(tree.END_LINE if self.flags & _MULTI_LINE else tree.END_TEXT))
        self.pos += 1

    def _bar(self) -> None:
        group = self.groups[-1]
        branch = tree.sequence(group.items)
        self._check(branch)
        group.branches.append(branch)
        group.items = []
        self.pos += 1

    def _close(self) -> None:
        if len(self.groups) == 1:
            raise errors.RegexpError(errors.UNEXPECTED_PAREN, self.pattern)
        group = self.groups.pop()
        node = group.close()
        self._check(node)
        self.flags = group.flags
        self._push(tree.Capture(node, group.index) if group.index else node)
        self.pos += 1

    def _class(self) -> None:
        chars, self.pos = read_class(self.pattern, self.pos, bool(self.flags & _FOLD))
        self._set(chars)

    def _backslash(self) -> None:
        letter = self.pattern[self.pos + 1 : self.pos + 2]
        if letter in _PLACES:
            self._push(tree.Assert(_PLACES[letter]))
            self.pos += 2
        elif letter == "C":
            raise errors.RegexpError(errors.INVALID_ESCAPE, "\\C")
        elif letter == "Q":
            self._quotation()
        else:
            found = read_set_escape(self.pattern, self.pos, bool(self.flags & _FOLD))
            if found is not None:
                chars, self.pos = found
                self._set(chars)
            else:
                code, self.pos = read_escape(self.pattern, self.pos)
                self._literal(code)

    def _quotation(self) -> None:
        end = self.pattern.find("\\E", self.pos + 2)
        stop = len(self.pattern) if end < 0 else end
        for pos in range(self.pos + 2, stop):
            self._literal(ord(read_char(self.pattern, pos)))
        self.pos = stop if end < 0 else end + 2

    def _open(self) -> None:
        pattern, start = self.pattern, self.pos
        if not pattern.startswith("(?", start):
            self._open_capture("", start + 1)
            return
        for lead in ("(?P<", "(?<"):
            if pattern.startswith(lead, start) and len(pattern) > start + len(lead):
                self._open_named(start, start + len(lead))
                return
        self._open_flags()

    def _open_capture(self, name: str, pos: int) -> None:
        self.groups.append(_Group(self.flags, len(self.names)))
        self.names.append(name)
        self.pos = pos

    def _open_named(self, start: int, name_start: int) -> None:
        end = self.pattern.find(">", start)
        if end < 0:
            check_text(self.pattern[start:])
            raise errors.RegexpError(errors.INVALID_NAMED_CAPTURE, self.pattern[start:])
        name = self.pattern[name_start:end]
        check_text(name)
        if not name or not _NAME_CHARS.issuperset(name):
            raise errors.RegexpError(errors.INVALID_NAMED_CAPTURE, self.pattern[start : end + 1])
        self._open_capture(name, end + 1)

    def _open_flags(self) -> None:
        """`(?i)`, `(?i-s:` and `(?:`."""
        pattern, pos, flags = self.pattern, self.pos + 2, self.flags
        clearing = seen = False
        while pos < len(pattern):
            char = read_char(pattern, pos)
            pos += 1
            if char in _FLAGS:
                flags = flags & ~_FLAGS[char] if clearing else flags | _FLAGS[char]
                seen = True
            elif char == "-" and not clearing:
                clearing, seen = True, False
            elif char in ":)" and (seen or not clearing):
                if char == ":":
                    self.groups.append(_Group(self.flags, 0))
                self.flags = flags
                self.pos = pos
                return
            else:
                break
        raise errors.RegexpError(errors.INVALID_PERL_SYNTAX, pattern[self.pos : pos])

    def _repetition(self, operator: str) -> bool:
        """`*`, `+`, `?` or `{n,m}`, each perhaps with `?` behind; False if the brace is an ordinary character."""
        pattern, start = self.pattern, self.pos
        counted = operator == "{"
        if counted:
            count = _read_count(pattern, start)
            if count is None:
                return False
            least, most, pos = count
            if least > MAX_REPEAT or most > MAX_REPEAT or 0 <= most < least:
                raise errors.RegexpError(errors.INVALID_REPEAT_COUNT, pattern[start:pos])
        else:
            least, most, pos = int(operator == "+"), 1 if operator == "?" else -1, start + 1
        greedy = not self.flags & _UNGREEDY
        if pattern[pos : pos + 1] == "?":
            greedy = not greedy
            pos += 1
        if self.last_repeat >= 0:
            raise errors.RegexpError(errors.INVALID_REPEAT_OPERATOR, pattern[self.last_repeat : pos])
        items = self.groups[-1].items
        if not items:
            raise errors.RegexpError(errors.MISSING_REPEAT_ARGUMENT, pattern[start:pos])
        node = tree.Repeat(items[-1], least, most, greedy, counted)
        if node.copies > MAX_REPEAT:
            raise errors.RegexpError(errors.INVALID_REPEAT_COUNT, pattern[start:pos])
        self._check(node)
        items[-1] = node
        self.last_repeat = start
        self.pos = pos
        return True


def _read_count(pattern: str, start: int) -> tuple[int, int, int] | None:
    """`{n}`, `{n,}` or `{n,m}` at `start` as (n, m or -1, position after it); None if it is none of them."""
    least = _read_number(pattern, start + 1)
    if least is None:
        return None
    low, pos = least
    high = low
    if pattern[pos : pos + 1] == ",":
        pos += 1
        if pattern[pos : pos + 1] == "}":
            high = -1
        else:
            most = _read_number(pattern, pos)
            if most is None:
                return None
            high, pos = most
    return (low, high, pos + 1) if pattern[pos : pos + 1] == "}" else None


def _read_number(pattern: str, start: int) -> tuple[int, int] | None:
    """Decimal digits without leading zeros; a number too long for any use comes back as MAX_REPEAT + 1."""
    pos = start
    while pos < len(pattern) and pattern[pos] in _DIGITS:
        pos += 1
    if pos == start or (pattern[start] == "0" and pos > start + 1):
        return None
    return int(pattern[start:pos]) if pos - start < 9 else MAX_REPEAT + 1, pos


_READERS = {
    "(": _Parser._open,
    ")": _Parser._close,
    "[": _Parser._class,
    "\\": _Parser._backslash,
    "^": _Parser._begin,
    "$": _Parser._end,
    ".": _Parser._any,
    "|": _Parser._bar,
}


def quote_meta(text: str) -> str:
    """Return the text with a backslash before every character that means something in an expression (Go's
    QuoteMeta).
    """
    return "".join("\\" + char if char in _SPECIAL else char for char in text)

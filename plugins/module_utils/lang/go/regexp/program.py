# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Regular expressions as Go has them: RE2's syntax, Go's errors, time linear in the text.

Use this for expressions that users supply: no pattern makes it slow the way it can make `re` slow.
Positions are indices of Python strings.
"""

from __future__ import annotations

from .backward import Backward
from .compiler import CHAR, MATCH, SPLIT, compile_code
from .errors import RegexpError
from .forward import Forward
from .parser import parse, quote_meta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, List, Tuple, Union

    from .compiler import Code

    Span = Tuple[int, int]
    Match = Tuple[Span, ...]
    #: Literal text, the number of a group, or the name of one in a list of one.
    Template = List[Union[str, int, Tuple[str]]]

__all__ = ["Regexp", "RegexpError", "compile_regexp", "quote_meta"]

#: Compiled programs to keep.
MAX_CACHED = 64

_NO_SPAN = (-1, -1)

_cache: dict[str, Regexp] = {}


def compile_regexp(pattern: str) -> Regexp:
    """Return the program for `pattern`, from a small cache if it was compiled before.

    Raises RegexpError (Go's text) for an expression that is wrong, nested too deeply or too large.
    """
    found = _cache.get(pattern)
    if found is None:
        found = Regexp(pattern)
        if len(_cache) >= MAX_CACHED:
            _cache.pop(next(iter(_cache)), None)
        _cache[pattern] = found
    return found


class Regexp:
    """A compiled expression; get one from `compile_regexp`.

    `group_names` has a name for the whole ("") and for every group, "" if it has none; `group_count` counts the groups.
    A match is a tuple of (start, end) for the whole and for every group, (-1, -1) for a group that took no part.
    """

    def __init__(self, pattern: str) -> None:
        parsed = parse(pattern)
        code = compile_code(parsed, groups=False)
        self.pattern = pattern
        self.group_names = tuple(parsed.names)
        self.group_count = len(parsed.names) - 1
        self.forward = Forward(code)
        self._parsed = parsed
        self._backward: Backward | None = None
        #: Text that every match begins with, and whether that is all there is to a match.
        self.prefix, complete = _literal_prefix(code)
        self._literal = complete and not self.group_count

    def search(self, text: str) -> bool:
        """Return whether there is a match anywhere in the text (Go's MatchString)."""
        if self._literal:
            return self.prefix in text
        start = text.find(self.prefix) if self.prefix else 0
        return start >= 0 and self.forward.find_end(text, start, any_match=True) >= 0

    def find(self, text: str, start: int = 0) -> Match | None:
        """Return the leftmost match that begins at `start` or later.

        The text before `start` counts for `^` and `\\b`.
        """
        if self.prefix:
            start = text.find(self.prefix, start)
            if start < 0:
                return None
            if self._literal:
                return ((start, start + len(self.prefix)),)
        end = self.forward.find_end(text, start)
        if end < 0:
            return None
        if not self.group_count:
            return ((self.backward.find_start(text, start, end), end),)
        slots = self.backward.find_groups(text, start, end)
        spans = [_NO_SPAN] * (self.group_count + 1)
        for slot, pos in slots.items():
            if not slot & 1:
                spans[slot >> 1] = (pos, slots[slot + 1])
        return tuple(spans)

    @property
    def backward(self) -> Backward:
        """The automaton for begins and groups of matches, made when it is first needed."""
        if self._backward is None:
            code = compile_code(self._parsed, groups=True) if self.group_count else self.forward.code
            self._backward = Backward(code)
        return self._backward

    def find_all(self, text: str, n: int = -1) -> list[Match]:
        """Successive matches, at most `n` unless negative (Go's FindAllStringSubmatchIndex).

        An empty match right behind the match before it does not count.
        """
        found: list[Match] = []
        pos, previous_end = 0, -1
        while pos <= len(text) and (n < 0 or len(found) < n):
            match = self.find(text, pos)
            if match is None:
                break
            start, end = match[0]
            if end != pos or start != previous_end:
                found.append(match)
            pos = end if end > pos else pos + 1
            previous_end = end
        return found

    def replace_all(self, text: str, template: str, literal: bool = False) -> str:
        """Return the text with every match replaced (Go's ReplaceAllString, or ReplaceAllLiteralString if `literal`).

        In a template `$1`, `${1}`, `$name` and `${name}` mean groups, `$$` for a dollar sign; a group that does
        not exist or took no part is empty.
        """
        parts: Template = [template] if literal else _read_template(template)
        out: list[str] = []
        last = 0
        for match in self._replaceable(text):
            start, end = match[0]
            out.append(text[last:start])
            if end > last or start == 0:
                out += self._expand(parts, text, match)
            last = end
        out.append(text[last:])
        return "".join(out)

    def split(self, text: str, n: int) -> list[str]:
        """Return the texts between the matches: at most `n` parts, all if negative, none for 0 (Go's Regexp.Split)."""
        if n == 0:
            return []
        if self.pattern and not text:
            return [""]
        parts: list[str] = []
        begin = end = 0
        for match in self.find_all(text, n):
            if 0 < n <= len(parts) + 1:
                break
            end, following = match[0]
            if following != 0:
                parts.append(text[begin:end])
            begin = following
        if end != len(text):
            parts.append(text[begin:])
        return parts

    def _replaceable(self, text: str) -> Iterator[Match]:
        """Successive matches, those included that `find_all` leaves out."""
        pos = 0
        while pos <= len(text):
            match = self.find(text, pos)
            if match is None:
                return
            yield match
            pos = max(pos + 1, match[0][1])

    def _expand(self, parts: Template, text: str, match: Match) -> list[str]:
        out: list[str] = []
        for part in parts:
            if isinstance(part, str):
                out.append(part)
                continue
            if isinstance(part, int):
                numbers = [part] if part < len(match) else []
            else:
                numbers = [i for i, name in enumerate(self.group_names) if name == part[0]]
            for number in numbers:
                start, end = match[number]
                if start >= 0:
                    out.append(text[start:end])
                    break
        return out


def _literal_prefix(code: Code) -> tuple[str, bool]:
    """Text that every match begins with, and whether nothing follows it."""
    chars: list[str] = []
    pc = code.start
    while True:
        operation = code.ops[pc]
        if operation == CHAR:
            chars_set = code.sets[code.args[pc]]
            if len(chars_set) != 2 or chars_set[0] + 1 != chars_set[1]:
                break
            chars.append(chr(chars_set[0]))
        elif operation != SPLIT or code.args[pc] >= 0 or code.outs[pc] < 0:
            break
        pc = code.outs[pc]
    return "".join(chars), code.ops[pc] == MATCH


def _read_template(template: str) -> Template:
    """Return a replacement as text and references."""
    parts: Template = []
    pos = 0
    while True:
        dollar = template.find("$", pos)
        if dollar < 0:
            parts.append(template[pos:])
            return parts
        parts.append(template[pos:dollar])
        pos = dollar + 1
        if template.startswith("$", pos):
            parts.append("$")
            pos += 1
            continue
        name, pos = _read_reference(template, pos)
        if not name:
            parts.append("$")
        elif name.isascii() and name.isdecimal() and len(name) < 10 and (name == "0" or name[0] != "0"):
            parts.append(int(name))
        else:
            parts.append((name,))


def _read_reference(template: str, pos: int) -> tuple[str, int]:
    """Return the name at `pos`, perhaps in braces, and where it ends; an empty name if there is none."""
    braces = template.startswith("{", pos)
    start = end = pos + 1 if braces else pos
    while end < len(template) and (template[end].isalpha() or template[end].isdecimal() or template[end] == "_"):
        end += 1
    if start == end or (braces and not template.startswith("}", end)):
        return "", pos
    return template[start:end], end + 1 if braces else end

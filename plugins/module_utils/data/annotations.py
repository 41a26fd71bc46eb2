# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Comments with rules for data: `# @require` and `# @validate <expression>` at a key (behaviour.md 16).

A comment belongs to the key on the same line, or to the key on the next line that is neither comment nor blank. A
comment indented deeper than that next line belongs to the key above it with the same indentation, as in the original.
"""

from __future__ import annotations

from ..model.errors import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Tuple

    from ..model.values import ParsedDocument, Value

    Path = Tuple[str, ...]

# Keys with one of these are put in quotes in the name of a rule, which then finds no value, as in the original.
_SPECIAL = frozenset("$*.[]")


class Rule:
    """What one key of the data has to satisfy.

    `key` is its name with those above it, joined by dots; `required` requires a value, `validation` is an expression or
    "". `position` is the key's place.
    """

    __slots__ = ("key", "position", "required", "validation")

    def __init__(
        self, key: str, required: bool = False, validation: str = "", position: Position | None = None
    ) -> None:
        self.key = key
        self.required = required
        self.validation = validation
        self.position = position


def find_rules(document: ParsedDocument, data_key: str = "data") -> tuple[list[Rule], list[tuple[str, str]]]:
    """Return the rules for the base section of a parsed document, in its order, and unknown annotations.

    The latter are pairs of key and annotation, for a warning each. Keys in lists, in overrides and in JSON have none.
    """
    rules: dict[str, Rule] = {}
    unknown: list[tuple[str, str]] = []
    if "@" in document.text and "#" in document.text:
        for key, annotation, line, column in _annotated(document, data_key):
            rule = rules.setdefault(key, Rule(key, position=Position(document.name, line, column)))
            if annotation in ("@require", "@required"):
                rule.required = True
            elif annotation.startswith("@validate "):
                rule.validation = annotation[len("@validate ") :].strip()
            else:
                unknown.append((key, annotation))
    return [rule for rule in rules.values() if rule.required or rule.validation], unknown


class _Key:
    """A key of the base section, and its place, counted from 0."""

    __slots__ = ("column", "line", "name", "value_line")

    def __init__(self, name: str, line: int, column: int, value_line: int) -> None:
        self.name = name
        self.line = line
        self.column = column
        self.value_line = value_line


def _annotated(document: ParsedDocument, data_key: str) -> Iterator[tuple[str, str, int, int]]:
    """Yield the key's name, annotation, and the key's line and column, for each annotation of the base section."""
    lines = document.lines
    keys = sorted(_keys(document, (data_key,)), key=lambda key: (key.line, key.column))
    starting = {key.line: key for key in keys if _indent(lines[key.line]) == key.column}
    for key in keys:
        if key.value_line != key.line:
            starting.setdefault(key.value_line, key)
    content = _scalar_lines(lines)
    key_lines = [key.line for key in keys]
    block = None
    for number, line in enumerate(lines):
        if number in content or "#" not in line:
            continue
        alone = line.lstrip().startswith("#")
        owner = starting.get(number)
        if alone:
            if block is None or number > block.following:
                block = _Block(lines, number, keys, key_lines)
            owner = block.owner(number, starting)
        annotation = (line.lstrip()[1:] if alone else _comment_of(line)).strip()
        if not annotation.startswith("@"):
            continue
        if owner is not None and "[" not in owner.name:
            yield owner.name, annotation, owner.line + 1, owner.column + 1


def _keys(document: ParsedDocument, path: Path, depth: int = 0) -> Iterator[_Key]:
    section: Value = document.value
    for step in path:
        section = section.get(step) if isinstance(section, dict) else None
    if not isinstance(section, dict) or depth > 200:
        return
    for key, value in section.items():
        below = (*path, key)
        place = document.position(below)
        if place is None:
            continue
        of_value = None if isinstance(value, (dict, list)) else document.value_position(below)
        name = ".".join(f"'{part}'" if _SPECIAL.intersection(part) else part for part in below[1:])
        yield _Key(name, place[0] - 1, place[1] - 1, (of_value or place)[0] - 1)
        if isinstance(value, dict):
            yield from _keys(document, below, depth + 1)


def _indent(line: str) -> int:
    """Return how far a line's text is from its beginning; the mark of an explicit key counts as blank."""
    text = line.lstrip(" ")
    if text.startswith("? "):
        text = text[1:].lstrip(" ")
    return len(line) - len(text)


class _Block:
    """The comments between two lines of content, queried in their order.

    They belong to the second line, but those at their beginning that are indented deeper than it, like a key above,
    belong to that key. Comments indented like the entries of a list above belong to it.
    """

    def __init__(self, lines: list[str], number: int, keys: list[_Key], key_lines: list[int]) -> None:
        self._lines = lines
        self._keys = keys
        self._key_lines = key_lines
        self._before = _content(lines, number, -1)
        self.following = _content(lines, number, 1)
        self._indent = _indent(lines[self.following]) if self.following < len(lines) else -1
        # Once a comment belongs to what follows, so do those below it.
        self._hangs_above = self._before < 0 or self._indent <= _indent(lines[self._before])

    def owner(self, number: int, starting: dict[int, _Key]) -> _Key | None:
        """Return the key that the comment on a line belongs to."""
        own = _indent(self._lines[number])
        level = None
        if self._hangs_above and own > self._indent:
            level = self._level(number, own)
        self._hangs_above = level is not None
        if self._before >= 0 and own > self._indent and self._lines[self._before].startswith("- ", own):
            return None
        return level or starting.get(self.following)

    def _level(self, number: int, column: int) -> _Key | None:
        """Return the key above a line with the same indentation, with nothing less deep between them."""
        from bisect import bisect_left

        for at in range(bisect_left(self._key_lines, number) - 1, -1, -1):
            key = self._keys[at]
            if key.column <= column:
                return key if key.column == column else None
        return None


def _content(lines: list[str], number: int, step: int) -> int:
    """Return the next line in a direction that is neither blank nor a comment.

    One beyond the end where there is none.
    """
    number += step
    while 0 <= number < len(lines) and lines[number].lstrip()[:1] in ("", "#"):
        number += step
    return number


def _scalar_lines(lines: list[str]) -> set[int]:
    """Return the lines that are inside block texts (`key: |`), where nothing is a comment."""
    inside: set[int] = set()
    parent = -1
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip(" "))
        if parent >= 0 and (indent > parent or not line.strip()):
            inside.add(number)
            continue
        parent = _block_parent(line)
    return inside


def _block_parent(line: str) -> int:
    """Return the indentation of the entry whose block text begins on this line, or -1."""
    head = _comment_start(line)
    words = line[: len(line) if head < 0 else head].split()
    if not words or words[-1][0] not in "|>" or not set(words[-1][1:]).issubset("+-123456789"):
        return -1
    indent = len(line) - len(line.lstrip(" "))
    # The entry of a list holds its first key: `- key: |`.
    while line.startswith("- ", indent) and len(words) > 2:
        indent += 1 + len(line[indent + 1 :]) - len(line[indent + 1 :].lstrip(" "))
        words = words[1:]
    return indent


def _comment_start(line: str) -> int:
    """Return the position of ` #` in a line without quotes in it, or -1."""
    places = [place for place in (line.find(" #"), line.find("\t#")) if place >= 0]
    return min(places, default=-1)


def _comment_of(line: str) -> str:
    """Return the comment after a key, with its value or without, or after a value; "" for none.

    A list or map in brackets and a quoted text have to end on the line.
    """
    quote = ""
    depth = 0
    index = 0
    while index < len(line):
        char = line[index]
        if quote:
            if line.startswith("\\" if quote == '"' else "''", index):
                index += 1
            elif char == quote:
                quote = ""
        elif char == "#" and line[index - 1 : index] in (" ", "\t"):
            return "" if depth else line[index + 1 :]
        elif char in "\"'" and line[:index].rstrip()[-1:] in ("", ":", ",", "[", "{", "?", "-"):
            quote = char
        elif char in "[{" and (depth or line[:index].rstrip()[-1:] in (":", "-", "")):
            depth += 1
        elif char in "]}" and depth:
            depth -= 1
        index += 1
    return ""

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""JSON over several lines as GJSON's ``@pretty`` lays it out: a list of simple values that fits stays on one line."""

from __future__ import annotations

from .parsing import parse
from .result import Result

_WIDTH = 80


class _Layout:
    __slots__ = ("indent", "prefix", "sort", "width")

    def __init__(self, argument: str) -> None:
        self.width, self.prefix, self.indent, self.sort = _WIDTH, "", "  ", False
        options = parse(argument)
        if options.kind != "object":
            return
        for key, _written, value in options.items():
            if key == "sortKeys":
                self.sort = value.truth()
            elif key == "indent":
                self.indent = _blanks(value.string)
            elif key == "prefix":
                self.prefix = _blanks(value.string)
            elif key == "width":
                number = value.lookup_value() if value.kind == "number" else 0
                self.width = int(number) if number - number == 0 else 0

    def write(self, node: Result, level: int, column: int) -> str:
        """Return ``node`` laid out; it begins ``column`` bytes after the last newline."""
        if node.kind not in ("object", "array"):
            return node.raw
        is_list = node.kind == "array"
        if is_list and self.width > 0 and self.width - column > 3:
            line = self.line(node)
            if line is not None and len(line.encode("utf-8", "replace")) <= self.width - column:
                return line
        opening, closing = "[]" if is_list else "{}"
        members = node.items()
        if not members:
            return opening + closing
        if self.sort and not is_list:
            members = sorted(members, key=_key)
        margin = self.prefix + self.indent * (level + 1)
        parts = []
        for index, (_name, written, item) in enumerate(members):
            lead = written + ": " if written else ""
            begin = len(margin) + len(lead.encode("utf-8", "replace"))
            if not is_list or index == 0 or self.width == -1:
                begin += 1
            parts.append(margin + lead + self.write(item, level + 1, begin))
        return opening + "\n" + ",\n".join(parts) + "\n" + self.prefix + self.indent * level + closing

    def line(self, node: Result) -> str | None:
        """Return an array on one line; None when it holds an object."""
        parts = []
        for item in node.entries():
            if item.kind == "object":
                return None
            part = self.line(item) if item.kind == "array" else item.raw
            if part is None:
                return None
            parts.append(part)
        return "[" + ", ".join(parts) + "]"


def _blanks(text: str) -> str:
    return "".join(char for char in text if char in " \t\n\r")


def _key(member: tuple[str, str, Result]) -> str:
    return member[0]


def pretty(node: Result, argument: str = "") -> str:
    """Return the JSON text of ``node`` over several lines, with a newline at the end.

    ``argument`` may hold the options ``sortKeys``, ``indent``, ``prefix`` and ``width`` as a JSON object.
    """
    if not node.exists:
        return ""
    layout = _Layout(argument)
    return layout.prefix + layout.write(node, 0, len(layout.prefix)) + "\n"

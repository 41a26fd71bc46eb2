# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The planted faults of faults.yaml: each replaces a text of a file, and says what a user would suffer."""

from __future__ import annotations

import ast
import collections
import dataclasses
import pathlib
import re

import yaml

LIST = pathlib.Path(__file__).with_name("faults.yaml")


class GoneError(Exception):
    """The old text of a fault is not exactly once in its file."""


@dataclasses.dataclass(frozen=True)
class Fault:
    """In `file`, a path in the checkout, `new` is written for `old`; `suffers` is what a user then sees.

    Further lines of both texts are indented as far as the first one is in the file.
    """

    name: str
    file: str
    suffers: str
    old: str
    new: str

    def planted(self, text: str) -> str:
        """Return the text of the file with the fault. Raises GoneError."""
        begin, end, indentation = self._place(text)
        return text[:begin] + _indented(self.new, indentation) + text[end:]

    def lines(self, text: str) -> set[int]:
        """Return the numbers of the lines of the statements that the fault changes. Raises GoneError."""
        begin, end, _indentation = self._place(text)
        first = text.count("\n", 0, begin) + 1
        last = text.count("\n", 0, end) + 1
        former, latter = text.splitlines(), self.planted(text).splitlines()
        while first < last and former[first - 1] == latter[first - 1]:
            first += 1
        while first < last and former[last - 1] == latter[last - 1 + len(latter) - len(former)]:
            last -= 1
        return _of_statements(text, range(first, last + 1))

    def _place(self, text: str) -> tuple[int, int, str]:
        first, *others = map(re.escape, self.old.split("\n"))
        below = "".join(rf"\n(?P=indentation){line}" if line else r"\n" for line in others)
        found = list(re.finditer(rf"(?m)^(?P<indentation>[ ]*)(?P<before>.*?)(?P<old>{first}{below})", text))
        # What is found twice in one line is found once by the pattern.
        if len(found) != 1 or (not others and text.count(self.old) != 1):
            raise GoneError(f"gone: {self.name}: its old text is not exactly once in {self.file}")
        return found[0].start("old"), found[0].end("old"), found[0]["indentation"]


def read(path: pathlib.Path = LIST) -> list[Fault]:
    """Return the faults of a list."""
    listed = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [Fault(**{key: str(value) for key, value in entry.items()}) for entry in listed]


def problems(faults: list[Fault], root: pathlib.Path) -> list[str]:
    """Return what is wrong with faults: a name for two, an old text that is gone, a new one that is no other code."""
    names = collections.Counter(fault.name for fault in faults)
    found = [f"{name}: {count} faults have this name" for name, count in names.items() if count > 1]
    for fault in faults:
        try:
            text = (root / fault.file).read_text(encoding="utf-8")
            planted = fault.planted(text)
        except (GoneError, FileNotFoundError):
            found.append(f"gone: {fault.name}, in {fault.file}: replace it in the same commit ({LIST.name})")
            continue
        try:
            if ast.dump(ast.parse(planted)) == ast.dump(ast.parse(text)):
                found.append(f"{fault.name}: the new text is the same code")
        except SyntaxError as error:
            found.append(f"{fault.name}: the new text is no Python: {error}")
    return found


def _indented(text: str, indentation: str) -> str:
    first, *others = text.split("\n")
    return "\n".join([first, *(indentation + line if line else line for line in others)])


def _of_statements(text: str, lines: range) -> set[int]:
    """Return the lines of the innermost statements that lines are part of; of a compound one, those above its body."""
    statements = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
    found = set()
    for line in lines:
        around = [node for node in statements if node.lineno <= line <= (node.end_lineno or node.lineno)]
        if around:
            node = max(around, key=lambda node: (node.lineno, -(node.end_lineno or 0)))
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            found.update(range(node.lineno, max(last, node.lineno) + 1))
    return found

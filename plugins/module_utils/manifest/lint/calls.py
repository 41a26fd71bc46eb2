# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What expressions hand to functions as plain text: names of files, and templates (features.md 11.4)."""

from __future__ import annotations

import os

from ...data.functions import FUNCTIONS
from ...lang.expr import nodes
from ...lang.expr.errors import CompileError
from ...lang.templatescan import Expression, scan
from ...lang.yaml import excerpt
from ...model.errors import CCMError
from ...model.position import Position
from ...resources.scaffold.parsing import jet_parser
from .files import require_file
from .templates import MANIFEST_DELIMITERS, check_template, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator, List, Tuple

    from .review import Review

    Place = Callable[[int], "Position | None"]
    # A function's name, the texts that it is given, and the offset of the first of them.
    Found = Tuple[str, List[str], int]

_READING = ("file", "readFile")
_RENDERING = ("template", "jet")
_JET, _EXPRESSIONS = ".jet", ".templ"


class Calls:
    """The calls of one manifest; each file that they name is looked through once."""

    def __init__(self, review: Review) -> None:
        self._review = review
        self._seen: set[str] = set()

    def check(self, source: str, about: str, place: Place) -> None:
        """Check the calls of an expression that compiles; `place` tells where an offset in it stands."""
        if "(" not in source:
            return
        for name, given, at in _calls(source):
            self._check_call(name, given, about, place(at))

    def _check_call(self, name: str, given: list[str], about: str, place: Position | None) -> None:
        text = given[0]
        if name in _READING:
            require_file(self._review, text, place, about)
        elif text.endswith(_JET) or (name == "template" and text.endswith(_EXPRESSIONS)):
            self._check_file(text, given, about, place)
        elif name == "jet":
            fault = jet_parser(*_delimiters(given))(text, "input")
            if fault:
                self._review.error("expression", f"the template does not parse: {fault}", place, resource=about)
        else:
            self._check_text(text, about, lambda offset: place)

    def _check_file(self, name: str, given: list[str], about: str, place: Position | None) -> None:
        if not require_file(self._review, name, place, about) or name in self._seen:
            return
        self._seen.add(name)
        path = os.path.join(self._review.directory, name)
        try:
            text = text_of(path)
        except CCMError as error:
            self._review.refuse("file", error, place)
            return
        if name.endswith(_JET):
            check_template(self._review, jet_parser(*_delimiters(given)), text, path, name, about)
            return
        shown = os.path.join(os.path.dirname(self._review.name), name)

        def within(offset: int) -> Position:
            line = text.count("\n", 0, offset)
            return Position(shown, line + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1)

        self._check_text(text, about, within, text.split("\n"))

    def _check_text(self, text: str, about: str, place: Place, lines: list[str] | None = None) -> None:
        """Check the expressions of a template; `lines` are those of the file that it stands in, if in any."""
        from ...data.evaluation import compiled

        at = 0
        for part in scan(text):
            if not isinstance(part, Expression):
                at += len(part)
                continue
            start, at = text.index(part.source, part.start), part.end
            try:
                compiled(part.source)
            except CompileError as error:
                found = place(start + (error.column - 1 if error.line == 1 else 0))
                shown = excerpt(lines[found.line - 1], found.line, found.column) if lines and found else ""
                message = f"expr compile error for '{part.source}': {error.message}"
                self._review.error("expression", message.partition("\n")[0], found, resource=about, excerpt=shown)
            else:
                self.check(part.source, about, lambda offset, start=start: place(start + offset))  # type: ignore[misc]


def _delimiters(given: list[str]) -> tuple[str, str]:
    return (given[1], given[2]) if len(given) == 3 else MANIFEST_DELIMITERS


def _calls(source: str) -> Iterator[Found]:
    """The calls of our functions that are given nothing but texts."""
    from ...lang.expr.parser import parse

    waiting: list[nodes.Node] = [parse(source, FUNCTIONS)]
    while waiting:
        node = waiting.pop()
        waiting += _below(node)
        if not isinstance(node, nodes.Call) or not isinstance(node.callee, nodes.Identifier):
            continue
        given = [each.value for each in node.arguments if isinstance(each, nodes.Literal)]
        count = len(node.arguments)
        is_text = count in (1, 3) and len(given) == count and all(isinstance(value, str) for value in given)
        if is_text and node.callee.name in (*_READING, *_RENDERING):
            yield node.callee.name, given, node.arguments[0].at


def _below(node: nodes.Node) -> Iterator[nodes.Node]:
    for parent in node.__class__.__mro__:
        for slot in getattr(parent, "__slots__", ()):
            value = getattr(node, slot)
            for entry in value if isinstance(value, list) else (value,):
                for each in entry if isinstance(entry, tuple) else (entry,):
                    if isinstance(each, nodes.Node):
                        yield each

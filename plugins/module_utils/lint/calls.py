# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Plain texts that expressions pass to functions: names of files, and templates (behaviour.md 11.4)."""

from __future__ import annotations

import os
import re

from ..lang.expr import nodes
from ..lang.templatescan import Expression, has_expression, scan
from ..lang.yaml import excerpt
from ..model.errors import CCMError, Position
from .portable_templates import check_portable_file, check_portable_jet
from .syntax import fault_of, nodes_of
from .templates import FILE_RULE, MANIFEST_DELIMITERS, check_template, jet_parser, require_file, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator, List, Tuple

    from .review import Review

    Place = Callable[[int], "Position | None"]
    Look = Callable[[str, str, Place], None]
    # A function's name, its text arguments, and the offset of the first of them.
    Found = Tuple[str, List[str], int]

_READING = ("file", "readFile")
_RENDERING = ("template", "jet")
_JET, _EXPRESSIONS = ".jet", ".templ"
# Texts that are like names of files: no blanks, and a slash or an extension.
_LIKE_A_PATH = re.compile(r"\S*(?:/\S*|[^\s.]\.[A-Za-z]\w{0,9})\Z")


class Calls:
    """The calls of one manifest; each file that they name is checked once.

    `check_source` is called for expressions in their arguments, `check` for the expressions of the manifest. With
    `portable` also what the original cannot read in templates is noted.
    """

    def __init__(self, review: Review, check_source: Look, portable: bool) -> None:
        self._review = review
        self._portable = portable
        self._check_source = check_source
        self._checked: set[str] = set()

    def check(self, source: str, about: str, place: Place) -> None:
        """Check the calls of an expression that compiles; `place` returns the place of an offset in it."""
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
        elif _LIKE_A_PATH.match(text) and not _has_action(name, given):
            self._warn_of_text(name, text, about, place)
        elif name == "jet":
            fault = jet_parser(_delimiters(given))(text, "input")
            if fault:
                self._review.error("expression", f"the template does not parse: {fault}", place, resource=about)
            elif self._portable:
                check_portable_jet(self._review, text, _delimiters(given), place, about)
        else:
            self._check_text(text, about, lambda offset: place)

    def _warn_of_text(self, name: str, text: str, about: str, place: Position | None) -> None:
        endings = f"{_EXPRESSIONS} or {_JET}" if name == "template" else _JET
        self._review.warn(
            FILE_RULE,
            f"{name}() takes {text} for a template and gives it as it is",
            place,
            resource=about,
            advice=f"to render a file, let its name end in {endings}; to read one, call file()",
        )

    def _check_file(self, name: str, given: list[str], about: str, place: Position | None) -> None:
        if not require_file(self._review, name, place, about) or name in self._checked:
            return
        self._checked.add(name)
        path = os.path.join(self._review.directory, name)
        try:
            text = text_of(path)
        except CCMError as error:
            self._review.refuse("file", error, place)
            return
        if name.endswith(_JET):
            check_template(self._review, jet_parser(_delimiters(given)), text, path, name, about)
            if self._portable:
                check_portable_file(self._review, path, _delimiters(given), about)
            return
        shown = os.path.join(os.path.dirname(self._review.name), name)

        def within(offset: int) -> Position:
            line = text.count("\n", 0, offset)
            return Position(shown, line + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1)

        self._check_text(text, about, within, text.split("\n"))

    def _check_text(self, text: str, about: str, place: Place, lines: list[str] | None = None) -> None:
        """Check the expressions of a template; `lines` are the lines of its file, if it is in one."""
        at = 0
        for part in scan(text):
            if not isinstance(part, Expression):
                at += len(part)
                continue
            start, at = text.index(part.source, part.start), part.end
            fault = fault_of(part.source)
            if fault is not None:
                error, advice = fault
                found = place(start + (error.column - 1 if error.line == 1 else 0))
                shown = excerpt(lines[found.line - 1], found.line, found.column) if lines and found else ""
                message = f"expr compile error for '{part.source}': {error.message}".partition("\n")[0]
                self._review.error("expression", message, found, resource=about, advice=advice, excerpt=shown)
            else:
                self._check_source(part.source, about, _after(start, place))


def _after(start: int, place: Place) -> Place:
    """Return the `place` of an offset that is counted from `start`."""
    return lambda offset: place(start + offset)


def _has_action(name: str, given: list[str]) -> bool:
    """Return whether the text of a template has anything to evaluate."""
    return _delimiters(given)[0] in given[0] if name == "jet" else has_expression(given[0])


def _delimiters(given: list[str]) -> tuple[str, str]:
    return (given[1], given[2]) if len(given) == 3 else MANIFEST_DELIMITERS


def _calls(source: str) -> Iterator[Found]:
    """Yield calls of built-in functions whose arguments are all literals."""
    for node in nodes_of(source):
        if not isinstance(node, nodes.Call) or not isinstance(node.callee, nodes.Identifier):
            continue
        given = [each.value for each in node.arguments if isinstance(each, nodes.Literal)]
        count = len(node.arguments)
        is_text = count in (1, 3) and len(given) == count and all(isinstance(value, str) for value in given)
        if is_text and node.callee.name in (*_READING, *_RENDERING):
            yield node.callee.name, given, node.arguments[0].at

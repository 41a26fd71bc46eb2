# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Lines of a manifest with the values of secret properties hidden (decisions.md Q38)."""

from __future__ import annotations

from bisect import bisect_left

from ..lang.yaml import excerpt
from ..model.errors import InvalidResource, ManifestError, Position
from ..redaction.faults import holds_secret, shown_fault
from ..redaction.replacement import REDACTED
from ..resources.types import TYPE_NAMES, resource_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator, Tuple

    from ..lang.yaml import YAMLError
    from ..model.property import Property
    from ..model.values import ParsedDocument, Path, Value

    # Both from 1.
    LineColumn = Tuple[int, int]

# Characters between two values, which need not be hidden.
_BETWEEN = " \t,-?:[]{}"


class ShownLines:
    """The lines of a parsed manifest, or of the list of resources that a template wrote."""

    def __init__(self, document: ParsedDocument) -> None:
        self._document = document
        self._hidden: list[tuple[LineColumn, LineColumn]] | None = None
        self._ends: list[int] = []

    def excerpt(self, line: int, column: int) -> str:
        """Return a line with a caret below the column; "" for a missing line, and a line that still has a secret."""
        if not 0 < line <= len(self._document.lines):
            return ""
        text = self._document.lines[line - 1]
        for start, end in reversed(list(self._hidden_in(line, len(text)))):
            part = text[start:end].rstrip(" \t,")
            if part.strip(_BETWEEN):
                end = start + len(part)
                part = part.lstrip(" \t")
                start = end - len(part)
                text = text[:start] + REDACTED + text[end:]
                if column > end:
                    column += len(REDACTED) - len(part)
                elif column > start:
                    column = start + 1
        return "" if holds_secret(text) else excerpt(text, line, column)

    def _hidden_in(self, line: int, length: int) -> Iterator[tuple[int, int]]:
        """Yield the parts of a line that must be hidden, as offsets, in order."""
        if self._hidden is None:
            self._hidden = _hidden(self._document)
            self._ends = [last for _start, (last, _column) in self._hidden]
        for (first, start), (last, end) in self._hidden[bisect_left(self._ends, line) :]:
            if first > line:
                break
            yield (start - 1 if first == line else 0, end - 1 if last == line else length)


def _hidden(document: ParsedDocument) -> list[tuple[LineColumn, LineColumn]]:
    """Return begin and end of each secret: each value up to the next key or value in the document."""
    value = document.value
    ccm = value.get("ccm") if isinstance(value, dict) else None
    base: Path = ("ccm", "resources") if isinstance(ccm, dict) else ()
    secret: set[LineColumn] = set()
    for path, secret_value in _secret_values(ccm.get("resources") if isinstance(ccm, dict) else value, base):
        secret.update(_starts(document, path, secret_value))
        at = document.position(path)
        if at is not None and at != document.value_position(path):
            secret.discard(at)
    if not secret:
        return []
    found: list[tuple[LineColumn, LineColumn]] = []
    starts = sorted(secret.union(_starts(document, (), value)))
    for start, end in zip(starts, [*starts[1:], (len(document.lines) + 1, 1)]):
        if start not in secret:
            continue
        if found and found[-1][1] == start:
            start = found.pop()[0]
        found.append((start, end))
    return found


def _starts(document: ParsedDocument, path: Path, value: Value) -> Iterator[LineColumn]:
    """Yield the positions of the keys and the values in a part of a document."""
    for position in (document.position(path), document.value_position(path)):
        if position is not None:
            yield position
    for key, entry in _entries(value):
        yield from _starts(document, (*path, key), entry)


def _entries(value: Value) -> Iterable[tuple[str | int, Value]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def _secret_values(resources: Value, base: Path) -> Iterator[tuple[Path, Value]]:
    """Yield the values of secret properties in a list of resources of any shape."""
    for at, entry in _entries(resources):
        for name, value in _entries(entry):
            yield from _named(secret_names(str(name)), value, (*base, at, name))


def _named(names: frozenset[str], value: Value, path: Path) -> Iterator[tuple[Path, Value]]:
    for key, entry in _entries(value):
        if key in names:
            yield (*path, key), entry
        else:
            yield from _named(names, entry, (*path, key))


def secret_names(type_name: str) -> frozenset[str]:
    """Return the names of the secret properties of a type; for an unknown type, of all types."""
    try:
        type = resource_type(type_name)
    except InvalidResource:
        type = None
    if type is not None:
        return frozenset(_secret(type.properties))
    return every_secret_name()


def every_secret_name() -> frozenset[str]:
    """Return the names of the secret properties of all built-in types."""
    return frozenset().union(*(secret_names(name) for name in TYPE_NAMES))


def _secret(properties: Iterable[Property]) -> Iterator[str]:
    for prop in properties:
        if prop.secret:
            yield from (prop.name, *prop.aliases)
        yield from _secret(prop.fields)


def not_yaml(error: YAMLError, text: bytes, name: str) -> ManifestError:
    """Return the error for a manifest with this text and name that is not YAML, secrets hidden."""
    message, shown = shown_fault(error, text, every_secret_name())
    position = Position(name, error.line, error.column) if error.line else None
    return ManifestError(f"{name} is not YAML: {message}", position=position, excerpt=shown)

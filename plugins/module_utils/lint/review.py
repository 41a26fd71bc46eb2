# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A manifest under review, and its findings so far."""

from __future__ import annotations

from ..manifest.origin import DocumentOrigin
from ..manifest.shown_lines import ShownLines
from ..model.errors import Position
from ..redaction.names import without_users
from ..redaction.texts import without_text_secrets
from .finding import ERROR, WARNING, Finding

#: The rule about what the original would do otherwise.
PORTABILITY = "portability"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.errors import CCMError
    from ..model.values import ParsedDocument, Path, Value


class Review:
    """`document` is the parsed manifest, `name` its name in messages, `directory` the directory of its file.

    Paths are keys and indices from the top of the document. With `upstream` the original is to run it, with
    `is_parallel` it runs in graph order, also without `order: graph`.
    """

    def __init__(
        self,
        document: ParsedDocument,
        name: str,
        directory: str,
        *,
        upstream: bool = False,
        is_parallel: bool = False,
    ) -> None:
        self.document = document
        self.name = name
        self.directory = directory
        self.upstream = upstream
        self.is_parallel = is_parallel
        self.origin = DocumentOrigin(document, name)
        self.findings: list[Finding] = []
        self._lines = ShownLines(document)

    def error(self, rule: str, message: str, position: Position | None, **about: str) -> None:
        """Note what cannot run. `about` are further fields of a Finding."""
        self._add(Finding(ERROR, rule, message, position, **about))

    def warn(self, rule: str, message: str, position: Position | None, *, shown: bool = True, **about: str) -> None:
        """Note what may be a mistake; the line is not `shown` where it has a secret."""
        self._add(Finding(WARNING, rule, message, position, **about), shown=shown)

    def not_portable(self, message: str, position: Position | None, **about: str) -> None:
        """Note what the original cannot run or does not know: an error where it is to run the manifest."""
        self._add(Finding(ERROR if self.upstream else WARNING, PORTABILITY, message, position, **about))

    def refuse(self, rule: str, error: CCMError, position: Position | None = None) -> None:
        """Note an error that validation raised; `position` is for an error without its own."""
        advice, message = error.advice, error.message.partition("\n")[0]
        finding = Finding(ERROR, rule, message, error.position or position, advice=advice, excerpt=error.excerpt)
        finding.resource, finding.property = error.resource, error.property
        self._add(finding)

    def at(self, path: Path) -> Value:
        """Return the value at a path, None where there is none."""
        value: Value = self.document.value
        for step in path:
            if isinstance(value, dict) and isinstance(step, str):
                value = value.get(step)
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                value = value[step]
            else:
                return None
        return value

    def key(self, path: Path) -> Position | None:
        """Return the place of a key, or of the nearest parent."""
        return self.origin.position(path)

    def value(self, path: Path) -> Position | None:
        """Return the place of a value, or of the nearest parent."""
        return self.origin.value_position(path)

    def within(self, path: Path, text: str, offset: int = 0, *, before: int = 0) -> Position | None:
        """Return the place `offset` characters into `text`, a part of the text at `path`; else the place of this text.

        `before` is how often the first line of `text` occurs earlier in the whole.
        """
        start = self.value(path)
        first = text.partition("\n")[0]
        if start is None or not first:
            return start
        whole = self.at(path)
        lines = self.document.lines
        last = start.line + (whole.count("\n") + 1 if isinstance(whole, str) else 0)
        column = start.column - 1
        for number in range(start.line, min(last, len(lines)) + 1):
            found = lines[number - 1].find(first, column)
            while found >= 0 and before:
                before -= 1
                found = lines[number - 1].find(first, found + len(first))
            if found >= 0:
                return Position(self.name, number, found + offset + 1)
            column = 0
        return start

    def _add(self, finding: Finding, *, shown: bool = True) -> None:
        finding.message = without_users(without_text_secrets(finding.message))
        finding.resource = finding.resource and without_users(without_text_secrets(finding.resource))
        finding.advice = finding.advice and without_users(without_text_secrets(finding.advice))
        place = finding.position = finding.position or Position(self.name, 0, 0)
        if shown and place.file == self.name and not finding.excerpt:
            finding.excerpt = self._lines.excerpt(place.line, place.column)
        self.findings.append(finding)

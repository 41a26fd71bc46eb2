# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What templates have that the original cannot read (decisions.md Q30, Q51, Q52)."""

from __future__ import annotations

import os

from ..lang.yaml import excerpt
from ..model.errors import CCMError, Position
from ..resources.descriptions import description
from .placeholders import holds_expression
from .templates import MANIFEST_DELIMITERS, files_below, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .declared import Declared
    from .review import Review


def check_portable_jet(
    review: Review, text: str, delimiters: tuple[str, str], place: Position | None, about: str
) -> None:
    """Note what the original cannot read in a Jet template that is a text in the manifest, at `place`."""
    from ..data.jet_differences import note_jet_differences

    def note(_line: int, _words: str, message: str) -> None:
        review.not_portable(message, place, resource=about)

    note_jet_differences(text, *delimiters, note)


def check_portable_file(review: Review, path: str, delimiters: tuple[str, str], about: str) -> None:
    """Note the same in a file with a Jet template that the manifest names."""
    from ..data.jet_differences import note_jet_differences

    text = _text(path)
    note_jet_differences(text, *delimiters, _InFile(review, text, path, about).note)


def check_portable_resources(review: Review, name: str) -> None:
    """Note the same in the template that writes the resources of a manifest."""
    check_portable_file(review, os.path.join(review.directory, name), MANIFEST_DELIMITERS, "")


def check_portable_templates(review: Review, declared: Declared) -> None:
    """Note the same in the templates of a resource, where the directory that it names is next to the manifest."""
    described = description(declared.type.name)
    found = described.templates(declared.values) if described.templates else None
    check = described.portable_templates(declared.values) if described.portable_templates else None
    if found is None or check is None or not found[0] or holds_expression(found[0]):
        return
    for path in files_below(os.path.join(review.directory, found[0])):
        text = _text(path)
        check(text, _InFile(review, text, path, declared.reference).note)


class _InFile:
    """Notes differences in one file, with its lines."""

    def __init__(self, review: Review, text: str, path: str, about: str) -> None:
        self._review = review
        self._text = text
        self._about = about
        self._shown = os.path.join(os.path.dirname(review.name), os.path.relpath(path, review.directory))

    def note(self, number: int, words: str, message: str) -> None:
        """Note a sentence about words in a line."""
        lines = self._text.split("\n")
        line = lines[number - 1] if 0 < number <= len(lines) else ""
        column = max(line.find(words), 0) + 1
        place = Position(self._shown, number, column)
        shown = excerpt(line, number, column) if line else ""
        self._review.not_portable(message, place, resource=self._about, excerpt=shown)


def _text(path: str) -> str:
    """Return the text of a file; "" where there is none, which is noted where templates are parsed."""
    try:
        return text_of(path)
    except CCMError:
        return ""

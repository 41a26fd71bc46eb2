# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The positions of a resource's properties in a document."""

from __future__ import annotations

from ..model.decode import Origin
from ..model.errors import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..model.values import ParsedDocument, Path


class DocumentOrigin(Origin):
    """The part of a parsed document that starts at `base`; `file` is its name for messages."""

    __slots__ = ("base", "document", "file")

    def __init__(self, document: ParsedDocument, file: str, base: Path = ()) -> None:
        self.document = document
        self.file = file
        self.base = base

    def position(self, path: Path) -> Position | None:
        """Return the position of the key at `path`, or of the nearest parent that has a position."""
        return self._nearest(self.document.position, path)

    def value_position(self, path: Path) -> Position | None:
        """Return the position of the value at `path`, or of the nearest parent that has a position."""
        return self._nearest(self.document.value_position, path)

    def nearest_position(self, path: Path) -> Position | None:
        """Return the position of the value at `path`, or of the nearest parent, or of the key of this part."""
        return self._nearest(self.document.value_position, path, len(self.base)) or self.position(())

    def _nearest(
        self, find: Callable[[Path], tuple[int, int] | None], path: Path, longer_than: int = -1
    ) -> Position | None:
        full = (*self.base, *path)
        for length in range(len(full), longer_than, -1):
            position = find(full[:length])
            if position is not None:
                return Position(self.file, *position)
        return None

    def written(self, path: Path) -> str | None:
        """Return the scalar at `path` as it was written."""
        return self.document.scalar((*self.base, *path))

    def is_unquoted(self, path: Path) -> bool:
        """Return whether the text at `path` is without quotes in YAML."""
        return self.document.is_unquoted((*self.base, *path))

    def is_null_key(self, path: Path) -> bool:
        """Return whether the key at `path` is written as null, ~ or nothing at all, without quotes."""
        full = (*self.base, *path)
        position = self.document.position(full) if full[-1] == "null" else None
        if position is None or position[0] > len(self.document.lines):
            return False
        written = self.document.lines[position[0] - 1][position[1] - 1 :]
        return written.startswith(("null", "Null", "NULL", "~", ":"))

    def below(self, path: Path) -> DocumentOrigin:
        """Return the part of the document at `path`."""
        return DocumentOrigin(self.document, self.file, (*self.base, *path))

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading files that hold text, bounded in size, and parsing data and facts."""

from __future__ import annotations

import os

from ..host.errors import HostError, SystemCallError
from ..host.reading import Reader
from ..lang import yaml
from ..lang.go.quoting import quote
from ..lang.paths import join
from ..model.errors import DataError, Position, TemplateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..lang.jsondoc import JSONDocument
    from ..lang.yaml import Document

#: Files larger than this (bytes) are refused: endless ones (/dev/zero) must end with an error.
MAX_SIZE = 256 << 20


def read_text(path: str, *, piped: bool = False, limit: int | None = None) -> str:
    """Return the content of a file of at most `limit` bytes (None: MAX_SIZE).

    With `piped` it may be a pipe or a terminal, whose data is waited for.

    Bytes that are no UTF-8 become surrogates (PEP 383) and are the same bytes again when they are written so. Raises
    DataError `open <path>: no such file or directory`, `read <path>: is a directory`, `<path> is not a regular file`.
    """
    limit = MAX_SIZE if limit is None else limit
    try:
        with _Pipe(path) if piped else Reader(path) as reader:
            content = _limited(reader, limit)
    except HostError as error:
        raise DataError(str(error), value=path) from None
    if len(content) > limit:
        raise DataError(f"read {path}: larger than {limit} bytes", value=path)
    return content.decode("utf-8", "surrogateescape")


class _Pipe(Reader):
    """Any readable file; it waits for the writer."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self.fd = os.open(path, os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC)
        except (OSError, ValueError) as error:
            raise SystemCallError("open", path, error) from None


def _limited(reader: Reader, limit: int) -> bytes:
    pieces = []
    room = limit + 1
    while room > 0:
        piece = reader.read(min(room, 1 << 20))
        if not piece:
            break
        pieces.append(piece)
        room -= len(piece)
    return b"".join(pieces)


def read_relative(path: str, directory: str) -> str:
    """Return the content of a file; a relative `path` is cleaned and resolved against `directory`.

    Raises TemplateError `failed to read file "<path>": working dir: "<directory>": <reason>` (behaviour.md 11.4).
    """
    target = join(directory, path)
    try:
        return read_text(target)
    except DataError as error:
        text = f"failed to read file {quote(target)}: working dir: {quote(directory)}: {error.message}"
        raise TemplateError(text, value=path) from None


def is_json(text: str) -> bool:
    """Return whether the text of a document is read as JSON: it starts with `{` or `[` (behaviour.md 16)."""
    return text.lstrip().startswith(("{", "["))


def parse_document(text: str, name: str, origin: str = "", json: bool | None = None) -> Document | JSONDocument:
    """Return the parsed document: JSON when the text begins like it (or `json` is True), else YAML.

    Numbers of JSON are floats, as the original has them. `name` is the document's name in positions. Raises DataError
    `failed to parse JSON<origin>: <reason>` or the same for YAML, with the place.
    """
    json = is_json(text) if json is None else json
    try:
        if not json:
            return yaml.load(text, name)
        from ..lang.jsondoc import load_json

        return load_json(text, name, floats=True)
    except yaml.YAMLError as error:
        from ..redaction.faults import shown_fault

        message, shown = shown_fault(error, text)
        reason = f"{message}\n{shown}" if shown else message
        place = Position(name, error.line, error.column) if error.line else None
        raise DataError(f"failed to parse {'JSON' if json else 'YAML'}{origin}: {reason}", position=place) from None
    except yaml.YAMLUnavailable as error:
        raise DataError(f"cannot read {name}: {error}", value=name) from None

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Parsed documents in a form for transfer from the controller to hosts without a YAML parser."""

from __future__ import annotations

import json
import re
import zlib
from binascii import Error, a2b_base64, b2a_base64

from ..model.errors import ManifestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List

    from ..model.values import Data, ParsedDocument, Path, Value

    #: A node of "places" as `pack` describes it, and other lists as JSON holds them.
    Node = List[Any]

_BREAK = re.compile("\r\n|[\n\r]")
_NOWHERE = (0, 0)


def pack(document: ParsedDocument) -> Data:
    """Return a parsed document as JSON can hold it.

    The result holds the value, the position of every key and value, and numbers as they were written.

    `places` mirrors the value, a list for each node: line and column of its key, line and column of the value, then the
    nodes of its entries in their order, or the scalar as it was written where the value does not show it, or True for
    text without quotes whose expressions may make a number of it. The text is included for annotations and for the
    lines that errors show.
    """
    binary: list[Node] = []
    value = _without_bytes(document.value, (), binary)
    nodes = _nodes(document, document.value, ())
    return {"name": document.name, "value": value, "places": nodes, "text": document.text, "binary": binary}


def pack_value(value: Value, name: str) -> Data:
    """Return a value that was never in a file, as `pack` packs documents."""
    return {"name": name, "value": value}


def unpack(packed: dict[str, Any]) -> PackedDocument:
    """Return the document that `pack` packed; what was packed stays as it is."""
    binary = packed.get("binary", ())
    holder = [_copied(packed["value"]) if binary else packed["value"]]
    for path, text in binary:
        above: Any = holder
        steps = [0, *path]
        for step in steps[:-1]:
            above = above[step]
        above[steps[-1]] = a2b_base64(text)
    return PackedDocument(holder[0], packed["name"], packed.get("places"), packed.get("text", ""))


def _copied(value: Value) -> Value:
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    return [_copied(each) for each in value] if isinstance(value, list) else value


def to_text(payload: Data) -> str:
    """Return anything that JSON can hold as one short line of ASCII."""
    return b2a_base64(zlib.compress(json.dumps(payload, separators=(",", ":")).encode("ascii")), newline=False).decode()


def from_text(text: str) -> Data:
    """Return the data of a line of `to_text`. Raises ManifestError for any other text."""
    try:
        payload: Data = json.loads(zlib.decompress(a2b_base64(text)))
    except (Error, zlib.error, ValueError, RecursionError):
        raise ManifestError("the manifest arrived incomplete") from None
    return payload


class PackedDocument:
    """A document that was parsed elsewhere, with the interface of lang.yaml.Document."""

    __slots__ = ("_lines", "_nodes", "name", "text", "value")

    def __init__(self, value: Any, name: str, nodes: Node | None, text: str) -> None:
        self.value = value
        self.name = name
        self.text = text
        self._nodes = nodes
        self._lines: list[str] | None = None

    @property
    def lines(self) -> list[str]:
        """The lines of the source without their ends, when it was packed."""
        if self._lines is None:
            self._lines = _BREAK.split(self.text)
        return self._lines

    def position(self, path: Path) -> tuple[int, int] | None:
        """Return (line, column), from 1, of the key at `path`, or of a list's entry; None when there is none."""
        found = self._find(path)
        return (found[0], found[1]) if found and found[0] else None

    def value_position(self, path: Path) -> tuple[int, int] | None:
        """Return (line, column), from 1, of the value at `path`; None when there is none."""
        found = self._find(path)
        return (found[2], found[3]) if found and found[2] else None

    def scalar(self, path: Path) -> str | None:
        """Return the scalar at `path` as it was written; None for lists, mappings and unknown scalars."""
        found = self._find(path)
        if found is None:
            return None
        if len(found) > 4 and isinstance(found[4], str):
            return found[4]
        value = self.value
        for step in path:
            value = value[step]
        return None if isinstance(value, (dict, list)) else _canonical(value)

    def is_unquoted(self, path: Path) -> bool:
        """Return whether the text at `path`, which holds an expression, was without quotes."""
        found = self._find(path)
        return found is not None and len(found) > 4 and found[4] is True

    def _find(self, path: Path) -> Node | None:
        node, value = self._nodes, self.value
        for step in path:
            if node is None:
                return None
            if isinstance(value, dict) and step in value:
                node = node[4][list(value).index(step)]
            elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
                node = node[4][step]
            else:
                return None
            value = value[step]
        return node


def _nodes(document: ParsedDocument, value: Value, path: Path) -> Node:
    node: Node = [*(document.position(path) or _NOWHERE), *(document.value_position(path) or _NOWHERE)]
    if isinstance(value, dict):
        node.append([_nodes(document, entry, (*path, name)) for name, entry in value.items()])
    elif isinstance(value, list):
        node.append([_nodes(document, entry, (*path, at)) for at, entry in enumerate(value)])
    else:
        written = document.scalar(path)
        if written is not None and written != _canonical(value):
            node.append(written)
        elif isinstance(value, str) and ("{{" in value or "${" in value) and document.is_unquoted(path):
            node.append(True)
    return node


def _canonical(value: Value) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else None


def _without_bytes(value: Value, path: Path, binary: list[Node]) -> Value:
    if isinstance(value, dict):
        return {name: _without_bytes(entry, (*path, name), binary) for name, entry in value.items()}
    if isinstance(value, list):
        return [_without_bytes(entry, (*path, at), binary) for at, entry in enumerate(value)]
    if isinstance(value, bytes):
        binary.append([list(path), b2a_base64(value, newline=False).decode()])
        return None
    return value

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Where in a template something went wrong."""

from __future__ import annotations

from ..go.quoting import quote
from ..go.values import byte_length
from .errors import TemplateFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .nodes import Node


class Source:
    """A template of a text: its own ``name``, and the text with the name under which it was parsed."""

    __slots__ = ("file", "name", "text")

    def __init__(self, name: str, file: str, text: str) -> None:
        self.name = name
        self.file = file
        self.text = text


class Place:
    """A node of a template."""

    __slots__ = ("node", "source")

    def __init__(self, source: Source, node: Node) -> None:
        self.source = source
        self.node = node

    def fault(self, reason: str) -> TemplateFault:
        """Return a fault at this place: line from 1, column in bytes from 0."""
        source, at = self.source, self.node.at
        line = source.text.count("\n", 0, at) + 1
        column = byte_length(source.text[source.text.rfind("\n", 0, at) + 1 : at])
        where = f"template: {source.file}:{line}:{column}: executing {quote(source.name)}"
        return TemplateFault(f"{where} at <{self.node.text()}>: {reason}")

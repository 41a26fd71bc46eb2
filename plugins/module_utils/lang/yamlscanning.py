# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""PyYAML's loader in Python, which reads what the original's parser reads and libyaml refuses."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NO_NAME = frozenset("\0 \t\r\n[]{},")
_NO_WORD = frozenset("\0 \t\r\n")
_NO_LINE = frozenset("\0\r\n#")
_BREAKS = frozenset("\r\n")
_BLANKS = frozenset(" \t")
_INDICATORS = frozenset("+-0123456789")


def loader_in_python(yaml: Any) -> Any:
    """Return the class of the loader, to be given a text of which ``Rewriting`` took what no scanner reads."""

    # PyYAML, and so its class, is known only when a document is read.
    class Loader(yaml.SafeLoader):
        """Reads keys of any length, in brackets of any number of lines, and anchors of any name.

        Tabs separate tokens, also behind the dash of a list; text behind ``--- |`` may begin in the first column.
        """

        allow_simple_key: bool
        buffer: str
        column: int

        def __init__(self, stream: str) -> None:
            super().__init__(stream)
            self.names: set[str] = set()

        def stale_possible_simple_keys(self) -> None:
            key = self.possible_simple_keys.get(self.flow_level)
            if key is not None:
                key.index = self.index
                if self.flow_level:
                    key.line = self.line
            super().stale_possible_simple_keys()

        def scan_to_next_token(self) -> None:
            super().scan_to_next_token()
            while self.peek() == "\t" and self.is_separating():
                self.forward(self.blanks())
                super().scan_to_next_token()

        def is_separating(self) -> bool:
            """Return whether the tab here is allowed: it is no indentation of anything.

            A list or mapping that begins on this line would have the tab in its indentation, and is not allowed then.
            """
            if self.flow_level or self.peek(self.blanks()) in _NO_LINE:
                return True
            if self.allow_simple_key and not self.before().strip(" \t"):
                return False
            self.allow_simple_key = False
            return True

        def blanks(self) -> int:
            """Return how many blanks and tabs are here."""
            count = 0
            while self.peek(count) in _BLANKS:
                count += 1
            return count

        def before(self) -> str:
            """Return the text of this line before the place of the scanner."""
            return self.buffer[self.pointer - self.column : self.pointer]

        def scan_plain_spaces(self, indent: int, start_mark: Any) -> list[str] | None:
            """Return the blanks between two words of a text without quotes, None where the text ends.

            Tabs are blanks, but not in the indentation.
            """
            blanks: str = self.prefix(self.blanks())
            self.forward(len(blanks))
            if self.peek() not in _BREAKS:
                return [blanks] if blanks else []
            breaks = [self.scan_line_break()]
            self.allow_simple_key = True
            while not (self.column == 0 and self.at_document()):
                while self.peek() in _BLANKS:
                    if self.peek() == "\t" and self.column < indent:
                        raise yaml.scanner.ScannerError(
                            "while scanning a plain scalar", start_mark, "found a tab character", self.get_mark()
                        )
                    self.forward()
                if self.peek() not in _BREAKS:
                    return breaks[1:] or [" "]
                breaks.append(self.scan_line_break())
            return None

        def scan_anchor(self, token_class: Any) -> Any:
            start = self.get_mark()
            is_alias = self.peek() == "*"
            self.forward()
            length = 0
            while self.peek(length) not in _NO_NAME:
                length += 1
            name: str = self.prefix(length)
            if is_alias and name.endswith(":") and name not in self.names:
                name = name[:-1]
            self.forward(len(name))
            if not name or self.peek() in ("[{" if self.flow_level else "[]{},"):
                what = "while scanning an alias" if is_alias else "while scanning an anchor"
                problem = f"expected alphabetic or numeric character, but found {self.peek()!r}"
                raise yaml.scanner.ScannerError(what, start, problem, self.get_mark())
            self.names.add(name)
            return token_class(name, start, self.get_mark())

        def scan_tag(self) -> Any:
            """Return a tag, behind which a tab may be or, inside of brackets, a comma or bracket."""
            text = self.buffer
            end = text.find(">", self.pointer) + 1 if self.peek(1) == "<" else self.pointer
            while text[end] not in (_NO_NAME if self.flow_level else _NO_WORD):
                end += 1
            if text[end] in _NO_WORD - _BLANKS:
                return super().scan_tag()
            self.buffer = f"{text[:end]} {text[end + 1 :]}"
            try:
                return super().scan_tag()
            finally:
                self.buffer = text

        def scan_block_scalar_indicators(self, start_mark: Any) -> Any:
            """Return the indicators, behind which a tab or, where there is one, a comment may be."""
            text = self.buffer
            end = self.pointer
            while text[end] in _INDICATORS:
                end += 1
            if text[end] == "\t" or (text[end] == "#" and end > self.pointer):
                self.buffer = f"{text[:end]} {text[end + 1 :]}"
            try:
                return super().scan_block_scalar_indicators(start_mark)
            finally:
                self.buffer = text

        def scan_block_scalar_ignored_line(self, start_mark: Any) -> None:
            self.forward(self.blanks())
            super().scan_block_scalar_ignored_line(start_mark)

        def scan_block_scalar(self, style: str) -> Any:
            if self.indent >= 0 or not self.before().startswith("---"):
                return super().scan_block_scalar(style)
            self.forward = self.forward_inside
            try:
                return super().scan_block_scalar(style)
            finally:
                del self.forward
                self.column -= min(self.column, 1)

        def forward_inside(self, length: int = 1) -> None:
            """Go forward in a block of text to which lines that begin in column 0 belong: they count as column 1."""
            super().forward(length)
            if self.column == 0 and not self.at_document():
                self.column = 1

        def at_document(self) -> bool:
            """Return whether a document ends or begins at the place of the scanner."""
            return self.prefix(3) in ("---", "...") and self.peek(3) in _NO_WORD

    return Loader

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""YAML that the original's parser reads, and PyYAML refuses or reads otherwise.

Each character that PyYAML takes for something else is replaced by a character that has no meaning in YAML and does not
occur in the text, so that every position stays as it is; the values that PyYAML finds get the real characters back.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator

_BREAKS = "\x85\u2028\u2029"
_REPLACED = "%?:\\\t" + _BREAKS
_INDENTED = re.compile(r"(?<![^\r\n]) [^\r\n]*%[^\r\n]*")
_PERCENT = re.compile(r"(?<=[\s\[{,:])%")
_DIRECTIVES = re.compile(r"\A(?:(?:%|[ \t]*#)[^\r\n]*[\r\n]|[ \t]*[\r\n])*(?=---\s)")
_UNKNOWN_DIRECTIVE = re.compile(r"(?<![^\r\n])%(?!(?:YAML|TAG)[ \t])")
_END = re.compile(r"(?:(?:[ \t]*#[^\r\n]*)?[\r\n])*\.\.\.(?=\s|\Z)")
_QUESTION = re.compile(r"()(?:\?(?=\S)|(?<=[^\s\[{,:])\?)|([:\[{,][ \t]*)\?(?=[\r\n])|(\w[ \t]+)\?")
_COLON_BEFORE = re.compile(r"((?:[\[{,\r\n]|:[ \t]|[&!][^\s&!]*[ \t])[ \t]*):(?=\S)")
_SECOND_COLON = re.compile(r"([\"'][ \t]*:):(?=\S)")
_COLON_BEHIND = re.compile(r"([^\s\"'\[\]{},][ \t]*):(?=[,\]}])")
_NO_CHARACTER = r"U(?!00(?:0|10))[0-9a-fA-F]{8}"
_BARE_TAG = re.compile(r"(?:&\S*\s+)?!(?:[\s,\]}]|\Z)")
_SURROGATE = re.compile(rf"(?<!\\)((?:\\\\)*)\\(?=(?:u|U0000)[dD][89a-fA-F][0-9a-fA-F]{{2}}|{_NO_CHARACTER})")
_TAB = re.compile(
    r"((?:(?<![^\r\n]) *(?:(?:[-?:]|---) +)*|:[ \t]+)(?:[!&]\S*[ \t]+)*\|[-+1-9]{0,2}[ \t]*(?:#[^\r\n]*)?\r?\n"
    r"(?: *\r?\n)* +)\t"
)


class HalfCharacter(Exception):
    """The first half of a character without the second; ``index`` is where it is in the text."""

    def __init__(self, index: int) -> None:
        super().__init__("only the first half of a character: the escape of the second half has to follow")
        self.index = index


class Rewriting:
    """A text as PyYAML can read it: ``text``, of the same length."""

    __slots__ = ("_characters", "_escape", "_restored", "text")

    def __init__(self, text: str) -> None:
        stand_ins = dict(zip(_REPLACED, _unused(text)))
        percent, question, colon = (stand_ins.get(char, char) for char in "%?:")
        tab = stand_ins.get("\t", "\t")
        backslash = stand_ins.get("\\", "\\")
        text = text.translate({ord(char): stand_ins[char] for char in _BREAKS if char in stand_ins})
        end = _END.match(text)
        text = text if end is None else text[: end.end() - 3] + "#" + text[end.end() - 2 :]
        text = _DIRECTIVES.sub(lambda lines: _UNKNOWN_DIRECTIVE.sub("#", lines.group()).replace("\t", " "), text, 1)
        text = _INDENTED.sub(lambda line: _PERCENT.sub(percent, line.group()), text)
        text = _QUESTION.sub(lambda found: (found.group(1) or found.group(2) or found.group(3) or "") + question, text)
        text = _COLON_BEFORE.sub(lambda found: found.group(1) + colon, text)
        text = _SECOND_COLON.sub(lambda found: found.group(1) + colon, text)
        text = _COLON_BEHIND.sub(lambda found: found.group(1) + colon, text)
        text = _SURROGATE.sub(lambda found: found.group(1) + backslash, text)
        self.text = _TAB.sub(lambda found: found.group(1) + tab, text)
        self._restored = str.maketrans({stand_in: char for char, stand_in in stand_ins.items()})
        escape = re.escape(backslash)
        self._escape = re.compile(escape)
        half = r"[dD][c-fC-F][0-9a-fA-F]{2}"
        self._characters = re.compile(
            rf"{escape}u([dD][89abAB][0-9a-fA-F]{{2}})(?:{escape}u({half}))?|"
            rf"{escape}(?:u{half}|U0000[0-9a-fA-F]{{4}}|{_NO_CHARACTER})"
        )

    def restore(self, root: Any) -> None:
        """Give the nodes below ``root`` the characters of the text. Raises HalfCharacter."""
        for node in _nodes(root):
            if node.id == "scalar":
                self._restore_scalar(node)
            else:
                node.tag = self.restored(node.tag)

    def restored(self, text: str) -> str:
        """Return a piece of ``text`` with its own characters."""
        return text.translate(self._restored)

    def with_original_characters(self, message: str) -> str:
        """Return a message of PyYAML with the characters of the text."""
        for stand_in, char in self._restored.items():
            message = message.replace(repr(chr(stand_in))[1:-1], repr(char)[1:-1])
        return message

    def _restore_scalar(self, node: Any) -> None:
        if node.style == '"' and self._escape.search(node.value):
            node.value = self._characters.sub(lambda found: self._character(found, node), node.value)
        node.value = self.restored(node.value)
        node.tag = self.restored(node.tag)

    def _character(self, escape: re.Match[str], node: Any) -> str:
        high, low = escape.groups()
        if low:
            return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
        if high:
            raise HalfCharacter(self._place_of_half(node))
        return "\ufffd"

    def _place_of_half(self, node: Any) -> int:
        written = self._characters.finditer(self.text, node.start_mark.index, node.end_mark.index)
        return next(found.start() for found in written if found.group(1) and not found.group(2))


def _unused(text: str) -> list[str]:
    """Characters for private use that the text does not hold."""
    used = set(text)
    found: list[str] = []
    code = 0xF0000
    while len(found) < len(_REPLACED) and code < 0x10FFFE:
        if code & 0xFFFF < 0xFFFE and chr(code) not in used:
            found.append(chr(code))
        code += 1
    return found


def mark_texts(root: Any, text: str) -> None:
    """Give the scalars below ``root`` that have the tag ``!`` alone the tag of quoted text, as YAML 1.2 reads them.

    An empty one without quotes stays null, as the original has it.
    """
    for node in _nodes(root):
        if node.id != "scalar" or node.tag not in ("", "!") or node.value == "<<":
            continue
        if _BARE_TAG.match(text, node.start_mark.index):
            is_written = node.value or text[node.end_mark.index - 1] in "'\"" or node.style in ("|", ">")
            node.tag = "!" if is_written else ""


def _nodes(root: Any) -> Iterator[Any]:
    """Yield the nodes below ``root``, each once."""
    waiting = [root]
    seen = set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if node.id != "scalar":
            for item in node.value:
                waiting.extend(item if node.id == "mapping" else (item,))

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names in ``snake_case``, ``kebab-case`` and ``CamelCase``. Rules: xstrings 1.5, which Sprig uses."""

from __future__ import annotations

from ... import letters
from ..function import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

_NONE, _NUMBER, _UPPER, _LETTERS, _CONNECTOR, _PUNCTUATION, _OTHER = range(7)


def _connects(char: str) -> bool:
    return char in "-_" or letters.is_space(char)


def _is_alphabetic(char: str) -> bool:
    """Return whether ``char`` is a letter that words are made of: Chinese characters are not."""
    if not letters.is_letter(char):
        return False
    return not ("\u4e00" <= char <= "\u9fcc" or "\u3400" <= char <= "\u4d85" or "\U00020000" <= char <= "\U0002b81d")


def _is_small(char: str) -> bool:
    return _is_alphabetic(char) and not letters.is_upper(char)


def _is_other(char: str) -> bool:
    return not (_connects(char) or _is_alphabetic(char) or letters.is_number(char) or letters.is_punctuation(char))


class _Words:
    """Takes word after word off a text: ``kind``, ``word``. Undecodable bytes go with what follows."""

    def __init__(self, text: str) -> None:
        #: The letters that decide, and each with what goes with it.
        self.letters: list[str] = []
        self.pieces: list[str] = []
        self.at = 0
        self.kind = _NONE
        self.word = ""
        piece = ""
        for char in text:
            piece += char
            if not _is_broken(char):
                self.letters.append(char)
                self.pieces.append(piece)
                piece = ""
        if piece and self.pieces:
            self.pieces[-1] += piece
        elif piece:
            self.letters, self.pieces = [letters.ERROR], [piece]

    @property
    def is_at_end(self) -> bool:
        """Whether no word is left."""
        return self.at == len(self.letters)

    def next(self) -> None:
        """Go to the next word; at the end there is one of no kind."""
        begin = self.at
        if self.is_at_end:
            self.kind = _NONE
        else:
            self.kind = _kind(self.letters[begin])
            self.at = self._capitals_end() if self.kind == _UPPER else self._end(_BELONGS[self.kind])
        self.word = "".join(self.pieces[begin : self.at])

    def _end(self, belongs: Callable[[str], bool]) -> int:
        """Return where the run of letters ends that belong to the one at hand."""
        end = self.at + 1
        while end < len(self.letters) and belongs(self.letters[end]):
            end += 1
        return end

    def _capitals_end(self) -> int:
        """Return the end of a word that begins with a capital: ``Status``, or ``HTTP`` in front of ``Status``."""
        end = self._end(letters.is_upper)
        if end == self.at + 1:
            return self._end(_is_small)
        return end - 1 if end < len(self.letters) and _is_alphabetic(self.letters[end]) else end


def _is_broken(char: str) -> bool:
    return char == letters.ERROR or "\ud800" <= char <= "\udfff"


def _kind(char: str) -> int:
    if _is_broken(char):
        return _NONE
    if _connects(char):
        return _CONNECTOR
    if letters.is_punctuation(char):
        return _PUNCTUATION
    if letters.is_upper(char):
        return _UPPER
    if _is_alphabetic(char):
        return _LETTERS
    return _NUMBER if letters.is_number(char) else _OTHER


#: Which letters go on with a word of each kind.
_BELONGS: dict[int, Callable[[str], bool]] = {
    _NONE: _is_broken,
    _NUMBER: letters.is_number,
    _LETTERS: _is_small,
    _CONNECTOR: _connects,
    _PUNCTUATION: letters.is_punctuation,
    _OTHER: _is_other,
}


def _written(kind: int, word: str, connector: str) -> str:
    if kind not in (_UPPER, _CONNECTOR):
        return word
    return "".join(connector if _connects(char) else _small(char) for char in letters.runes(word))


def _small(char: str) -> str:
    return letters.lower_letter(char) if letters.is_upper(char) else char


def _with_connector(text: str, connector: str) -> str:
    """Return the words of ``text`` in small letters with ``connector`` between them."""
    words = _Words(text)
    out: list[str] = []
    words.next()
    while not words.is_at_end:
        if words.kind != _CONNECTOR:
            out.append(_written(words.kind, words.word, connector))
        before, last = words.kind, words.word
        words.next()
        if before == _NUMBER:
            _take_letters_and_numbers(words, out, connector)
        elif before == _CONNECTOR:
            out.append(_written(before, last, connector))
        elif before != _PUNCTUATION:
            _after_letters(words, out, connector)
    out.append(_written(words.kind, words.word, connector))
    return "".join(out)


def _take_letters_and_numbers(words: _Words, out: list[str], connector: str) -> None:
    while words.kind in (_LETTERS, _NUMBER):
        out.append(_written(words.kind, words.word, connector))
        words.next()
    if words.kind not in (_NONE, _PUNCTUATION, _CONNECTOR):
        out.append(connector)


def _after_letters(words: _Words, out: list[str], connector: str) -> None:
    if words.kind != _NUMBER:
        if words.kind not in (_CONNECTOR, _PUNCTUATION):
            out.append(connector)
        return
    if words.is_at_end:
        return
    number = words.word
    words.next()
    if words.kind == _LETTERS:
        # Small letters after a number: the number begins a word of its own (HTTP2xx is http_2xx).
        out += [connector, number]
        _take_letters_and_numbers(words, out, connector)
        return
    out.append(number)
    if words.kind not in (_CONNECTOR, _PUNCTUATION):
        out.append(connector)


def _camel(text: str) -> str:
    text = letters.runes(text)
    start = 0
    while start < len(text) and _connects(text[start]):
        start += 1
    out = list(text[:start])
    if start == len(text):
        # The original writes the last connector twice.
        return text + text[-1:]
    was_upper = letters.is_upper(text[start])
    char = letters.upper_letter(text[start])
    for following in text[start + 1 :]:
        before, char = char, following
        if _connects(char) and _connects(before):
            out.append(before)
        elif _connects(before):
            was_upper = letters.is_upper(char)
            char = letters.upper_letter(char)
        else:
            if was_upper and letters.is_upper(char):
                char = letters.lower_letter(char)
            else:
                was_upper = False
            out.append(before)
    return "".join(out) + char


FUNCTIONS = {
    "snakecase": Function(lambda text: _with_connector(text, "_"), "string"),
    "kebabcase": Function(lambda text: _with_connector(text, "-"), "string"),
    "camelcase": Function(_camel, "string"),
}

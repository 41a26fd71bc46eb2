# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""JSON texts as documents: parsed values, and the place of each (worked out only when asked).

The scanner in C of `json` reads values; `json` itself, which imports `re` and more, is imported for a text that is not
valid, whose mistake it names.
"""

from __future__ import annotations

from .yaml import MAX_DEPTH, YAMLError, decode, excerpt, split_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from json import JSONDecoder
    from typing import Any, Callable, Sequence, Tuple

    Place = Tuple[int, int]

    make_scanner: Any
else:
    try:
        from _json import make_scanner
    except ImportError:
        make_scanner = None

_SPACES = (" ", "\t", "\n", "\r")
_DIGITS = 4300


class JSONDocument:
    """A parsed JSON text with the face of yaml.Document: ``value``, ``position``, ``value_position``, ``scalar``."""

    __slots__ = ("_lines", "_scan", "name", "text", "value")

    def __init__(self, value: Any, text: str, name: str) -> None:
        self.value = value
        self.text = text
        self.name = name
        self._lines: list[str] | None = None
        self._scan = _scanner(int, float, _constant)

    @property
    def lines(self) -> list[str]:
        """The lines of the source without their ends."""
        if self._lines is None:
            self._lines = split_lines(self.text)
        return self._lines

    def position(self, path: Sequence[str | int]) -> tuple[int, int] | None:
        """Return (line, column), from 1, of the key at ``path``, or of a list's entry; None when there is none."""
        found = self._find(path)
        return None if found is None else place(self.text, found[0])

    def value_position(self, path: Sequence[str | int]) -> tuple[int, int] | None:
        """Return (line, column), from 1, of the value at ``path``; None when there is none."""
        found = self._find(path)
        return None if found is None else place(self.text, found[1])

    def scalar(self, path: Sequence[str | int]) -> str | None:
        """Return the text at ``path``, or the number or literal as it was written; None for lists, objects, nothing."""
        found = self._find(path)
        if found is None or self.text[found[1]] in "[{":
            return None
        value, end = self._scan(self.text, found[1])
        return value if isinstance(value, str) else self.text[found[1] : end]

    def is_unquoted(self, path: Sequence[str | int]) -> bool:
        """No text of JSON is without quotes."""
        return False

    def repeated_key(self, path: Sequence[str | int]) -> tuple[str, Place, Place] | None:
        """Return a key that an object at ``path``, or deeper, has twice, and (line, column) of both; else None."""
        found = self._find(path)
        return None if found is None else self._repeated(found[1])

    def _repeated(self, index: int) -> tuple[str, Place, Place] | None:
        opener = self.text[index]
        if opener not in "[{":
            return None
        labels: dict[str, int] = {}
        index = self._skip(index + 1)
        while self.text[index] not in "]}":
            if opener == "{":
                label = index
                key, index = self._scan(self.text, index)
                index = self._skip(self._skip(index) + 1)
                if key in labels:
                    return key, place(self.text, labels[key]), place(self.text, label)
                labels[key] = label
            found = self._repeated(index)
            if found is not None:
                return found
            index = self._next(index)
        return None

    def _find(self, path: Sequence[str | int]) -> tuple[int, int] | None:
        label = index = self._skip(0)
        for step in path:
            if isinstance(step, str) and self.text[index] == "{":
                found = self._member(index, step)
            elif isinstance(step, int) and self.text[index] == "[":
                found = self._entry(index, step)
            else:
                return None
            if found is None:
                return None
            label, index = found
        return label, index

    def _member(self, index: int, name: str) -> tuple[int, int] | None:
        """Return the indexes of key and value of the last member called ``name`` in the object at ``index``."""
        found = None
        index = self._skip(index + 1)
        while self.text[index] == '"':
            label = index
            key, index = self._scan(self.text, index)
            index = self._skip(self._skip(index) + 1)
            if key == name:
                found = (label, index)
            index = self._next(index)
        return found

    def _entry(self, index: int, number: int) -> tuple[int, int] | None:
        index = self._skip(index + 1)
        while self.text[index] != "]" and number > 0:
            index = self._next(index)
            number -= 1
        return (index, index) if number == 0 and self.text[index] != "]" else None

    def _next(self, index: int) -> int:
        """Return where the member or entry after the value at ``index`` begins, or the closing bracket."""
        end = self._skip(self._scan(self.text, index)[1])
        return self._skip(end + 1) if self.text[end] == "," else end

    def _skip(self, index: int) -> int:
        return _skip(self.text, index)


def load_json(text: str | bytes, name: str = "", floats: bool = False) -> JSONDocument:
    """Return a JSON text as a document with the same face as yaml.load()'s.

    ``floats`` makes every number a float, which is how the original reads JSON facts and data. Raises YAMLError.
    """
    text = decode(text)
    try:
        value = _value(text, _float if floats else _integer)
    except RecursionError:
        raise YAMLError(f"nested more than {MAX_DEPTH} levels deep", 1, 1, "", name) from None
    except ValueError as error:
        index, message = getattr(error, "pos", None), getattr(error, "msg", "")
        if index is None:
            raise YAMLError(f"not valid JSON: {error}", 1, 1, "", name) from None
        line, column = place(text, index)
        shown = excerpt(text.split("\n")[line - 1] if text[index:] else "", line, column)
        if not text[index:].strip() or message.startswith("Unterminated string"):
            # As the original says it.
            raise YAMLError("unexpected end of JSON input", line, column, shown, name) from None
        raise YAMLError(_message(message), line, column, shown, name) from None
    if _too_deep(value):
        raise YAMLError(f"nested more than {MAX_DEPTH} levels deep", 1, 1, "", name)
    return JSONDocument(value, text, name)


class _Kinds:
    """What the scanner makes of numbers and of `NaN` and infinities, and that it makes maps and lists of the others."""

    strict = True
    object_hook = object_pairs_hook = None

    def __init__(
        self, integer: Callable[[str], int | float], real: Callable[[str], float], constant: Callable[[str], float]
    ) -> None:
        self.parse_int = integer
        self.parse_float = real
        self.parse_constant = constant


def _scanner(
    integer: Callable[[str], int | float], real: Callable[[str], float], constant: Callable[[str], float]
) -> Callable[[str, int], tuple[Any, int]]:
    """Return what returns the value at an index of a text, and the index after it."""
    if make_scanner is not None:
        scan: Callable[[str, int], tuple[Any, int]] = make_scanner(_Kinds(integer, real, constant))
        return scan
    return _decoder(integer, real, constant).raw_decode


def _value(text: str, integer: Callable[[str], int | float]) -> Any:
    """Return the value of a text. Raises ValueError, which has `pos` and `msg` where it is not JSON; RecursionError."""
    if "\x00" in text:
        raise ValueError("it holds a NUL character")
    try:
        value, end = _scanner(integer, _float, _constant)(text, _skip(text, 0))
    except (StopIteration, SystemError):
        # Nothing more is said of a mistake where `json` is not imported.
        end = -1
    if end >= 0 and _skip(text, end) == len(text):
        return value
    return _decoder(integer, _float, _constant).decode(text)


def _decoder(
    integer: Callable[[str], int | float], real: Callable[[str], float], constant: Callable[[str], float]
) -> JSONDecoder:
    import json

    return json.JSONDecoder(parse_int=integer, parse_float=real, parse_constant=constant)


def _skip(text: str, index: int) -> int:
    """Return the index of the next character that is no blank."""
    while text[index : index + 1] in _SPACES:
        index += 1
    return index


def place(text: str, index: int) -> tuple[int, int]:
    """Return (line, column), from 1, of a character of ``text``."""
    begin = text.rfind("\n", 0, index) + 1
    return text.count("\n", 0, index) + 1, index - begin + 1


def _message(text: str) -> str:
    return "not valid JSON: " + text[:1].lower() + text[1:].replace("enclosed in double quotes", "in double quotes")


def _integer(text: str) -> int:
    if len(text) > _DIGITS:
        raise ValueError("a number has too many digits")
    return int(text)


def _float(text: str) -> float:
    value = float(text)
    if value - value != 0:
        raise ValueError("a number is too large: " + text[:40])
    return value


def _constant(text: str) -> float:
    raise ValueError(text + " is not a JSON value")


def _too_deep(value: Any) -> bool:
    level = [value]
    for _level in range(MAX_DEPTH + 1):
        level = [
            child
            for item in level
            if isinstance(item, (dict, list))
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return False
    return True

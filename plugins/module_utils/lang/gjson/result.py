# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The result of a path: a value of the document, or a value that the path itself made as JSON text."""

from __future__ import annotations

from ..go import json as gojson
from ..go.fmt import float_plain, sprint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence

#: Longest JSON text that a path may make.
MAX_TEXT = 1 << 24

_INT_RANGE = (-(1 << 63), (1 << 64) - 1)


class GJSONError(Exception):
    """A path whose work or result is beyond all bounds, or a document with values that JSON does not have."""


class Result:
    """What a path found.

    ``kind`` is ``missing``, ``null``, ``false``, ``true``, ``number``, ``string``, ``object`` or ``array``.
    """

    __slots__ = ("_items", "_raw", "_value", "kind")

    def __init__(self, kind: str, value: Any = None, raw: str | None = None) -> None:
        self.kind = kind
        self._value = value
        self._raw = raw
        self._items: list[tuple[str, str, Result]] | None = None

    @property
    def exists(self) -> bool:
        """Whether the path found something; null is something."""
        return self.kind != "missing"

    @property
    def raw(self) -> str:
        """The JSON text: keys sorted, ``<``, ``>`` and ``&`` escaped; empty when nothing was found."""
        if self._raw is None:
            self._raw = self._write()
            if len(self._raw) > MAX_TEXT:
                raise GJSONError("the result of the path is too large")
        return self._raw

    @property
    def value(self) -> Any:
        """The value as Python data. Every number is a float, as in GJSON; nothing found gives None."""
        try:
            return self.read()
        except RecursionError:
            raise GJSONError("the result of the path is nested too deeply") from None

    @property
    def string(self) -> str:
        """The value as text: a string's own text, a number without exponent, else the JSON text; null is empty."""
        if self.kind == "string":
            text: str = self._value
            return text
        if self.kind in ("missing", "null"):
            return ""
        if self.kind == "number" and not _whole(self.raw):
            return float_plain(self.number)
        return self.kind if self.kind in ("true", "false") else self.raw

    @property
    def number(self) -> float:
        """The value of a number as a float; 0.0 for all else."""
        if self.kind != "number":
            return 0.0
        try:
            return float(self._value)
        except OverflowError:
            return float("inf") if self._value > 0 else float("-inf")

    def lookup_value(self) -> Any:
        """Return what ``lookup()`` gives: as ``value``, but a number without a point in its JSON text is an int.

        ``2.0`` is 2 and ``1e-7`` is 0, for that is how Go writes and reads them (vectors/NOTES.md, gjson.jsonl).
        """
        if self.kind != "number":
            return self.value
        number = self.number
        if "." in self.raw or number - number != 0:
            return number
        if abs(number) <= (1 << 53) - 1:
            return int(number)
        if _whole(self.raw) and len(self.raw) <= 21:
            return int(self.raw)
        return int(number) if _INT_RANGE[0] <= number <= _INT_RANGE[1] else number

    def truth(self) -> bool:
        """Return the value of an option: true, a number that is not 0, or a text that says true."""
        if self.kind == "string":
            return self._value.lower() in ("1", "t", "true")
        return self.kind == "true" or (self.kind == "number" and self.number != 0)

    def member(self, name: str) -> list[Result]:
        """Return the values under a key of an object: none, one, or more where a path made the key twice."""
        if self._native():
            try:
                return [of(self._value[name])]
            except KeyError:
                return []
        return [item for key, _written, item in self.items() if key == name]

    def entries(self) -> Sequence[Result]:
        """Return the entries of an array."""
        if self._native():
            return [of(item) for item in self._value]
        return [item for _key, _written, item in self.items()]

    def items(self) -> list[tuple[str, str, Result]]:
        """Return (key, key as JSON text, value) of an object in its order, or of an array with empty keys."""
        if self._items is None:
            if self.kind == "object":
                self._items = [(name, gojson.string(name), of(self._value[key])) for name, key in _keys(self._value)]
            else:
                self._items = [("", "", of(item)) for item in self._value or ()]
        return self._items

    def _native(self) -> bool:
        return self._value is not None and self.kind in ("object", "array")

    def _write(self) -> str:
        if self._items is not None and not self._native():
            parts = [f"{written}:{item.raw}" if written else item.raw for _key, written, item in self._items]
            if sum(map(len, parts)) > MAX_TEXT:
                raise GJSONError("the result of the path is too large")
            return ("{%s}" if self.kind == "object" else "[%s]") % ",".join(parts)
        if self.kind == "missing":
            return ""
        try:
            return gojson.marshal(self._value)
        except gojson.GoJSONError as error:
            raise GJSONError(str(error)) from None

    def read(self) -> Any:
        """Return the value as Python data."""
        return self.pieced()

    def inside(self) -> Result:
        """Return what it is as an entry of an array or object; MISSING when it is no entry then."""
        return self

    def pieced(self) -> Any:
        """Return the value as Python data, put together piece by piece."""
        if self.kind == "number":
            return self.number
        if self.kind in ("true", "false"):
            return self.kind == "true"
        if self.kind == "array":
            return [item.pieced() for item in (entry.inside() for entry in self.entries()) if item is not MISSING]
        if self.kind == "object":
            data: dict[str, Any] = {}
            for key, _written, item in self.items():
                if key not in data:
                    data[key] = item.inside().pieced()
            return data
        return self._value


def _whole(text: str) -> bool:
    digits = text[1:] if text.startswith("-") else text
    return digits.isdigit() and digits.isascii()


def _keys(values: Any) -> list[tuple[str, Any]]:
    """Return (text, key) of the keys of a mapping in the order in which Go writes them."""
    keys = [(key if isinstance(key, str) else sprint(key), key) for key in values]
    if not getattr(values, "keep_order", False):
        keys.sort(key=_text)
    return keys


def _text(pair: tuple[str, Any]) -> str:
    return pair[0]


MISSING = Result("missing")


def of(value: Any) -> Result:
    """Return a value of the document as a result."""
    if isinstance(value, str):
        return Result("string", value)
    if value is None:
        return Result("null")
    if isinstance(value, bool):
        return Result("true" if value else "false", value)
    if isinstance(value, (int, float)):
        return Result("number", value)
    if hasattr(value, "go_json"):
        return of(value.go_json())
    if hasattr(value, "keys"):
        return Result("object", value)
    if isinstance(value, (list, tuple)):
        return Result("array", value)
    try:
        # Bytes are a text in JSON; nothing else has a form in it.
        text = gojson.marshal(value)
        return Result("string", text[1:-1], text)
    except gojson.GoJSONError as error:
        raise GJSONError(str(error)) from None


def array(items: list[Result]) -> Result:
    """Return an array of results."""
    result = Result("array")
    result._items = [("", "", item) for item in items]
    return result


def mapping(items: list[tuple[str, str, Result]]) -> Result:
    """Return an object of (key, key as JSON text, value)."""
    result = Result("object")
    result._items = items
    return result

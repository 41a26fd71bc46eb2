# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""YAML as we write it: scalars as the original writes them, but never so that they are read otherwise."""

from __future__ import annotations

import io

from .controls import in_json
from .go.fmt import GoFormatError, sprint
from .yaml import YAMLError, emitter, encodable
from .yamlscalars import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

_FIRST = "*&[{}],!|>%'\"@ `"
#: Booleans of older dialects.
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off"))
#: What other dialects read as something else and ours reads as text, beside numbers and times.
_OTHERS = frozenset(("=", "<<", "+.inf", "+.Inf", "+.INF"))
_DIGITS = "0123456789"
_DIGITS_OF_BASES = {"0b": "01_", "0x": _DIGITS + "abcdefABCDEF_"}
_TIME = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?"
_ZONE = r"(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?"


class Plain(str):
    """A text that is written without quotes, also when it reads as another kind: a time."""

    __slots__ = ()


def dump(value: Any) -> str:
    """Return ``value`` as YAML: mappings in their order, texts of several lines as blocks, texts that would read as
    something else, or have characters that control a terminal (Q113), in quotes. yaml.load() gives the value back.

    Raises YAMLError for what has no YAML form, YAMLUnavailable.
    """
    emitter_class, events, error_classes = emitter()
    stream = io.StringIO()
    writer = emitter_class(stream, width=1 << 30, allow_unicode=True)
    emit = writer.emit
    try:
        emit(events.StreamStartEvent())
        emit(events.DocumentStartEvent(explicit=False))
        _Values(events, emit).write(value)
        emit(events.DocumentEndEvent(explicit=False))
        emit(events.StreamEndEvent())
    except (*error_classes, GoFormatError, RecursionError, ValueError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise YAMLError("cannot be written as YAML: " + reason) from None
    finally:
        writer.dispose()
    text = stream.getvalue()
    # Only texts in double quotes have such characters.
    return in_json(text[:-4] if text.endswith("\n...\n") else text)


class _Values:
    """Emits the events of values."""

    __slots__ = ("_emit", "_events")

    def __init__(self, events: Any, emit: Callable[[Any], None]) -> None:
        self._events = events
        self._emit = emit

    def write(self, value: Any) -> None:
        """Emit the events of a value. Raises ValueError and GoFormatError for what has no YAML form."""
        if isinstance(value, dict):
            self._emit(self._events.MappingStartEvent(None, None, True, flow_style=False))
            for key, entry in value.items():
                self.write(key)
                self.write(entry)
            self._emit(self._events.MappingEndEvent())
        elif isinstance(value, (list, tuple)):
            self._emit(self._events.SequenceStartEvent(None, None, True, flow_style=False))
            for entry in value:
                self.write(entry)
            self._emit(self._events.SequenceEndEvent())
        elif isinstance(value, Plain):
            self._unquoted(str(value))
        elif isinstance(value, str):
            self._text(str(value))
        elif isinstance(value, bytes):
            self._binary(value)
        elif value is None or isinstance(value, (bool, int, float)):
            self._unquoted(_word(value))
        else:
            self._text(sprint(value))

    def _text(self, text: str) -> None:
        shown = text if text.isascii() else encodable(text)
        style = _style(shown)
        is_plain = style is not None or not _is_other_elsewhere(shown)
        # With its tag, which is not written, PyYAML's emitter in Python has no `---` before an empty text.
        self._emit(self._events.ScalarEvent(None, "tag:yaml.org,2002:str", (is_plain, True), shown, style=style))

    def _binary(self, value: bytes) -> None:
        from binascii import b2a_base64

        lines = "".join(b2a_base64(value[at : at + 57]).decode("ascii") for at in range(0, len(value), 57))
        self._emit(self._events.ScalarEvent(None, "tag:yaml.org,2002:binary", (False, False), lines, style="|"))

    def _unquoted(self, text: str) -> None:
        self._emit(self._events.ScalarEvent(None, None, (True, True), text))


def _word(value: float | None) -> str:
    """Return null, a boolean or a number as YAML has it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if value - value != 0:
        return ".inf" if value > 0 else "-.inf" if value < 0 else ".nan"
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e")


def _style(text: str) -> str | None:
    """Return the style of a text.

    A block for several lines, double quotes where it could be taken for something else, or has an escape (Q113).
    """
    if not text.isascii() and in_json(text) != text:
        return '"'
    if "\n" in text:
        return "|"
    return '"' if _needs_quotes(text) else None


def _needs_quotes(text: str) -> bool:
    if not text or text[0] in _FIRST or text[-1] in ": " or "#" in text or "\\" in text:
        return True
    if text == "-" or text.isdigit() or ": " in text or "- " in text or text.lower() in _WORDS:
        return True
    return text[0] in "0123456789+-.~nNtTfF" and (_is_time(text) or not isinstance(plain(text), str))


def _is_time(text: str) -> bool:
    """Return whether a text begins as a date, or is a time of day."""
    day = text[:10].split("-")
    if len(day) == 3 and all(part.isdigit() for part in day) and len(day[0]) == 4:
        return True
    hours, colon, minutes = text.partition(":")
    return bool(colon) and hours.isdigit() and minutes.isdigit() and len(hours) < 3 and len(minutes) < 3


def _is_other_elsewhere(text: str) -> bool:
    """Return whether a text without quotes is something else in YAML 1.1, of which ours keeps less."""
    if text[0] not in "0123456789+-.=<":
        return False
    if text in _OTHERS or _is_number_elsewhere(text):
        return True
    if text[4:5] != "-" or not text[:4].isdigit():
        return False
    import re

    return re.fullmatch(_TIME + _ZONE, text) is not None


def _is_number_elsewhere(text: str) -> bool:
    """Return whether a text is a number of YAML 1.1, which has sixties (`12:30:45`) and other places of `_`."""
    digits = text[1:] if text[0] in "+-" else text
    of_base = _DIGITS_OF_BASES.get(digits[:2])
    if of_base:
        return len(digits) > 2 and not digits[2:].strip(of_base)
    whole, point, rest = digits.partition(".")
    fraction, mark, exponent = rest.replace("E", "e").partition("e")
    if fraction.strip(_DIGITS + "_") or (mark and not _is_exponent(exponent)):
        return False
    if not whole:
        return text[0] == "." and fraction[:1] in _DIGITS and fraction != ""
    first, *sixties = whole.split(":")
    if first[:1] not in _DIGITS or not first or first.strip(_DIGITS + "_"):
        return False
    if sixties:
        return not mark and (bool(point) or first[0] != "0") and all(map(_is_below_sixty, sixties))
    return bool(point) or first[0] != "0" or not first.strip("01234567_")


def _is_exponent(text: str) -> bool:
    return text[:1] in ("+", "-") and len(text) > 1 and not text[1:].strip(_DIGITS)


def _is_below_sixty(text: str) -> bool:
    return 0 < len(text) < 3 and not text.strip(_DIGITS) and (len(text) == 1 or text[0] < "6")

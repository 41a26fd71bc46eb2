# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""``printf`` as Go's package fmt has it: flags, widths, precisions, argument indexes, and what it says of mistakes."""

from __future__ import annotations

from . import printf_numbers, printf_texts
from .fmt import sorted_keys
from .kinds import kind_name, plain, type_name
from .printf_flags import Flags
from .values import NilList, NilMap, Uint8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence

#: Widths, precisions and argument indexes above it count as mistakes.
_LARGEST = 1000000


def sprintf(layout: str, values: Sequence[Any]) -> str:
    """Return ``values`` in the form that ``layout`` asks for; mistakes show up in the text: ``%!d(string=x)``."""
    return _Printer(layout, values).run()


def verbose(value: Any, verb: str = "v") -> str:
    """Return one value as a verb without flags prints it."""
    return _Values(Flags()).argument(value, verb)


class _Printer:
    """One call of ``printf``."""

    def __init__(self, layout: str, values: Sequence[Any]) -> None:
        self.layout = layout
        self.values = values
        self.out: list[str] = []
        self.at = 0
        self.next = 0
        self.reordered = False
        self.good_index = True
        self.flags = Flags()

    def run(self) -> str:
        layout = self.layout
        while True:
            start = layout.find("%", self.at)
            if start < 0:
                self.out.append(layout[self.at :])
                break
            self.out.append(layout[self.at : start])
            self.at = start + 1
            self._directive()
        if not self.reordered and self.next < len(self.values):
            rest = [_described(value) for value in self.values[self.next :]]
            self.out.append("%!(EXTRA " + ", ".join(rest) + ")")
        return "".join(self.out)

    def _directive(self) -> None:
        self.flags = flags = Flags()
        self.good_index = True
        self.at = flags.read(self.layout, self.at)
        after_index = self._width(self._index())
        after_index = self._precision(after_index)
        if not after_index:
            self._index()
        if self.at >= len(self.layout):
            self.out.append("%!(NOVERB)")
            return
        verb = self.layout[self.at]
        self.at += 1
        if verb == "%":
            self.out.append("%")
        elif not self.good_index:
            self.out.append(f"%!{verb}(BADINDEX)")
        elif self.next >= len(self.values):
            self.out.append(f"%!{verb}(MISSING)")
        else:
            if verb in "vw":
                flags.for_value()
            self.next += 1
            self.out.append(_Values(flags).argument(self.values[self.next - 1], verb))

    def _index(self) -> bool:
        """Read an argument index such as ``[2]``; return whether there is a well-formed one."""
        layout, start = self.layout, self.at
        if not layout.startswith("[", start):
            return False
        self.reordered = True
        end = layout.find("]", start + 1)
        if end < 0 or len(layout) - start < 3:
            self.good_index = False
            self.at = start + 1
            return False
        self.at = end + 1
        index, after = _number(layout, start + 1, end)
        if index is None or after != end:
            self.good_index = False
            return False
        if 0 < index <= len(self.values):
            self.next = index - 1
        else:
            self.good_index = False
        return True

    def _star(self) -> int | None:
        """Read ``*`` and take the argument that means it: None when it is no integer, or too large."""
        self.at += 1
        if self.next >= len(self.values):
            return None
        kind, value = plain(self.values[self.next])
        self.next += 1
        return int(value) if kind in ("int", "uint") and -_LARGEST <= value <= _LARGEST else None

    def _width(self, after_index: bool) -> bool:
        flags = self.flags
        if self.layout.startswith("*", self.at):
            flags.width = self._star()
            if flags.width is None:
                self.out.append("%!(BADWIDTH)")
            elif flags.width < 0:
                flags.width, flags.minus, flags.zero = -flags.width, True, False
            return False
        flags.width, self.at = _number(self.layout, self.at, len(self.layout))
        if after_index and flags.width is not None:
            self.good_index = False
        return after_index

    def _precision(self, after_index: bool) -> bool:
        flags, layout = self.flags, self.layout
        if not layout.startswith(".", self.at) or self.at + 1 >= len(layout):
            return after_index
        self.at += 1
        if after_index:
            self.good_index = False
        after_index = self._index()
        if layout.startswith("*", self.at):
            flags.precision = self._star()
            if flags.precision is None or flags.precision < 0:
                flags.precision = None
                self.out.append("%!(BADPREC)")
            return False
        flags.precision, self.at = _number(layout, self.at, len(layout))
        if flags.precision is None:
            flags.precision = 0
        return after_index


def _number(layout: str, at: int, end: int) -> tuple[int | None, int]:
    """Return the number at an offset, None without one or when it is too large, and the offset behind it."""
    start, found = at, 0
    while at < end and "0" <= layout[at] <= "9":
        if found > _LARGEST:
            return None, end
        found = found * 10 + int(layout[at])
        at += 1
    return (found if at > start else None), at


def _described(value: Any) -> str:
    return "<nil>" if value is None else f"{type_name(value)}={verbose(value)}"


class _Values:
    """Values in the form that one directive asks for."""

    def __init__(self, flags: Flags) -> None:
        self.flags = flags

    def argument(self, value: Any, verb: str) -> str:
        if value is None:
            return self.flags.pad("<nil>") if verb in "Tv" else self._bad(value, verb)
        if verb == "T":
            return self.flags.pad(self.flags.cut(type_name(value)))
        if verb == "p":
            return self._address(value, verb)
        return self._value(value, verb, False)

    def _bad(self, value: Any, verb: str) -> str:
        """Return what means a value that a verb does not fit."""
        if value is None:
            return f"%!{verb}(<nil>)"
        self.flags.erroring = True
        inside = self._value(value, "v", False)
        self.flags.erroring = False
        return f"%!{verb}({type_name(value)}={inside})"

    def _address(self, value: Any, verb: str) -> str:
        if kind_name(value) not in ("slice", "map", "ptr"):
            return self._bad(value, verb)
        address = "0" if isinstance(value, (NilList, NilMap)) else f"c{id(value) & 0xFFFFFFFFF:09x}"
        return self.flags.pad(address if self.flags.sharp else "0x" + address)

    def _value(self, value: Any, verb: str, inside: bool) -> str:
        flags = self.flags
        if value.__class__ is str:
            shown = printf_texts.text(flags, value, verb)
        elif value is None:
            return "interface {}(nil)" if flags.go_syntax else "<nil>"
        elif flags.go_syntax and hasattr(value, "go_syntax"):
            return str(value.go_syntax())
        elif hasattr(value, "go_text") and not flags.erroring and not flags.go_syntax and verb in "vsxXq":
            shown = printf_texts.text(flags, value.go_text(), verb)
        elif isinstance(value, bytes):
            shown = self._bytes(value, verb, inside)
        elif verb == "w":
            shown = None
        elif hasattr(value, "keys"):
            return self._map(value, verb)
        elif isinstance(value, (list, tuple)):
            return self._list(value, verb)
        else:
            shown = self._scalar(value, verb)
        return self._bad(value, verb) if shown is None else shown

    def _scalar(self, value: Any, verb: str) -> str | None:
        kind, number = plain(value)
        if kind == "bool":
            return self.flags.pad("true" if number else "false") if verb in "tv" else None
        if kind in ("int", "uint"):
            return printf_numbers.integer(self.flags, number, kind == "uint", verb)
        if kind == "float":
            return printf_numbers.floating(self.flags, number, verb)
        if kind == "complex":
            return printf_numbers.complex_(self.flags, number, verb)
        return printf_texts.text(self.flags, value.go_text() if kind == "" else number, verb)

    def _bytes(self, value: bytes, verb: str, inside: bool) -> str | None:
        if verb not in "vd":
            if verb in "sxXq":
                return printf_texts.text(self.flags, value.decode("utf-8", "surrogateescape"), verb)
            return self._list([*map(Uint8, value)], verb)
        shown = [str(printf_numbers.integer(self.flags, byte, True, verb)) for byte in value]
        if self.flags.go_syntax:
            return ("[]uint8" if inside else "[]byte") + "{" + ", ".join(shown) + "}"
        return "[" + " ".join(shown) + "]"

    def _list(self, values: Sequence[Any], verb: str) -> str:
        if not self.flags.go_syntax:
            return "[" + " ".join(self._value(value, verb, True) for value in values) + "]"
        if isinstance(values, NilList):
            return type_name(values) + "(nil)"
        return type_name(values) + "{" + ", ".join(self._value(value, verb, True) for value in values) + "}"

    def _map(self, values: Any, verb: str) -> str:
        pairs = [
            self._value(key, verb, True) + ":" + self._value(values[key], verb, True) for key in sorted_keys(values)
        ]
        if not self.flags.go_syntax:
            return "map[" + " ".join(pairs) + "]"
        if isinstance(values, NilMap):
            return type_name(values) + "(nil)"
        return type_name(values) + "{" + ", ".join(pairs) + "}"

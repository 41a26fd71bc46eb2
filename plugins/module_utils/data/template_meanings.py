# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What names in templates mean in the original, and what it cannot read there (decisions.md Q30, Q51, Q52)."""

from __future__ import annotations

from .fact_names import ANY, about_name, name_in_original, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict

    from .fact_names import Keys

    #: Called with a line of the template, the words there that are meant, and the sentence about them.
    Note = Callable[[int, str, str], None]
    #: What variables mean, by their names.
    Variables = Dict[str, "Meaning | None"]

_NAMES = ("facts", "data", "environ")
_FIELDS = ("Facts", "Data", "Environ")
_VALUE = "Interface"
# What else Go can ask of a value that is wrapped (reflect.Value), without arguments.
_METHODS = frozenset(("Cap", "IsNil", "IsValid", "IsZero", "Kind", "Len", "MapKeys", "MapRange", "String", "Type"))


class Meaning:
    """What a part of a template means: facts, below `keys`, or what holds them."""

    __slots__ = ("keys",)

    def __init__(self, keys: Keys = ()) -> None:
        self.keys = keys

    def member(self, name: str, say: Callable[[str], None]) -> Meaning | None:
        """Return what a member means, None for anything; `say` is called with what the original cannot read."""
        original = name_in_original(self.keys, name)
        if original:
            say(about_name(written("facts", self.keys), name, original))
        return Meaning((*self.keys, name))

    def element(self) -> Meaning | None:
        """Return what an element of the list means, None for anything."""
        return Meaning((*self.keys, ANY))


class Fields(Meaning):
    """The `.` of `jet()`: a struct with facts, data and environment variables."""

    __slots__ = ()

    def member(self, name: str, say: Callable[[str], None]) -> Meaning | None:
        """Return what a field means."""
        return Meaning() if name == _FIELDS[0] else None

    def element(self) -> Meaning | None:
        """Return None: it has no elements."""
        return None


class Wrapped(Fields):
    """Facts, data or variables as the `.` of scaffolds holds them there, inside of a value of Go's reflection."""

    __slots__ = ("advice", "name")

    def __init__(self, name: str, advice: str) -> None:
        super().__init__()
        self.name = name
        self.advice = advice

    def member(self, name: str, say: Callable[[str], None]) -> Meaning | None:
        """Return what a member means: only Interface leads to the value inside."""
        if name == _VALUE:
            return self.inside()
        if name not in _METHODS:
            say(f"the original finds no {name} in .{self.name}: write {self.advice}.{name}")
        return None

    def inside(self) -> Meaning | None:
        """Return what the value inside means."""
        return Meaning() if self.name.lower() == _NAMES[0] else None

    def range(self, say: Callable[[str], None]) -> None:
        """Say that the original cannot range over it."""
        say(f"the original cannot range over .{self.name}: write {self.advice}")


class Dot(Fields):
    """The `.` of scaffolds: names for wrapped values. `advice` has the words to write in place of `.NAME`."""

    __slots__ = ("advice",)

    def __init__(self, advice: str) -> None:
        super().__init__()
        self.advice = advice

    def member(self, name: str, say: Callable[[str], None]) -> Meaning | None:
        """Return what a name means."""
        return Wrapped(name, self.advice.replace("NAME", name)) if name.lower() in _NAMES else None


def global_meaning(name: str) -> Meaning | None:
    """Return what a variable of Jet templates means that is there from the beginning."""
    return Meaning() if name.lower() == _NAMES[0] else None

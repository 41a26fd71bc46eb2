# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values that only expr-lang has, and the memory that an expression may use."""

from __future__ import annotations

from ..go.kinds import IntList, StringList
from ..go.values import AnyMap, FixedList, NilList, conversion, type_name
from .errors import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: What a text or list may cost before expr-lang (and we) give up.
BUDGET = 1000000
#: Longest text that an operator or builtin makes.
MAX_TEXT = 1 << 26
#: What ``reflect.Kind`` calls the kinds of these types.
_KINDS = {
    "time.Time": "struct",
    "templates.Env": "struct",
    "time.Duration": "int64",
    "*time.Location": "ptr",
    "[2]interface {}": "array",
}


class Fields(dict):
    """The public fields of a struct in JSON, which stay in their order."""

    keep_order = True


class Whole(dict):
    """All variables of an environment at once: no map, it has fields and nothing else."""

    GO_TYPE = "templates.Env"
    #: What messages call it.
    SHOWN = "templates.Env"

    def go_json(self) -> Fields:
        """Return the variables under the names that JSON has for them."""
        return Fields((name.lower(), value) for name, value in self.items())


class WholePointer(Whole):
    """The same as ``$env`` gives it; what an operator or builtin takes and returns is no pointer any more."""

    SHOWN = "*templates.Env"


class NilTexts(NilList):
    """The list of no texts that ``split`` makes when it is asked for none."""

    GO_TYPE = "[]string"


class Pair(FixedList):
    """A key and its value, as ``toPairs`` gives them."""

    GO_TYPE = "[2]interface {}"


class Pairs(FixedList):
    """What ``toPairs`` makes."""

    GO_TYPE = "[][2]interface {}"


def kind_name(value: Any) -> str:
    """Return what Go's ``reflect.Kind`` calls the kind of ``value``."""
    if value is None:
        return "invalid"
    name = type_name(value)
    if name.startswith("map["):
        return "map"
    if name.startswith("[]"):
        return "slice"
    return _KINDS.get(name, name)


def part_of(value: Any, items: Any) -> Any:
    """Return ``items``, some of the list ``value``, as a list of the type that ``value`` has."""
    return value.__class__(items) if isinstance(value, (IntList, NilList, StringList, Pairs)) else items


class Groups(AnyMap):
    """What ``groupBy`` makes; a key without group gives a list that was never made."""

    GO_TYPE = "map[interface {}][]interface {}"

    def find(self, key: Any, default: Any = None) -> Any:
        """Return the group under ``key``. Raises Fault for keys that cannot be one."""
        found = super().find(key, default)
        return NilList() if found is None else found


class NoElement:
    """What a closure over a map gets as its element: a map has none."""


NO_ELEMENT = NoElement()


def not_bool(value: Any, at: int) -> Failure:
    """Return the Failure for a condition that is no bool."""
    return Failure(conversion(value, "bool").message, at)


def grow(frame: list[Any], size: int, at: int) -> None:
    """Count ``size`` against the memory budget of the run (``frame[2]``). Raises Failure when it is used up."""
    frame[2] += size
    if frame[2] >= BUDGET:
        raise Failure("memory budget exceeded", at)

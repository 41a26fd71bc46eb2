# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The table of builtins: in which module each lives and what it takes, without importing any of them."""

from __future__ import annotations

from .kinds import (
    ANY,
    BOOL,
    BYTES,
    DURATION,
    FLOAT,
    FLOATS,
    GROUPS,
    INT,
    INTS,
    LIST,
    LOCATION,
    STRING,
    STRINGS,
    Kind,
    Signature,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    # Ansible sends the modules of all import statements to nodes, also of statements that do not run.
    from . import bits, conversions, dates, lists, numbers, sorting, strings  # noqa: F401

#: Builtins with a closure: ``e`` an expression, ``p`` a closure, capitals may be left out.
PREDICATES = {
    "all": "ep",
    "none": "ep",
    "any": "ep",
    "one": "ep",
    "filter": "ep",
    "map": "ep",
    "count": "eP",
    "sum": "eP",
    "find": "ep",
    "findIndex": "ep",
    "findLast": "ep",
    "findLastIndex": "ep",
    "groupBy": "ep",
    "sortBy": "epE",
    "reduce": "epE",
}

#: Module and signatures (``parameters>result``; letters as in ``_LETTERS``); None: the checker has a rule.
_TABLE = {
    "len": ("numbers", None),
    "type": ("conversions", "a>s"),
    "abs": ("numbers", None),
    "ceil": ("numbers", None),
    "floor": ("numbers", None),
    "round": ("numbers", None),
    "int": ("conversions", None),
    "float": ("conversions", None),
    "string": ("conversions", "a>s"),
    "trim": ("strings", "s>s ss>s"),
    "trimPrefix": ("strings", "ss>s s>s"),
    "trimSuffix": ("strings", "ss>s s>s"),
    "upper": ("strings", "s>s"),
    "lower": ("strings", "s>s"),
    "split": ("strings", "ss>S ssi>S"),
    "splitAfter": ("strings", "ss>S ssi>S"),
    "replace": ("strings", "sssi>s sss>s"),
    "repeat": ("strings", "si>s"),
    "join": ("strings", "Ss>s As>s A>s Ss>s S>s"),
    "indexOf": ("strings", "ss>i"),
    "lastIndexOf": ("strings", "ss>i"),
    "hasPrefix": ("strings", "ss>b"),
    "hasSuffix": ("strings", "ss>b"),
    "max": ("numbers", None),
    "min": ("numbers", None),
    "mean": ("numbers", None),
    "median": ("numbers", None),
    "toJSON": ("conversions", "a>s"),
    "fromJSON": ("conversions", "s>a"),
    "toBase64": ("conversions", "s>s"),
    "fromBase64": ("conversions", "s>s"),
    "now": ("dates", None),
    "duration": ("dates", "s>d"),
    "date": ("dates", None),
    "timezone": ("dates", "s>l"),
    "first": ("lists", None),
    "last": ("lists", None),
    "get": ("lists", None),
    "take": ("lists", None),
    "keys": ("lists", None),
    "values": ("lists", None),
    "toPairs": ("lists", None),
    "fromPairs": ("lists", None),
    "reverse": ("lists", None),
    "uniq": ("lists", None),
    "concat": ("lists", None),
    "flatten": ("lists", None),
    "sort": ("sorting", "As>A Is>A Fs>A Ss>A A>A F>A S>A I>A"),
    "bitand": ("bits", "ii>i"),
    "bitor": ("bits", "ii>i"),
    "bitxor": ("bits", "ii>i"),
    "bitnand": ("bits", "ii>i"),
    "bitshl": ("bits", "ii>i"),
    "bitshr": ("bits", "ii>i"),
    "bitushr": ("bits", "ii>i"),
    "bitnot": ("bits", "i>i"),
}

#: What builtins with a closure are as values, written as in ``_TABLE``.
_PREDICATE_TYPES = {
    "all": "Ap>b",
    "none": "Ap>b",
    "any": "Ap>b",
    "one": "Ap>b",
    "filter": "Ap>A",
    "map": "Am>A",
    "count": "Ap>i",
    "sum": "Ap>i",
    "find": "Ap>a",
    "findIndex": "Ap>i",
    "findLast": "Ap>a",
    "findLastIndex": "Ap>i",
    "groupBy": "Am>G",
    "sortBy": "Aps>A",
    "reduce": "Ara>a",
}

_LETTERS = {
    "a": ANY,
    "s": STRING,
    "i": INT,
    "f": FLOAT,
    "S": STRINGS,
    "A": LIST,
    "I": INTS,
    "F": FLOATS,
    "B": BYTES,
    "d": DURATION,
    "l": LOCATION,
    "b": BOOL,
    "G": GROUPS,
    "p": Kind("func(interface {}) bool", "func"),
    "m": Kind("func(interface {}) interface {}", "func"),
    "r": Kind("func(interface {}, interface {}) interface {}", "func"),
}

#: Every name that is a builtin.
BUILTINS = frozenset(_TABLE) | frozenset(PREDICATES)

#: Builtins whose result counts against the memory budget.
MEASURED = frozenset(("repeat", "reverse", "concat", "flatten", "sort"))

#: Builtins that, where the checker has not counted their arguments, take the last one, or as many as they need.
TAKES_LAST = frozenset(("len", "type", "abs", "ceil", "floor", "round", "int", "float", "string", "upper", "lower"))
TAKES_FIRST = frozenset(
    ("first", "last", "get", "toJSON", "fromJSON", "toBase64", "fromBase64", "duration", "timezone")
)

#: Builtins that name themselves when they refuse a number of arguments.
NAMES_ITSELF = frozenset(
    [
        "trim",
        "split",
        "splitAfter",
        "replace",
        "bitand",
        "bitor",
        "bitxor",
        "bitnand",
        "bitshl",
        "bitshr",
        "bitushr",
        "bitnot",
    ]
)

_signatures: dict[str, list[Signature]] = {}


def signatures(name: str) -> list[Signature]:
    """Return the signatures of a builtin; none where the checker has a rule of its own for it."""
    found = _signatures.get(name)
    if found is None:
        text = _TABLE[name][1] if name in _TABLE else _PREDICATE_TYPES[name]
        found = _signatures[name] = [_signature(part) for part in text.split()] if text else []
    return found


def _signature(text: str) -> Signature:
    parameters, _arrow, result = text.partition(">")
    return Signature([_LETTERS[letter] for letter in parameters], _LETTERS[result], results=2 if result in "dl" else 1)


def implementation(name: str) -> Callable[..., Any]:
    """Return the function behind a builtin without closure, importing the module that holds it."""
    found: Callable[..., Any] = _family(_TABLE[name][0])[name]
    return found


def _family(module: str) -> dict[str, Any]:
    """Return the builtins of a module by name, imported now."""
    found: dict[str, Any] = __import__(f"{__package__}.{module}", fromlist=["FUNCTIONS"]).FUNCTIONS
    return found

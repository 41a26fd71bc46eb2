# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How the answer to a vector is compared with what the vector wants ("How to compare" in vectors/NOTES.md).

Both sides are plain JSON values in the form of the recordings: what JSON cannot hold is an object with one key,
`$float`, `$duration`, `$time`, `$map` (pairs, for keys that are no strings) or `$bytes`.
"""

from __future__ import annotations

import base64
import json
import math
import re

MISSING = object()

# Go's type names, by the beginning that decides the kind. What is not listed is its own kind.
KINDS = (
    ("time.Duration", "duration"),
    ("time.Time", "time"),
    ("time.", "integer"),  # Month and Weekday are numbers
    ("uint", "integer"),
    ("int", "integer"),
    ("float", "float"),
    ("[", "list"),
    ("map[", "map"),
)


class Refused(Exception):
    """The program's proper error for a vector's input; its text is what a user would read."""


def kind(type_name):
    """The kind of a Go type name, in nested lists and maps too: integer, float, string, list, map ..."""
    if isinstance(type_name, list):
        return [kind(entry) for entry in type_name]
    if isinstance(type_name, dict):
        return {key: kind(entry) for key, entry in type_name.items()}
    if isinstance(type_name, str):
        return next((name for start, name in KINDS if type_name.startswith(start)), type_name)
    return type_name


def kind_of(encoded):
    """The kind of a value in the form of the recordings; lists and maps are not looked into."""
    if isinstance(encoded, dict) and len(encoded) == 1:
        special = {"$float": "float", "$duration": "duration", "$time": "time", "$map": "map", "$bytes": "list"}
        return special.get(next(iter(encoded)), "map")
    names = {bool: "bool", int: "integer", float: "float", str: "string", list: "list", dict: "map", type(None): "nil"}
    return names[type(encoded)]


def text(value):
    """A text as Go writes it to JSON: a byte that is no UTF-8, a surrogate here, as U+FFFD."""
    return re.sub("[\ud800-\udfff]", "\ufffd", value)


def encode(value, special=None):
    """A Python value in the form of the recordings.

    SPECIAL is asked first: called with each value, it answers None or the finished form (durations and times, whose
    classes this module does not know).
    """
    done = special(value) if special else None
    if done is not None:
        return done
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"}
    if isinstance(value, (bytes, bytearray)):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, (list, tuple)):
        return [encode(entry, special) for entry in value]
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {text(key): encode(entry, special) for key, entry in value.items()}
        return {"$map": [[encode(key, special), encode(entry, special)] for key, entry in value.items()]}
    if isinstance(value, str):
        return text(value)
    for plain in (int, float):
        if isinstance(value, plain) and not isinstance(value, bool):
            return plain(value)
    if value is None or isinstance(value, bool):
        return value
    raise TypeError(f"a vector cannot hold a {type(value).__name__}: {value!r}")


def is_loose(want):
    """Whether WANT is any text that holds the listed words."""
    return isinstance(want, dict) and want.get("any") is True and set(want) <= {"any", "has"}


def same(want, got, unordered=False):
    """Whether GOT is what is wanted: kinds and values exactly, an integer is no float, true is no 1.

    UNORDERED takes the entries of the outermost lists, also the entries of `value`, in any order.
    """
    if is_loose(want):
        words = "\n".join(got) if isinstance(got, list) and all(isinstance(line, str) for line in got) else got
        return isinstance(words, str) and all(word in words for word in want.get("has", []))
    want, got = _without_pairs(want), _without_pairs(got)
    if type(want) is not type(got):
        return False
    if isinstance(want, dict):
        if set(want) != set(got):
            return False
        if set(want) == {"$map"}:
            return _same_bag(want["$map"], got["$map"])
        return all(same(want[key], got[key], unordered and key == "value") for key in want)
    if isinstance(want, list):
        if unordered:
            return _same_bag(want, got)
        return len(want) == len(got) and all(same(*pair) for pair in zip(want, got, strict=True))
    if isinstance(want, float):
        return want == got and math.copysign(1, want) == math.copysign(1, got)
    return want == got


def _without_pairs(value):
    """A map recorded as pairs is an ordinary map when its keys are strings: Go's map[any]any is of the same kind."""
    if (
        isinstance(value, dict)
        and set(value) == {"$map"}
        and all(isinstance(key, str) for key, _entry in value["$map"])
    ):
        return dict(value["$map"])
    return value


def _same_bag(want, got):
    def order(value):
        return json.dumps(value, sort_keys=True)

    return same(sorted(want, key=order), sorted(got, key=order))


def without_excerpt(message):
    """An error's text without expr-lang's source line and caret."""
    return "\n".join(line for line in message.split("\n") if not line.startswith(" | "))


def same_error(vector, message):
    """Whether MESSAGE is the error that a vector wants; see NOTES.md on error_exact and error_has."""
    want = vector["error"]
    if is_loose(want):
        return same(want, message)
    if not vector["error_exact"]:
        return all(part in message for part in vector.get("error_has", []))
    want, got = without_excerpt(want), without_excerpt(message)
    if vector["input"].get("unordered"):
        return sorted(want.split("\n")) == sorted(got.split("\n"))
    return want == got


def verdict(vector, got=MISSING, refused=None):
    """None when the answer is right, or else the pair (wanted, got) as text.

    GOT is the answer in the form of the recordings, REFUSED the error's text; one of them is given.
    """
    if refused is not None:
        if "error" in vector and same_error(vector, refused):
            return None
        shown = f"error {refused!r}"
    else:
        if "want" in vector and same(vector["want"], got, vector["input"].get("unordered", False)):
            return None
        shown = json.dumps(got, ensure_ascii=False, sort_keys=True)
    if "error" in vector:
        wanted = f"error {vector['error']!r}" + ("" if vector["error_exact"] else " or any other error")
        wanted += f" with {vector['error_has']!r}" if vector.get("error_has") else ""
    else:
        wanted = json.dumps(vector["want"], ensure_ascii=False, sort_keys=True)
    return wanted, shown

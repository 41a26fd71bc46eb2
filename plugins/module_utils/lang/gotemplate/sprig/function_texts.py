# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions of Sprig: how each is called, and a sentence. Only documentation reads it.

Functions on numbers, lists, maps, times and values of any type are here, the others in `string_function_texts`.
"""

from __future__ import annotations

from .string_function_texts import ALIASES as STRING_ALIASES
from .string_function_texts import STRICT as STRICT_ON_STRINGS
from .string_function_texts import TEXTS as STRING_TEXTS

_CHOICES = {
    "all": ("all value ...", "Return whether no value is empty, zero or false; without values it is true."),
    "any": ("any value ...", "Return whether a value is neither empty nor zero nor false."),
    "coalesce": ("coalesce value ...", "Return the first value that is neither empty nor zero nor false, else nil."),
    "default": (
        "default fallback value",
        "Return the value, or the fallback if it is empty, zero, false or not given.",
    ),
    "empty": ("empty value", "Return whether the value is empty, zero, false or nil."),
    "fail": ("fail message", "End the rendering with an error that has this message."),
    "ternary": ("ternary yes no condition", "Return the first value if the condition is true, else the second."),
}

_TYPES = {
    "deepEqual": ("deepEqual a b", "Return whether two values have the same type and the same content at all levels."),
    "kindIs": ("kindIs kind value", "Return whether a value is of a kind of Go such as string, int, slice or map."),
    "kindOf": ("kindOf value", "Return the kind that Go has for the value, such as string, int, slice or map."),
    "typeIs": ("typeIs type value", "Return whether a value is of a type of Go such as string or []int."),
    "typeIsLike": ("typeIsLike type value", "Return whether a value is of a type of Go, or a pointer to one of it."),
    "typeOf": ("typeOf value", "Return the type that Go has for the value, such as string or []int."),
}

_NUMBERS = {
    "add": ("add number ...", "Return the sum of integers."),
    "add1": ("add1 number", "Return the integer that follows a number."),
    "add1f": ("add1f number", "Return the number plus 1, with its decimals."),
    "addf": ("addf number ...", "Return the sum of numbers, with their decimals."),
    "atoi": ("atoi text", "Return the integer that a text has in decimal digits, 0 for any other text."),
    "biggest": ("biggest number ...", "Return the largest of the integers."),
    "ceil": ("ceil number", "Return the least whole number that is not below the number."),
    "div": ("div a b", "Return a divided by b as an integer, without its remainder."),
    "divf": ("divf a b ...", "Return a divided by b and by each further number, with decimals."),
    "float64": ("float64 value", "Return a number, or a text that has one, as a float64, other values as 0."),
    "floor": ("floor number", "Return the greatest whole number that is not above the number."),
    "int": ("int value", "Return a number, or a text that has one, as an int without decimals, other values as 0."),
    "int64": (
        "int64 value",
        "Return a number, or a text that has one, as an int64 without decimals, other values as 0.",
    ),
    "maxf": ("maxf number ...", "Return the largest of the numbers, with its decimals."),
    "min": ("min number ...", "Return the smallest of the integers."),
    "minf": ("minf number ...", "Return the smallest of the numbers, with its decimals."),
    "mod": ("mod a b", "Return the remainder of a divided by b, both integers."),
    "mul": ("mul a b ...", "Return the product of integers."),
    "mulf": ("mulf a b ...", "Return the product of numbers, with decimals."),
    "randInt": ("randInt low high", "Return a random integer from low up to before high."),
    "round": (
        "round number places threshold",
        "Return the number with so many decimals, rounded up if the rest is at least the threshold, 0.5 if not given.",
    ),
    "seq": (
        "seq first step last",
        "Return the integers from the first to the last as a text with spaces between them; with two arguments the "
        "step is 1 or -1, with one the first is 1.",
    ),
    "sub": ("sub a b", "Return the integer a less the integer b."),
    "subf": ("subf a b ...", "Return a less b and less each further number, with decimals."),
    "toDecimal": ("toDecimal value", "Return the integer that has these octal digits: 755 gives 493."),
    "until": (
        "until count",
        "Return the list of integers from 0 up, or for a negative count down, to before the count.",
    ),
    "untilStep": (
        "untilStep start stop step",
        "Return the list of integers from the start to before the stop with this step between them.",
    ),
}

_LISTS = {
    "append": ("append list value", "Return the list with a value added at its end."),
    "chunk": ("chunk size list", "Return the values of a list as a list of lists, each of this size or shorter."),
    "compact": ("compact list", "Return the list without the values that are empty, zero, false or nil."),
    "concat": ("concat list ...", "Return one list with the values of all lists."),
    "first": ("first list", "Return the first value of a list, nil for an empty list."),
    "has": ("has value list", "Return whether a list has the value, which must be of the same type."),
    "initial": ("initial list", "Return the list without its last value."),
    "last": ("last list", "Return the last value of a list, nil for an empty list."),
    "list": ("list value ...", "Return the values as a list."),
    "prepend": ("prepend list value", "Return the list with a value added in front of its first one."),
    "rest": ("rest list", "Return the list without its first value."),
    "reverse": ("reverse list", "Return the list with its values in the opposite order."),
    "slice": (
        "slice list from to",
        "Return the part of a list from one place, 0 being the first, up to before another or the end; Go's own slice, "
        "which cuts texts too, cannot be called.",
    ),
    "uniq": ("uniq list", "Return the list with each value only where it is found first."),
    "without": ("without list value ...", "Return the list without these values."),
}

_MAPS = {
    "deepCopy": ("deepCopy value", "Return a copy of a value that shares no map and no list with it."),
    "dict": ("dict key value ...", "Return a map of keys, each followed by its value."),
    "dig": (
        "dig key ... default map",
        "Return the value below nested keys of a map, the default where a key is missing.",
    ),
    "get": ("get map key", "Return the value of a key in a map, an empty text if it is missing."),
    "hasKey": ("hasKey map key", "Return whether a map has a key."),
    "keys": ("keys map ...", "Return the list of the keys of maps, those of each map in their order."),
    "merge": (
        "merge map other ...",
        "Return the map after it is changed to have the values of the others where its own are missing or empty; types "
        "that do not fit give an empty text.",
    ),
    "mergeOverwrite": (
        "mergeOverwrite map other ...",
        "Return the map after it is changed to have the values of the others, of several the last one's; types that do "
        "not fit give an empty text.",
    ),
    "omit": ("omit map key ...", "Return a map of the values with other keys than these."),
    "pick": ("pick map key ...", "Return a map of the values with these keys."),
    "pluck": ("pluck key map ...", "Return the list of the values that maps have for a key."),
    "set": ("set map key value", "Return the map after it is changed to have the value for the key."),
    "unset": ("unset map key", "Return the map after the key is removed from it."),
    "values": ("values map", "Return the list of the values of a map, in the order of its keys."),
}

_TIMES = {
    "ago": ("ago time", "Return how much time has passed since a time, as text such as 2h10m5s."),
    "date": (
        "date layout time",
        "Return a time, or seconds since 1970, in the host's time zone as text in a layout of Go such as 2006-01-02.",
    ),
    "dateInZone": (
        "dateInZone layout time zone",
        "Return a time, or seconds since 1970, as text in a layout of Go for a time zone such as Europe/Paris, for UTC "
        "if it is unknown.",
    ),
    "dateModify": (
        "dateModify duration time",
        "Return the time after a duration such as 1h30m, or before it with -; another text gives the same time.",
    ),
    "duration": (
        "duration seconds",
        "Return a text of digits or an int64 as a duration in seconds such as 1m35s, other values as 0s.",
    ),
    "durationRound": (
        "durationRound duration",
        "Return a duration, or how much time has passed since a time, in whole ones of its largest unit such as 2h or "
        "3mo.",
    ),
    "htmlDate": ("htmlDate time", "Return the day of a time in the host's time zone, as text such as 2026-01-31."),
    "htmlDateInZone": (
        "htmlDateInZone time zone",
        "Return the day of a time in a time zone such as Europe/Paris, in UTC if it is unknown, as text such as "
        "2026-01-31.",
    ),
    "now": ("now", "Return the time by the clock of the host."),
    "toDate": (
        "toDate layout text",
        "Return the time that a text has in a layout of Go such as 2006-01-02; another text gives the year 1.",
    ),
    "unixEpoch": ("unixEpoch time", "Return the seconds from 1970 to a time, as text."),
}

_JSON = {
    "fromJson": ("fromJson text", "Return the value of a text in JSON; another text gives nil."),
    "toJson": ("toJson value", "Return the value as JSON; one that JSON cannot have gives an empty text."),
    "toPrettyJson": (
        "toPrettyJson value",
        "Return the value as JSON with lines and indentation; one that JSON cannot have gives an empty text.",
    ),
    "toRawJson": ("toRawJson value", "Return the value as JSON in which <, > and & are not escaped."),
}

#: Other names of functions, each with the name that has the text; they do the same.
_ALIASES = {
    **STRING_ALIASES,
    "date_in_zone": "dateInZone",
    "date_modify": "dateModify",
    "max": "biggest",
    "must_date_modify": "mustDateModify",
    "mustAppend": "append",
    "mustChunk": "chunk",
    "mustCompact": "compact",
    "mustDeepCopy": "deepCopy",
    "mustFirst": "first",
    "mustHas": "has",
    "mustInitial": "initial",
    "mustLast": "last",
    "mustPrepend": "prepend",
    "mustPush": "append",
    "mustRest": "rest",
    "mustReverse": "reverse",
    "mustSlice": "slice",
    "mustToRawJson": "toRawJson",
    "mustUniq": "uniq",
    "mustWithout": "without",
    "push": "append",
    "tuple": "list",
}
#: Functions that fail, each with the function whose text says after a semicolon what it gives instead.
_STRICT = {
    **STRICT_ON_STRINGS,
    "mustDateModify": "dateModify",
    "mustFromJson": "fromJson",
    "mustMerge": "merge",
    "mustMergeOverwrite": "mergeOverwrite",
    "mustToDate": "toDate",
    "mustToJson": "toJson",
    "mustToPrettyJson": "toPrettyJson",
}


def _strict(name: str, text: tuple[str, str]) -> tuple[str, str]:
    """Return the text of a function that ends the rendering where the one with this text gives another value."""
    return _called(name, text[0]), f"{text[1].partition(';')[0]}; an error ends the rendering."


def _called(name: str, call: str) -> str:
    return " ".join((name, *call.split()[1:]))


_OWN = {**STRING_TEXTS, **_CHOICES, **_TYPES, **_NUMBERS, **_LISTS, **_MAPS, **_TIMES, **_JSON}
_DECLARED = {**_OWN, **{name: _strict(name, _OWN[other]) for name, other in _STRICT.items()}}
_ALL = {**_DECLARED, **{name: (_called(name, _DECLARED[of][0]), _DECLARED[of][1]) for name, of in _ALIASES.items()}}
#: Each function's call with arguments, and what it does.
TEXTS = {name: _ALL[name] for name in sorted(_ALL, key=lambda name: (name.lower(), name))}

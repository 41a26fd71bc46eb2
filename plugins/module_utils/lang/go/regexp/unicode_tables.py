# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
r"""Unicode's names for sets of characters (`\p{Greek}`, `\pL`) and simple case folding.

Import this on first use: patterns of plain ASCII need nothing of it but `fold` for `(?i)`. General categories come from
the running Python's `unicodedata`, scripts and folding from Unicode 15.0.
"""

from __future__ import annotations

from itertools import groupby
from unicodedata import category

from . import charclass
from .unicode_data import FOLDS, SCRIPTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .charclass import CharSet

#: Long names of general categories, as Unicode's PropertyValueAliases has them, without underscores.
_CATEGORY_ALIASES = {
    "casedletter": "LC",
    "closepunctuation": "Pe",
    "cntrl": "Cc",
    "combiningmark": "M",
    "connectorpunctuation": "Pc",
    "control": "Cc",
    "currencysymbol": "Sc",
    "dashpunctuation": "Pd",
    "decimalnumber": "Nd",
    "digit": "Nd",
    "enclosingmark": "Me",
    "finalpunctuation": "Pf",
    "format": "Cf",
    "initialpunctuation": "Pi",
    "letter": "L",
    "letternumber": "Nl",
    "lineseparator": "Zl",
    "lowercaseletter": "Ll",
    "mark": "M",
    "mathsymbol": "Sm",
    "modifierletter": "Lm",
    "modifiersymbol": "Sk",
    "nonspacingmark": "Mn",
    "number": "N",
    "openpunctuation": "Ps",
    "other": "C",
    "otherletter": "Lo",
    "othernumber": "No",
    "otherpunctuation": "Po",
    "othersymbol": "So",
    "paragraphseparator": "Zp",
    "privateuse": "Co",
    "punct": "P",
    "punctuation": "P",
    "separator": "Z",
    "spaceseparator": "Zs",
    "spacingmark": "Mc",
    "surrogate": "Cs",
    "symbol": "S",
    "titlecaseletter": "Lt",
    "unassigned": "Cn",
    "uppercaseletter": "Lu",
}

_GROUPS = {"LC": ("Lu", "Ll", "Lt")}

_ASCII_ORBITS = {0x4B: 0x212A, 0x53: 0x17F}

_categories: dict[str, CharSet] = {}
_sets: dict[str, CharSet] = {}
_folded: dict[str, CharSet] = {}
_orbits: dict[int, tuple[int, ...]] = {}


def named_set(name: str) -> CharSet | None:
    """Return the characters of a general category or its alias, a script, `Any`, `Assigned` or `ASCII`.

    None if unknown.

    Case, underscores, hyphens and spaces in the name do not matter (Go 1.25's `regexp/syntax`).
    """
    key = _key(name)
    if key not in _sets:
        chars = _find_set(key) if key.isascii() else None
        if chars is None:
            return None
        _sets[key] = chars
    return _sets[key]


def folded_named_set(name: str) -> CharSet | None:
    """Return the same for `(?i)`: with everything that differs from a member in case only."""
    key = _key(name)
    if key not in _folded:
        chars = named_set(name)
        # Go has no table of case variants for LC as a whole.
        if chars is None or key in ("lc", "casedletter"):
            return chars
        _folded[key] = fold(chars)
    return _folded[key]


def fold(chars: CharSet) -> CharSet:
    """Return the set together with everything that differs from a member in case only (Unicode's simple case
    folding).
    """
    extra: list[tuple[int, int]] = []
    for first, last in charclass.runs(chars):
        for code in _cased_between(first, last):
            extra += ((other, other) for other in orbit(code) if not first <= other <= last)
    if not extra:
        return chars
    return charclass.from_runs([*charclass.runs(chars), *extra])


def orbit(code: int) -> tuple[int, ...]:
    """Return all code points equal to this one but for case, itself included, in ascending order."""
    if code < 0x80:
        if not chr(code).isalpha():
            return (code,)
        upper = code & ~0x20
        stray = _ASCII_ORBITS.get(upper)
        return (upper, upper | 0x20) if stray is None else (upper, upper | 0x20, stray)
    return _all_orbits().get(code, (code,))


def _cased_between(first: int, last: int) -> list[int]:
    """Return the code points from first to last that have a case variant."""
    if last < 0x80:
        return [code for code in range(first, last + 1) if chr(code).isalpha()]
    orbits = _all_orbits()
    if last - first < len(orbits):
        return [code for code in range(first, last + 1) if code in orbits]
    return [code for code in orbits if first <= code <= last]


def _all_orbits() -> dict[int, tuple[int, ...]]:
    """Return every code point with case variants: its orbit. Built once."""
    if not _orbits:
        members: dict[int, list[int]] = {}
        for entry in FOLDS.split():
            sign = "+" if "+" in entry else "-"
            span, _sign, distance = entry.partition(sign)
            ends, _slash, step = span.partition("/")
            first, _dots, last = ends.partition("..")
            offset = int(sign + distance)
            for code in range(int(first, 16), int(last or first, 16) + 1, int(step or 1)):
                members.setdefault(code + offset, [code + offset]).append(code)
        for codes in members.values():
            whole = tuple(sorted(codes))
            for code in whole:
                _orbits[code] = whole
    return _orbits


def _key(name: str) -> str:
    """Return the name without what does not matter in it."""
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


def _find_set(key: str) -> CharSet | None:
    if key == "any":
        return charclass.ANY
    if key == "ascii":
        return charclass.POSIX_CLASSES["ascii"]
    if key == "assigned":
        return charclass.negate(_category("Cn"))
    name = _CATEGORY_ALIASES.get(key)
    if name is None and len(key) <= 2:
        name = "LC" if key == "lc" else key.capitalize()
    return (_category(name) if name else charclass.EMPTY) or _script(key)


def _category(name: str) -> CharSet:
    """Return a general category ("Lu") or a group of them ("L", "LC"); empty if there is none of that name."""
    if not _categories:
        _read_categories()
    if name in _categories:
        return _categories[name]
    parts = _GROUPS.get(name) or [known for known in _categories if name and known.startswith(name)]
    return charclass.union([_categories[part] for part in parts]) if parts else charclass.EMPTY


def _read_categories() -> None:
    """Read all general categories in one pass over the code points."""
    found: dict[str, list[int]] = {}
    # Planes 4 to 13 are unassigned, 15 and 16 are private but for their last two code points.
    for base, stop in ((0, 0x40000), (0xE0000, 0xE1000)):
        start = base
        for name, group in groupby(map(category, map(chr, range(base, stop)))):
            end = start + sum(1 for _char in group)
            found.setdefault(name, []).extend((start, end - 1))
            start = end
    found["Cn"] += (0x40000, 0xDFFFF, 0xE1000, 0xEFFFF, 0xFFFFE, 0xFFFFF, 0x10FFFE, 0x10FFFF)
    found["Co"] += (0xF0000, 0xFFFFD, 0x100000, 0x10FFFD)
    for name, ends in found.items():
        _categories[name] = charclass.from_runs(zip(ends[::2], ends[1::2]))


def _script(key: str) -> CharSet | None:
    for name, text in SCRIPTS.items():
        if name.replace("_", "").lower() == key:
            ends = (run.partition("-") for run in text.split())
            return charclass.from_runs([(int(first, 16), int(last or first, 16)) for first, _dash, last in ends])
    return None

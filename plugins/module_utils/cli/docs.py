# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm docs`: prints what the reference says of a name: a type, a property, a flag, a finding, a function."""

from __future__ import annotations

import sys

from ..lang.controls import escaped
from ..lang.near import nearest
from ..model.errors import CCMError
from ..model.flags import Argument, Flag
from .command import Command
from .documents import json_document
from .help import columns, filled
from .reference import FLAG, KEY, KINDS, META_KEY, PROPERTY, TYPE, entries
from .root import ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator

    from ..model.flags import Values
    from .reference import Entry

_TITLES = {
    TYPE: "Types",
    PROPERTY: "Properties",
    META_KEY: "Keys of meta",
    KEY: "Keys of a manifest",
    FLAG: "Flags",
    "finding": "Findings of ccm lint",
    "function": "Functions of expressions and templates",
}
_OF_EVERY_TYPE = "of every type"
#: How much a name has to look like an unknown one to be asked for.
_CLOSE = 0.8


def _docs(values: Values) -> int:
    known = list(entries())
    found = _found(values.name, known) if values.name else known
    if values.json:
        sys.stdout.write(json_document({"entries": [entry.as_dict() for entry in found]}))
    elif values.name:
        _write(_shown(values.name, found, known))
    else:
        _write(_listing(known))
    return 0


def _write(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{escaped(line)}\n" for line in lines)


def _found(word: str, known: list[Entry]) -> list[Entry]:
    """Return the entries that a word names. Raises CCMError, with the name that may be meant, when none has it."""
    # As lint shows a rule, and as a function is called.
    wanted = word[1:-1] if word[:1] == "[" and word[-1:] == "]" else word.partition("(")[0] or word
    types = {entry.name for entry in known if entry.kind == TYPE}
    found = [entry for entry in known if _names(entry, wanted, types)]
    if not found:
        raise CCMError(f'the reference has no "{word}"', value=word, advice=_advice(wanted, known))
    return found


def _names(entry: Entry, word: str, types: set[str]) -> bool:
    """Return whether a word names an entry, in full or by its last words."""
    if word == entry.name or word in entry.others:
        return True
    if entry.kind == FLAG:
        return word == entry.name.lstrip("-") or ("variable", word) in entry.details
    if entry.kind not in (PROPERTY, META_KEY, KEY):
        return False
    # Of a property or a key the last words are enough; one of every type may be named with a type.
    first, _dot, rest = word.partition(".")
    return entry.name.endswith(f".{word}") or (first in types and rest == entry.name)


def _advice(word: str, known: list[Entry]) -> str:
    if ROOT.find is not None and ROOT.find(word):
        return f"it is a command: see ccm {word} --help"
    whole = dict.fromkeys(entry.name.lstrip("-") for entry in known)
    near = nearest(word.lstrip("-"), (*whole, *(name.rpartition(".")[2] for name in whole)), _CLOSE)
    return f'did you mean "{near}"?' if near else "ccm docs lists all names"


def _shown(word: str, found: list[Entry], known: list[Entry]) -> Iterator[str]:
    """Yield the lines of entries, after each the lines of its fields."""
    for entry in found:
        if entry is not found[0]:
            yield ""
        yield from _lines(entry)
        yield from _below(entry, known)
    if ROOT.find is not None and ROOT.find(word):
        yield from ("", f"ccm {word} is a command, too: see ccm {word} --help")


def _lines(entry: Entry) -> Iterator[str]:
    yield f"{entry.name} ({entry.kind})"
    # What several commands or types say differently has the summary in one of its paragraphs.
    has_summary = any(paragraph.endswith(entry.summary) for paragraph in entry.text)
    for paragraph in entry.text if has_summary else (entry.summary, *entry.text):
        yield from ("", *filled(paragraph))
    others = (("other names", ", ".join(entry.others)),) if entry.others else ()
    rows = [pair for pair in (*entry.details, *others) if pair[0] != "properties"]
    if rows:
        yield from ("", *columns(rows))


def _below(entry: Entry, known: list[Entry]) -> Iterator[str]:
    """Yield the lines of the properties of a type, of the fields of a property, and of the keys of meta."""
    if entry.kind not in (TYPE, PROPERTY, META_KEY, KEY):
        return
    kinds = (META_KEY,) if entry.name == "meta" else (PROPERTY, KEY) if entry.kind == KEY else (entry.kind,)
    if entry.kind == TYPE:
        kinds = (PROPERTY,)
    above = f"{entry.name}."
    rows = [
        (each.name[len(above) :], each.summary)
        for each in known
        if each.kind in kinds and each.name.startswith(above) and "." not in each.name[len(above) :]
    ]
    if rows:
        yield from ("", "Properties:" if entry.kind == TYPE else "Keys:", *columns(rows))
    if entry.kind == TYPE:
        common = [each.name for each in known if each.kind == PROPERTY and "." not in each.name]
        yield from ("", *filled(f"Properties of every type: {', '.join(common)}"))


def _listing(known: list[Entry]) -> Iterator[str]:
    """Yield the lines of a list of all names, by kind."""
    yield "ccm docs NAME says what a name means. These names are known:"
    for kind in KINDS:
        of_kind = [entry for entry in known if entry.kind == kind]
        yield from ("", f"{_TITLES[kind]}:")
        if kind == TYPE:
            yield from columns((entry.name, entry.summary) for entry in of_kind)
        elif kind == PROPERTY:
            yield from columns(_by_first_word(of_kind))
        else:
            yield from (f"  {line}" for line in filled(" ".join(entry.name for entry in of_kind), 78))


def _by_first_word(properties: Iterable[Entry]) -> list[tuple[str, str]]:
    """Return the properties of each type, as `file.` and their names; in the same way the fields of a property."""
    found: dict[str, list[str]] = {}
    for entry in properties:
        first, dot, rest = entry.name.partition(".")
        found.setdefault(f"{first}." if dot else _OF_EVERY_TYPE, []).append(rest or first)
    return [(first, " ".join(names)) for first, names in found.items()]


def _offered(_current: str) -> list[str]:
    return list(dict.fromkeys(entry.name for entry in entries()))


COMMAND = Command(
    "docs",
    "Explain types, properties, flags and other words",
    details="""A name is a type, TYPE.PROPERTY or a property, a key of a manifest or of meta, a flag with or without
--, a rule of ccm lint, or a function of expressions and templates. A name that means several things gets all of them.
Without a name all names are listed. The flags below are explained without their --, as in ccm docs json.""",
    arguments=(Argument("name", "What to explain, like file, file.mode, meta.retry or --parallel", offered=_offered),),
    flags=(Flag("json", "set", "Output the reference in JSON format"),),
    run=_docs,
    explains_flags=True,
)

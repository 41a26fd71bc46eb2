# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The reference: types, properties, keys of manifests and of `meta`, flags, findings and functions, as declared.

`ccm docs` prints it, and the documentation site is generated from it.
"""

from __future__ import annotations

import re

from ..data.function_texts import EXPRESSIONS, GO, JET, OWN_FUNCTIONS, SPRIG
from ..lang.expr.texts import TEXTS
from ..lang.gotemplate.sprig.function_texts import TEXTS as SPRIG_TEXTS
from ..lang.gotemplate.texts import TEXTS as GO_TEXTS
from ..lang.jet.texts import TEXTS as JET_TEXTS
from ..lint.rules import RULES
from ..manifest.declarations import DEFAULTS
from ..manifest.engine_settings import ENGINE
from ..model.common import common_properties
from ..model.errors import InvalidResource
from ..model.meta import FIELDS
from ..model.property import DEFERRED, NEVER, boolean_words
from ..model.resource import BASIC_PROPERTIES
from ..resources.types import TYPES, required_type, type_names
from ..schema.manifest import manifest_schema
from .root import ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterable, Iterator, List, Sequence, Tuple

    from ..model.contract import AnyType
    from ..model.flags import Flag
    from ..model.property import Property
    from ..model.values import Data
    from ..schema.properties import Schema
    from .command import Command

    #: Short notes, each under a label: `("default", "0644")`.
    Details = Tuple[Tuple[str, str], ...]
    #: The commands that declare a flag in the same way, by its help and details.
    ByText = Dict[Tuple[str, Details], List[str]]

TYPE, PROPERTY, META_KEY, FLAG, FINDING, FUNCTION = "type", "property", "meta key", "flag", "finding", "function"
#: A key of a manifest that is no property of a resource.
KEY = "key"
#: The kinds of entries, in the order in which they are shown.
KINDS = (TYPE, PROPERTY, META_KEY, KEY, FLAG, FINDING, FUNCTION)

#: The kinds of values of properties, in words.
VALUES = {
    "string": "text",
    "mode": "octal mode",
    "boolean": "true or false",
    "integer": "integer",
    "number_or_template": "integer or expression",
    "strings": "list of texts",
    "integers": "list of integers",
    "string_map": "map of texts",
    "string_maps": "list of one-entry maps",
    "data": "map of anything",
    "object": "map",
    "objects": "list of maps",
}
_VALUES_OF_FLAGS = {
    "duration": "duration, like 10s",
    "set": "none",
    "switch": "none; --no-NAME turns it off",
    "texts": "text; may be given more than once",
    "integers": "integer; may be given more than once",
    "map": "KEY=VALUE; may be given more than once",
}
#: Values in which nothing can be an expression.
WITHOUT_TEXT = ("boolean", "integer", "integers")
#: When expressions in a property are resolved; the rest early, before anything runs.
MOMENTS = {DEFERRED: "late", NEVER: "never"}
_VALUES_OF_KEYS = {"object": "map", "array": "list", "boolean": "true or false"}
_MOMENTS = {
    "early": "resolved before anything runs",
    "late": "resolved just before the resource is managed",
    "never": "braces in it mean nothing",
}
#: The key of a manifest below which the settings of a run are.
SETTINGS = "ccm"
_EVERY_TYPE = "every type"
#: Between two sentences.
_END = re.compile(r"(?<=\.) (?=[A-Z])")
_UNSAFE = str.maketrans(dict.fromkeys(" .:#/", "-"))


class Entry:
    """What the reference says of one name, in plain text; words between backquotes are code.

    `kind` is one of KINDS. `name` is what a user writes: `file`, `file.mode`, `file.source_options.x` for a field of a
    property, `require` for a property of every type, `ccm.engine.order` for a setting of a manifest, `meta.noop`,
    `hierarchy.order`, `--parallel`, the name of a rule, of a function. `summary` is one sentence, `text` the paragraphs
    after it. `details` are pairs of label and value, in the order in which they are shown. `others` are further names.
    Kind and name together are unique.
    """

    __slots__ = ("details", "kind", "name", "others", "summary", "text")

    def __init__(
        self,
        kind: str,
        name: str,
        summary: str,
        text: Sequence[str] = (),
        details: Details = (),
        others: Sequence[str] = (),
    ) -> None:
        self.kind = kind
        self.name = name
        self.summary = summary
        self.text = tuple(text)
        self.details = details
        self.others = tuple(others)

    @property
    def anchor(self) -> str:
        """The identifier of the entry in pages, made of kind and name: `property-file-mode`, `flag-parallel`."""
        name = self.name.lstrip("-").translate(_UNSAFE)
        return name if self.kind == META_KEY else f"{self.kind}-{name}"

    def as_dict(self) -> Data:
        """Return the entry for other programs."""
        return {
            "kind": self.kind,
            "name": self.name,
            "anchor": self.anchor,
            "summary": self.summary,
            "text": list(self.text),
            "details": dict(self.details),
            "others": list(self.others),
        }


def entries() -> Iterator[Entry]:
    """Yield all entries: kind by kind in the order of KINDS, each in the order of its declarations.

    A type of another package that cannot be used has an entry that says why, and no properties.
    """
    types, refused = _types()
    for type in types:
        yield _of_type(type)
    yield from refused
    yield from _of_properties("", (*BASIC_PROPERTIES, *common_properties()))
    for type in types:
        yield from _of_own_properties(type)
    yield from _of_properties(f"{SETTINGS}.", (ENGINE,))
    yield from _of_meta(types)
    yield from _of_keys("", manifest_schema(()))
    yield from _of_flags()
    for rule in RULES:
        yield Entry(FINDING, rule.name, f"Finds {rule.finds}.", (rule.advice,))
    yield from _of_functions()


def _types() -> tuple[list[AnyType], list[Entry]]:
    """Return the types that can be used, and entries for the others."""
    found: list[AnyType] = []
    refused: list[Entry] = []
    for name in type_names():
        try:
            found.append(required_type(name))
        except InvalidResource as error:
            refused.append(Entry(TYPE, name, f"It cannot be used: {error.message}."))
    return found, refused


def type_summary(type: AnyType) -> str:
    """Return what resources of a type are, as its class says: `Files and directories.`"""
    first = (type.__doc__ or type.name).partition("\n")[0].partition(" (")[0]
    return first.strip().rstrip(".") + "."


def _of_type(type: AnyType) -> Entry:
    listed = next((listed for listed in TYPES if listed.name == type.name), None)
    details = _given(
        ("states", ", ".join(type.ensure_choices)),
        ("state without ensure", type.default_ensure),
        ("providers", ", ".join(type.provider_names)),
        ("properties", ", ".join(prop.name for prop in type.own_properties)),
        ("original", "it has no such type" if listed is None or listed.extension else ""),
    )
    return Entry(TYPE, type.name, type_summary(type), (), details, listed.aliases if listed else ())


def _of_own_properties(type: AnyType) -> Iterator[Entry]:
    above = f"{type.name}."
    basic = {prop.name: prop for prop in BASIC_PROPERTIES}
    value = ("value", VALUES["string"])
    states = _given(value, ("one of", ", ".join(type.ensure_choices)), ("default", type.default_ensure))
    yield Entry(PROPERTY, f"{above}ensure", basic["ensure"].help, (), states)
    if type.provider_names:
        providers = (value, ("one of", ", ".join(type.provider_names)))
        yield Entry(PROPERTY, f"{above}provider", basic["provider"].help, (), providers)
    yield from _of_properties(above, type.own_properties)


def _of_properties(above: str, properties: Iterable[Property]) -> Iterator[Entry]:
    """Yield an entry for each property, and for the fields of each but `meta`, whose names begin with `above`."""
    for prop in properties:
        name = above + prop.name
        others = [above + other for other in prop.aliases]
        summary, *text = _sentences(prop.help)
        yield Entry(PROPERTY, name, summary, text, _details(prop), others)
        if name != "meta":
            yield from _of_properties(f"{name}.", prop.fields)


def _details(prop: Property) -> Details:
    value = boolean_words(prop) if prop.kind == "boolean" else VALUES[prop.kind]
    choices = () if prop.kind == "boolean" else prop.choices
    has_expressions = not (prop.fields or prop.kind in WITHOUT_TEXT)
    return _given(
        ("value", value + ("; has to be given" if prop.required else "")),
        ("one of", ", ".join(choices)),
        ("default", "" if prop.default is None else _written(prop.default)),
        ("at least", "" if prop.minimum is None else str(prop.minimum)),
        ("at most", "" if prop.maximum is None else str(prop.maximum)),
        ("expressions", _MOMENTS[MOMENTS.get(prop.when, "early")] if has_expressions else ""),
        ("secrets", "never shown" if prop.secret else "secrets in it are never shown" if prop.may_hold_secrets else ""),
        ("original", prop.extension),
    )


def _of_meta(types: Iterable[AnyType]) -> Iterator[Entry]:
    """Yield the keys of `meta`, first the keys of every type; a key that types explain differently has each text."""
    for prop in FIELDS:
        yield from _of_meta_key(f"meta.{prop.name}", [(prop, [])])
    common = {prop.name for prop in FIELDS}
    own: dict[str, dict[str, tuple[Property, list[str]]]] = {}
    for type in types:
        for prop in (field for each in type.properties if each.name == "meta" for field in each.fields):
            if prop.name not in common:
                own.setdefault(prop.name, {}).setdefault(prop.help, (prop, []))[1].append(type.name)
    for name, by_text in own.items():
        yield from _of_meta_key(f"meta.{name}", list(by_text.values()))


def _of_meta_key(name: str, declared: Sequence[tuple[Property, list[str]]]) -> Iterator[Entry]:
    first = declared[0][0]
    of_types = ", ".join(type for _prop, types in declared for type in types) or _EVERY_TYPE
    text = [f"{', '.join(types)}: {prop.help}" for prop, types in declared] if declared[1:] else []
    summary, *rest = _sentences(first.help)
    yield Entry(META_KEY, name, summary, text or rest, (*_details(first), ("types", of_types)))
    for prop in first.fields:
        yield from _of_meta_key(f"{name}.{prop.name}", [(prop, declared[0][1])])


def _of_keys(above: str, schema: Schema) -> Iterator[Entry]:
    """Yield an entry for each key of a map, whose names begin with `above`; the settings of a run are properties."""
    for key, about in schema.get("properties", {}).items():
        name = f"{above}{key}"
        if "description" not in about:
            continue
        kinds = about.get("type", "object")
        kind = kinds if isinstance(kinds, str) else kinds[0]
        default = about.get("default")
        shown = _given(
            ("value", _VALUES_OF_KEYS.get(kind, VALUES["string"])),
            ("one of", ", ".join(about.get("enum", ()))),
            ("default", "" if default is None else _written(default)),
        )
        first, *rest = _sentences(about["description"])
        yield Entry(KEY, name, first, rest, shown)
        yield from _of_keys(f"{name}.", about)
    if not above:
        text = "Gives properties to the resources of a list that follow and do not give them."
        yield Entry(KEY, DEFAULTS, text, (), (("value", VALUES["object"]),))


def _of_flags() -> Iterator[Entry]:
    """Yield an entry for each name of a flag, with the text of each command that declares it otherwise."""
    declared: dict[str, ByText] = {}
    shorts: dict[str, list[str]] = {}
    for command in commands():
        for flag in command.flags:
            of_flag = declared.setdefault(flag.name, {})
            of_flag.setdefault((flag.help, _details_of_flag(flag)), []).append(command.name)
            if flag.short:
                shorts.setdefault(flag.name, []).append(f"-{flag.short}")
    for name, of_name in sorted(declared.items()):
        (summary, details), names = max(of_name.items(), key=lambda item: len(item[1]))
        text: list[str] = []
        if len(of_name) > 1:
            text = [_paragraph(each, *said) for said, each in of_name.items()]
            details = tuple(pair for pair in details if all(pair in others for _help, others in of_name))
            names = [each for all_names in of_name.values() for each in all_names]
        shown = (*details, ("commands", ", ".join(names)))
        first, *rest = _sentences(summary)
        yield Entry(FLAG, f"--{name}", first, text or rest, shown, tuple(dict.fromkeys(shorts.get(name, []))))


def _paragraph(names: Iterable[str], help: str, details: Details) -> str:
    said = "; ".join(f"{label}: {value}" for label, value in details if label != "value")
    return f"{', '.join(names)}: {' '.join(_sentences(help))}" + (f" ({said})" if said else "")


def _details_of_flag(flag: Flag) -> Details:
    default = flag.default
    if flag.kind == "duration" and default is not None:
        default = flag.placeholder
    value = f"path of a {flag.path}" if flag.path else _VALUES_OF_FLAGS.get(flag.kind, flag.kind)
    return _given(
        ("value", value + ("; has to be given" if flag.required else "")),
        ("one of", ", ".join(flag.choices)),
        ("default", "" if default in (None, "", False) else _written(default)),
        ("variable", flag.env),
    )


def commands(command: Command = ROOT) -> Iterator[Command]:
    """Yield a command and all below it, also those for types of other packages that can be used."""
    yield command
    for name, _help in command.all_commands:
        try:
            found = command.find(name) if command.find else None
        except InvalidResource:
            continue
        if found is not None:
            yield from commands(found)


def _of_functions() -> Iterator[Entry]:
    """Yield CCM's own functions, then the functions of the languages, each name once."""
    for own in OWN_FUNCTIONS:
        languages = ", ".join(own.languages) + (" (of scaffolds)" if own.of_scaffolds else "")
        yield Entry(FUNCTION, own.name, own.does, (own.more,), (("call", own.call), ("in", languages)))
    found: dict[str, list[tuple[str, str, str]]] = {}
    # Of two with the same name, Go templates call the one of Sprig.
    of_go = {name: text for name, text in GO_TEXTS.items() if name not in SPRIG_TEXTS}
    for language, texts in ((EXPRESSIONS, TEXTS), (GO, of_go), (JET, JET_TEXTS), (SPRIG, SPRIG_TEXTS)):
        for name, (call, does) in texts.items():
            found.setdefault(name, []).append((language, call, does))
    for name, said in found.items():
        _language, call, does = said[0]
        languages = ", ".join(language for language, _call, _does in said)
        text = [f"In {language}, {call}: {does}" for language, call, does in said] if said[1:] else []
        yield Entry(FUNCTION, name, does, text, _given(("call", "" if text else call), ("in", languages)))


def _given(*details: tuple[str, str]) -> Details:
    return tuple((label, value) for label, value in details if value)


def _sentences(text: str) -> list[str]:
    """Return the first sentence of a help, and what follows it, if anything does."""
    whole = text if text.endswith((".", ")")) else f"{text}."
    found = _END.search(whole)
    return [whole[: found.start()], whole[found.end() :]] if found else [whole]


def _written(value: object) -> str:
    """Return a default as a user writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(map(_written, value))
    return str(value)

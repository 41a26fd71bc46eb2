# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write what is made from declarations: python -m tests.tools.docs

Pages below docs/, which git does not keep: the JSON schemas, the tables of resource properties, the commands' help, the
manual page and the messages. Of the modules, which git keeps: their options and what they return (module_docs.py).
"""

from __future__ import annotations

import contextlib
import io
import json
import pathlib

from ccm.cli.main import main as ccm
from ccm.cli.manpage import manual_page
from ccm.cli.reference import MOMENTS, VALUES, WITHOUT_TEXT, type_summary
from ccm.cli.root import ROOT as COMMANDS
from ccm.model.common import common_properties
from ccm.model.resource import BASIC_PROPERTIES
from ccm.resources.types import TYPE_NAMES, resource_type
from ccm.schema.api import request_schema, response_schema
from ccm.schema.event import event_schema
from ccm.schema.manifest import manifest_schema

from .messages import all_messages
from .module_docs import generated_files

ROOT = pathlib.Path(__file__).parents[2]
DOCS = ROOT / "docs"
HEADER = """\
<!-- Copyright: (c) 2026, ccm.core contributors -->
<!-- SPDX-License-Identifier: GPL-3.0-or-later -->
<!-- Written by tests/tools/docs.py (make docs): change the declarations, not this page. -->
"""

MANUAL_HEADER = """\
.\\" Copyright: (c) 2026, ccm.core contributors
.\\" SPDX-License-Identifier: GPL-3.0-or-later
.\\" Written by tests/tools/docs.py (make docs): change the declarations, not this page.
"""

COLUMNS = "| property | kind | default | expressions | |\n| --- | --- | --- | --- | --- |\n"

RESOURCES = """\
# Resource types

What a manifest may say of a resource. [The tutorial](../first-manifest.md) shows how a manifest is put together, and
[Expressions](../expressions.md) what may be between `{{` and `}}`.

The column *expressions* says when those in a property are resolved: *early* is before anything runs, *late* just before
the resource is read, so that they see what earlier resources have done. In a property that says *never*, braces
mean nothing.

## Properties of every resource

"""

LISTS = """
A type takes one resource, a map with a `name`, or a list of maps from a name to properties. In a list, an entry called
`defaults` gives properties to all the others.
"""

PAGE_OF_COMMANDS = """\
# Commands

What `ccm` says of itself with `--help`. Flags of a group of commands can be given to each of its commands; the global
flags to all. [The runner](../runner.md) describes how the commands work together.
"""

PAGE_OF_MESSAGES = """\
# Messages

What `ccm` and the modules can say. `{name}` is replaced by a path, a value or another message.
Messages are put together: before one there may be the place in a manifest, the resource and what was being done; after
it the property, the advice and the line at fault.

The kinds: an *error* ends what was requested, or is logged as one; *advice* follows an error; a *warning*, a *log*
line, one of the *debug log* and *progress* are written during the run; *noop* is what would have been done; a *failed
expectation* says why a state, a health check or a value is not as it should be; a *finding* is of `ccm lint`. *From* is
the part of the program that has the message.

| message | kind | from |
| --- | --- | --- |
"""

SCHEMAS = {
    "manifest": manifest_schema,
    "request": request_schema,
    "response": response_schema,
    "event": event_schema,
}


def schemas() -> dict[str, str]:
    """The JSON schemas as files, by their paths below docs/."""
    return {
        f"schemas/{name}.json": json.dumps(make(), indent=2, ensure_ascii=False) + "\n"
        for name, make in SCHEMAS.items()
    }


def resources() -> str:
    """Tables of the properties of all types."""
    parts = [HEADER, RESOURCES, COLUMNS, *_rows(BASIC_PROPERTIES + common_properties()), LISTS]
    for name in TYPE_NAMES:
        type = resource_type(name)
        parts += [f"\n## {name}\n\n", type_summary(type), "\n\n", _ensure(type), _providers(type)]
        if type.own_properties:
            parts += ["\n", COLUMNS, *_rows(type.own_properties)]
    return "".join(parts)


def _ensure(type) -> str:
    choices = [f"`{choice}`" for choice in type.ensure_choices]
    if len(choices) == 1:
        return f"`ensure` is always {choices[0]} and need not be given.\n"
    states = ", ".join(choices[:-1]) + " or " + choices[-1] if choices else "`present`, `absent`, `latest` or a version"
    return f"`ensure` is {states}; when not given, `{type.default_ensure}`.\n"


def _providers(type) -> str:
    if not type.provider_names:
        return "This version has no provider for it: manifests that have one are validated, and cannot apply it.\n"
    names = [f"`{name}`" for name in type.provider_names]
    return f"Provider: {names[0]}.\n" if len(names) == 1 else f"Providers: {', '.join(names)}.\n"


def _rows(properties, above: str = ""):
    for prop in properties:
        yield _row(prop, above + prop.name)
        if prop.fields:
            yield from _rows(prop.fields, f"{above}{prop.name}{'[]' if prop.kind == 'objects' else ''}.")


def _row(prop, name: str) -> str:
    names = " or ".join(f"`{each}`" for each in (name, *prop.aliases))
    default = "" if prop.default is None else f"`{json.dumps(prop.default)}`"
    moment = "" if prop.fields or prop.kind in WITHOUT_TEXT else MOMENTS.get(prop.when, "early")
    notes = [prop.help]
    if prop.required:
        notes.append("Has to be given.")
    if prop.choices:
        notes.append("One of " + ", ".join(f"`{choice}`" for choice in prop.choices) + ".")
    if prop.extension:
        notes.append("The original does not have it.")
    if prop.secret:
        notes.append("Never shown.")
    if prop.may_hold_secrets:
        notes.append("Secrets in it are never shown.")
    cells = (names, VALUES[prop.kind], default, moment, " ".join(note for note in notes if note))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def commands() -> str:
    """The help of every command, the flags of groups once each."""
    parts = [HEADER, PAGE_OF_COMMANDS]
    for command in all_commands():
        text = _help(command.path.split())
        if command.path:
            text = text.partition("\nGlobal Flags:\n")[0]
        parts.append(f"\n## {command.name}\n\n```text\n{text.strip()}\n```\n")
    return "".join(parts)


def messages() -> str:
    """Every message that a person can meet, in the order of the alphabet."""
    found: dict[str, tuple[set[str], set[str]]] = {}
    for message in all_messages():
        kinds, modules = found.setdefault(message.template, (set(), set()))
        kinds.add(message.kind)
        modules.add(message.module)
    rows = [
        f"| {_code(text)} | {', '.join(sorted(kinds))} | {', '.join(sorted(modules))} |\n"
        for text, (kinds, modules) in sorted(found.items(), key=lambda row: (row[0].lstrip("{\"'").lower(), row[0]))
    ]
    return "".join([HEADER, PAGE_OF_MESSAGES, *rows])


def _code(text: str) -> str:
    fence = "``" if "`" in text else "`"
    room = " " if text[:1] in "` " or text[-1:] in "` " else ""
    return fence + room + text.replace("|", "\\|") + room + fence


def all_commands(command=COMMANDS):
    """A command and all commands below it, in the order of its help."""
    yield command
    for name, _help_line in command.commands:
        yield from all_commands(command.find(name))


def _help(words: list[str]) -> str:
    written = io.StringIO()
    with contextlib.redirect_stderr(written):
        ccm([*words, "--help"])
    return written.getvalue()


def pages() -> dict[str, str]:
    """Every generated file that git does not keep: its path below docs/, and its content."""
    return {
        **schemas(),
        "reference/resources.md": resources(),
        "reference/commands.md": commands(),
        "reference/messages.md": messages(),
        "ccm.1": MANUAL_HEADER + manual_page(COMMANDS),
    }


def main() -> None:
    """Write the files."""
    for name, text in {**{f"docs/{name}": text for name, text in pages().items()}, **generated_files()}.items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()

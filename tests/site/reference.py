# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of the reference: one entry for each declaration."""

from __future__ import annotations

import re
from typing import Iterable

from ccm.cli.reference import FINDING, FLAG, FUNCTION, KEY, META_KEY, PROPERTY, TYPE, Entry, entries
from ccm.resources.types import TYPE_NAMES

from tests.tools import docs

from .check import Site

INDEX = "reference/index.md"
COMMON = "reference/properties.md"
# The page of each kind, but for types and their properties: its path, its title, what it says first.
PAGES = {
    META_KEY: (
        "reference/meta.md",
        "Keys of meta",
        "What `meta` of a resource may have.",
    ),
    KEY: (
        "reference/manifest.md",
        "Keys of a manifest",
        "What is around resources. [Properties of every type](properties.md) has the settings of a run.",
    ),
    FLAG: ("reference/flags.md", "Flags", "[Commands](commands.md) has the help of each command, with its flags."),
    FINDING: ("reference/findings.md", "Findings of lint", "`ccm lint` names the rule of each finding in brackets."),
    FUNCTION: (
        "reference/functions.md",
        "Functions",
        "[Expressions](../expressions.md) and [Templates](../templates.md) describe the languages.",
    ),
}
SPECIAL = re.compile(r"([\\*_\[\]<>|#{}&~$^])")


def text_of(plain: str) -> str:
    """Return plain text as Markdown; words between backquotes stay code."""
    parts = plain.split("`")
    if len(parts) % 2 == 0:  # a backquote by itself
        return SPECIAL.sub(r"\\\1", plain).replace("`", "\\`")
    return "`".join(part if at % 2 else SPECIAL.sub(r"\\\1", part) for at, part in enumerate(parts))


def page_of(entry: Entry) -> str:
    """Return the path of the page with an entry."""
    if entry.kind in PAGES:
        return PAGES[entry.kind][0]
    name = entry.name.partition(".")[0]
    return f"reference/{name}.md" if entry.kind == TYPE or (name in TYPE_NAMES and "." in entry.name) else COMMON


def place_of(entry: Entry) -> str:
    """Return what gives the heading that follows the anchor of an entry."""
    # Sphinx writes identifiers in small letters, without underscores, and takes trimAll and trimall for the same.
    is_kept = re.fullmatch("[a-z0-9-]+", entry.anchor)
    return f"({entry.anchor})=" if is_kept else f'<span id="{entry.anchor}"></span>'


def section(entry: Entry, heading: str) -> str:
    """Return what a page says of an entry, with its anchor."""
    is_below = page_of(entry) not in (COMMON, PAGES[META_KEY][0], PAGES[KEY][0])
    name = entry.name.partition(".")[2] if is_below else entry.name
    parts = [f"{place_of(entry)}\n\n{heading} `{name or entry.name}`\n\n{text_of(entry.summary)}\n"]
    parts += [f"\n{text_of(text)}\n" for text in entry.text]
    if entry.others:
        parts.append(f"\nOther names: {', '.join(f'`{other}`' for other in entry.others)}\n")
    if entry.details:
        rows = "".join(f"- **{label}**: {text_of(value)}\n" for label, value in entry.details)
        parts.append(f"\n{rows}")
    return "".join(parts) + "\n"


def pages() -> dict[str, str]:
    """The pages, by their paths in the site; the first is the index, with the others as its tree."""
    found = list(entries())
    made = {INDEX: ""}
    for entry in found:
        page = page_of(entry)
        if entry.kind == TYPE:
            made[page] = section(entry, "#")
        elif page == COMMON:
            made.setdefault(page, "# Properties of every type\n\nAnd the settings of a manifest, below `ccm`.\n\n")
            made[page] += section(entry, "##")
        elif entry.kind == PROPERTY:
            made[page] += section(entry, "##")
        else:
            _path, title, first = PAGES[entry.kind]
            made.setdefault(page, f"# {title}\n\n{first}\n\n")
            made[page] += section(entry, "##")
    made["reference/commands.md"] = docs.commands()
    made["reference/messages.md"] = docs.messages()
    made[INDEX] = index(found, made)
    return made


def index(found: Iterable[Entry], made: Iterable[str]) -> str:
    """Return the page that lists types and the other pages."""
    types = "".join(
        f"| [`{entry.name}`]({entry.name}.md) | {text_of(entry.summary)} |\n" for entry in found if entry.kind == TYPE
    )
    names = "".join(f"{page.removeprefix('reference/').removesuffix('.md')}\n" for page in made if page != INDEX)
    return f"""\
# Reference

Made from the declarations in the code. `ccm docs` prints the same in a terminal: `ccm docs file.mode`.

| type | manages |
| --- | --- |
{types}
| page | has |
| --- | --- |
| [Properties of every type](properties.md) | what each resource may have, and the settings of a manifest |
| [Keys of meta](meta.md) | retries, notifications, references and more |
| [Keys of a manifest](manifest.md) | what is around the resources: data, hierarchy, messages |
| [Commands](commands.md) | the help of each command |
| [Flags](flags.md) | every flag, with the commands that have it |
| [Findings of lint](findings.md) | what each rule finds, and what to do |
| [Functions](functions.md) | what expressions and templates may call |
| [Messages](messages.md) | what `ccm` and the modules can say |

```{{toctree}}
:hidden:

{names}```
"""


def without_anchor(site: Site) -> list[str]:
    """Return the entries that have no anchor in the site."""
    missing = []
    for entry in entries():
        page = site.pages.get(page_of(entry).replace(".md", ".html"))
        if page is None or entry.anchor not in page.anchors:
            missing.append(f"{page_of(entry)}: no anchor {entry.anchor} for the {entry.kind} {entry.name}")
    return missing

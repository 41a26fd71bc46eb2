# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The changes of a run as text: unified diffs of texts and attributes, lists of changed files of a tree."""

from __future__ import annotations

import difflib

from ..lang.controls import escaped_lines
from ..redaction.lines import Hiding, split, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator, Mapping, Sequence

    from ..engine.attempt import Attempt
    from ..model.resource import Resource

_CONTEXT = 3


def drawn(found: Attempt) -> list[str]:
    """Return the lines for the differences of a decision, without secrets of the manifest (Q38)."""
    if found.provider.differs_in_files:
        return list(_listed(found.differences))
    hide = Hiding(_secrets(found.context.resources))
    # Of a tree the files are listed.
    listed = [each for each in found.differences if "change" in each]
    shown = [line for each in found.differences if "change" not in each for line in _unified(each, hide)]
    return [*shown, *_listed(listed)]


def _secrets(resources: Sequence[Resource]) -> set[str]:
    found: set[str] = set()
    for resource in resources:
        for prop in resource.declared:
            value = getattr(resource.properties, prop.name) if prop.secret else None
            values = value.values() if isinstance(value, dict) else (value,)
            found.update(text for text in values if isinstance(text, str))
    return found


def _unified(difference: dict[str, Any], hide: Hiding) -> Iterator[str]:
    name = visible(difference["after_header"])
    if "before" not in difference or "after" not in difference:
        yield f"{name}: {_summary(difference)}"
        return
    yield f"--- {visible(difference['before_header'])}"
    yield f"+++ {name}"
    texts = [_text(difference[side]) for side in ("before", "after")]
    before, after = map(split, texts)
    if before == after:
        yield "@@ only the end of the last line differs @@"
    elif _without_ends(before) == _without_ends(after):
        yield f"@@ only the ends of lines differ: {_ends(before)} before, {_ends(after)} after @@"
        return
    was, becomes = (hide.lines(text) for text in texts)
    for group in difflib.SequenceMatcher(None, before, after).get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@"
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                yield from (f" {line}" for line in was[start:end])
                continue
            yield from (f"-{line}" for line in was[start:end])
            yield from (f"+{line}" for line in becomes[new_start:new_end])


def _without_ends(lines: list[str]) -> list[str]:
    return [line.rstrip("\r") for line in lines]


def _ends(lines: list[str]) -> str:
    carried = sum(line.endswith("\r") for line in lines)
    return "LF" if not carried else "CRLF" if carried == len(lines) else "CRLF and LF"


def _text(side: str | Mapping[str, object]) -> str:
    return side if isinstance(side, str) else "".join(f"{key}: {_attribute(value)}\n" for key, value in side.items())


def _attribute(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _range(start: int, end: int) -> str:
    count = end - start
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"


def _summary(difference: dict[str, Any]) -> str:
    if "prepared" in difference:
        return visible(difference["prepared"].rstrip("\n"))
    larger = difference.get("src_larger") or difference.get("dst_larger")
    return f"content of more than {larger} bytes differs" if larger else "binary content differs"


_MARKS = {"added": "+", "changed": "~", "removed": "-"}


def _listed(differences: Sequence[dict[str, Any]]) -> Iterator[str]:
    for difference in differences:
        yield f"{_MARKS[difference['change']]} {visible(difference['after_header'])}"


_COLOURS = {"+": "32", "-": "31", "~": "33", "@": "36"}


def coloured(line: str) -> str:
    """Return a line of differences with colours for a terminal, and without other control characters."""
    colour = "1" if line.startswith(("--- ", "+++ ")) else _COLOURS.get(line[:1])
    line = escaped_lines(line)
    return f"\x1b[{colour}m{line}\x1b[0m" if colour else line

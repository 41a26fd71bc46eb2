# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The record that undoes the changes of one resource, and its text in the state (docs/state.md)."""

from __future__ import annotations

import json
import os

from ...host.restorable_paths import FILE, FOUND_LENGTHS, is_half_back

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Tuple

    from ...host.restorable_paths import Found
    from ...model.facets import Part, Parts
    from ...model.values import Data

    #: The declaration of a resource: from the manifest of the run down, the path of each manifest, the digest of the
    #: declaration, and the reference of the resource or of the parent of the next manifest.
    Declared = List[Tuple[str, str, str]]

#: The prefix of the files with the contents of files before a change.
CONTENT_FILES = "before-"
_LENGTH = 32
#: A mark among the properties that undo a change: they and the changed values are not shown.
SENSITIVE = "sensitive"
_FIELDS = {"declared": list, "place": int, "since": str, "type": str, "name": str, "given": dict, "before": dict}
#: The keys of attributes in a line that have another name there.
_KEYS = {"number": "place"}


class UndoRecord:
    """The parts that the resource of a `key` changed, `before` its first change and `reached` after its last.

    `number` is the number of the first change among the changes of the manifest, from 1, and `since` its time as text.
    `given` are the properties of a resource that undoes it. A part that is not in `reached` was not seen after the
    change.
    """

    def __init__(
        self,
        key: str,
        *,
        declared: Declared,
        number: int,
        since: str,
        type: str,
        name: str,
        given: Data,
        before: Parts,
        reached: Parts | None = None,
    ) -> None:
        self.key = key
        self.declared = declared
        self.number = number
        self.since = since
        self.type = type
        self.name = name
        self.given = given
        self.before = before
        self.reached = reached or {}

    def fields(self) -> str:
        """Return it, without its key, as the text in its line of a state."""
        fields = {_KEYS.get(name, name): value for name, value in vars(self).items() if name != "key"}
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))

    def copy(self) -> UndoRecord:
        """Return a copy, of which other parts may be set."""
        return UndoRecord(**vars(self))

    @property
    def is_sensitive(self) -> bool:
        """Whether the changed values are not shown."""
        return bool(self.given.get(SENSITIVE))

    @property
    def is_seen(self) -> bool:
        """Whether all parts were seen after the change."""
        return self.before.keys() == self.reached.keys()

    def contents(self) -> list[str]:
        """Return the names of the files with the saved contents."""
        parts = [part for part in self.before.values() if isinstance(part, list)]
        return [content_name(part) for part in parts if part[0] == FILE]

    def left_to_undo(self, now: Parts) -> Parts:
        """Return the parts before the change that the change replaced, and that are not restored yet."""
        return {
            name: part for name, part in self.before.items() if now.get(name) != part and self.reached.get(name) != part
        }

    def changed_since(self, now: Parts) -> dict[str, tuple[Part | None, Part]]:
        """Return the parts that something else changed: after the change, None when not known, and now."""
        return {
            name: (self.reached.get(name), now[name])
            for name, part in self.left_to_undo(now).items()
            if self.reached.get(name) != now[name] and not _is_half_back(part, now[name])
        }

    def joined(self, older: UndoRecord) -> UndoRecord:
        """Return the change with the parts that an older change of the same resource replaced."""
        self.before = {**self.before, **older.before}
        self.number, self.since = older.number, older.since
        return self


def content_name(found: Found) -> str:
    """Return the name of the file with the saved content of a file."""
    return f"{CONTENT_FILES}{str(found[4])[:_LENGTH]}"


def read_undo_record(key: str, text: str) -> UndoRecord:
    """Return the record of a resource from the text in its line of a state. Raises ValueError."""
    try:
        fields = json.loads(text)
    except RecursionError:
        fields = None
    if not isinstance(fields, dict) or not isinstance(fields.get("reached"), dict) or len(fields) != len(_FIELDS) + 1:
        raise ValueError
    if not all(isinstance(fields.get(name), kind) for name, kind in _FIELDS.items()):
        raise ValueError
    if not all(map(_is_part, [*fields["before"].items(), *fields["reached"].items()])):
        raise ValueError
    if not fields["declared"] or not all(map(_is_declaration, fields["declared"])):
        raise ValueError
    fields["declared"] = [tuple(each) for each in fields["declared"]]
    fields["number"] = fields.pop(_KEYS["number"])
    return UndoRecord(key, **fields)


def _is_declaration(value: object) -> bool:
    """Return whether a part of a declaration has the form in which it is written."""
    return isinstance(value, list) and len(value) == 3 and all(isinstance(each, str) for each in value)


def _is_part(part: tuple[str, object]) -> bool:
    """Return whether a changed part has the form in which it is written."""
    name, value = part
    if not name.startswith("/"):
        return not isinstance(value, (list, dict))
    try:
        os.fsencode(name)
    except ValueError:
        return False
    if not isinstance(value, list) or not all(isinstance(each, (str, int)) for each in value):
        return False
    return bool(value) and len(value) == FOUND_LENGTHS.get(value[0])


def _is_half_back(part: Part, now: Part) -> bool:
    return isinstance(part, list) and isinstance(now, list) and is_half_back(part, now)

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The last sent values of resources, in one file for each resource (docs/design/state.md).

A value is void from the moment its sender acts, and as long as that did not end well.
"""

from __future__ import annotations

import json

from ...model.clock import timestamp
from ..sent import ValueLost, sent_now
from .cause import wanted_digest
from .lines import first_words, line_of
from .locked_directory import LockedDirectory
from .own_files import SENT_FILES, VOID_MARKS, content_of, digest_of_key, remove

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.resource import Resource
    from ...model.state import State
    from ...model.values import Value
    from ..state_directory import StateDirectory

#: Size in bytes of the values of one resource; larger values are not saved.
LARGEST_SENT = 16 << 20
_SENT, _VOID = "sent", "void"
_FORMER = "values"
#: Why what a resource sent does not count any more.
_DID_NOT_END, _HAS_FAILED = "its run did not end", "it failed"
_TOO_LARGE = "its values were too large to be kept"
_RAN_WITHOUT_STATE = "it ran without state"
_IS_CHANGED = "it was declared otherwise when it ran last"


class SentFiles:
    """The last sent values of the resources of a manifest, in its state `directory`."""

    def __init__(self, directory: StateDirectory) -> None:
        self._directory = directory

    def read(self, key: str, resource: Resource) -> dict[str, Value]:
        """Return the last sent values of a resource, none if they are not known. Raises StoreError, and ValueLost."""
        text = content_of(self._directory.opened(), _name(key, resource))
        if text is None:
            return {}
        if VOID_MARKS + digest_of_key(key) in self._directory.names():
            raise ValueLost(_RAN_WITHOUT_STATE)
        words = first_words(text, f"{self._directory.path}/{_name(key, resource)}") or _former_words(text)
        if len(words) == 3 and words[0] == _VOID:
            raise ValueLost(words[2], words[1])
        values = _values(words[2]) if len(words) == 3 and words[0] == _SENT else None
        if values is None:
            self._directory.log.warn(
                "What a resource sent last is damaged, and is not used", resource=resource.reference
            )
            return {}
        if words[1] not in ("", wanted_digest(resource)):
            raise ValueLost(_IS_CHANGED)
        return values

    def void(self, key: str, resource: Resource, *, has_failed: bool = False) -> None:
        """Note on disk that what a resource sent does not count: it acts, or it has failed. Raises StoreError."""
        self._write(key, resource, _void_line(_HAS_FAILED if has_failed else _DID_NOT_END))

    def keep(self, key: str, resource: Resource, state: State) -> None:
        """Save the sent values of a resource that has run. Raises StoreError."""
        values = sent_now(resource, state)
        if values is None:
            return
        text = json.dumps(values, ensure_ascii=False, sort_keys=True)
        data = line_of([_SENT, wanted_digest(resource), text], 0)
        if len(data) > LARGEST_SENT:
            size = f"{len(data) / (1 << 20):.1f} MiB"
            self._directory.log.warn(
                "What a resource sends is too large to be kept", resource=resource.reference, size=size
            )
            data = _void_line(_TOO_LARGE)
        self._write(key, resource, data)

    def _write(self, key: str, resource: Resource, data: bytes) -> None:
        with LockedDirectory(self._directory) as locked:
            locked.replace(_name(key, resource), [data])
            # It says more than a mark.
            remove(locked.opened, VOID_MARKS + digest_of_key(key))


def _void_line(reason: str) -> bytes:
    """Return the content of the file of a resource whose last values do not count, since now and for a reason."""
    return line_of([_VOID, timestamp(), reason], 0)


def _name(key: str, resource: Resource) -> str:
    """Return the name of a file; two resources whose names differ only in secrets have the same key."""
    name, file = resource.properties.name, SENT_FILES + digest_of_key(key)
    return file if resource.shown_name == name else f"{file}-{digest_of_key(name)}"


def _values(text: str) -> dict[str, Value] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _former_words(text: bytes) -> list[str]:
    """Return the words of a file of the formats 1 and 2, which do not say what the resource was."""
    found = _values(text.decode("utf-8", "surrogatepass")) if text.startswith(b"{") else None
    values = found.get(_FORMER) if found else None
    return [_SENT, "", json.dumps(values)] if isinstance(values, dict) else []

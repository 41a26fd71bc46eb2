# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The last sent values of resources, in one file for each resource (docs/design/state.md)."""

from __future__ import annotations

import json

from ..sent import sent_now
from .store import digest_of, sent_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.log import Log
    from ...model.resource import Resource
    from ...model.state import State
    from ...model.values import Value
    from .files import StateFiles

#: Size in bytes of the values of one resource; larger values are not saved.
LARGEST_SENT = 16 << 20
_VALUES = "values"


class SentFiles:
    """The last sent values of the resources of a manifest, in the `files` of its store; warnings go to `log`."""

    def __init__(self, files: StateFiles, log: Log) -> None:
        self._files = files
        self._log = log

    def read(self, key: str, resource: Resource) -> dict[str, Value]:
        """Return the last sent values of a resource, none if they are not known. Raises StoreError."""
        text = self._files.read(_name(key, resource))
        if text is None:
            return {}
        try:
            found = json.loads(text.decode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError):
            found = None
        values = found.get(_VALUES) if isinstance(found, dict) else None
        if isinstance(values, dict):
            return values
        self._log.warn("What a resource sent last is damaged, and is not used", resource=resource.reference)
        return {}

    def keep(self, key: str, resource: Resource, state: State) -> None:
        """Save the sent values of a resource, or remove the saved ones if they are too large. Raises StoreError."""
        values = sent_now(resource, state)
        if values is None:
            return
        name = _name(key, resource)
        text = json.dumps({_VALUES: values}, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")
        before = self._files.read(name)
        if len(text) > LARGEST_SENT:
            size = f"{len(text) / (1 << 20):.1f} MiB"
            self._log.warn("What a resource sends is too large to be kept", resource=resource.reference, size=size)
            if before is not None:
                with self._files.locked() as directory:
                    self._files.remove(name, directory)
        elif text != before:
            with self._files.locked() as directory:
                self._files.replace(name, text, directory, synced=True)


def _name(key: str, resource: Resource) -> str:
    """Return the name of a file; two resources whose names differ only in secrets have the same key."""
    name = resource.properties.name
    return sent_file(key) if resource.shown_name == name else f"{sent_file(key)}-{digest_of(name)}"

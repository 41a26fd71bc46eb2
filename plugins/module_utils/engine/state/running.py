# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The runs that may be about to change what they noted: each keeps a hidden file locked (docs/design/state.md)."""

from __future__ import annotations

from ...host.hidden_files import HiddenFile, is_in_use
from ...host.hidden_names import hidden_name
from ...model.errors import StoreError
from ..state_directory import unusable
from .own_files import made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state_directory import StateDirectory
    from .ids import Ids


class RunningRuns:
    """The runs of a manifest that note something in its `directory` now; `ids` are of the records of this run."""

    def __init__(self, directory: StateDirectory, ids: Ids) -> None:
        self._directory = directory
        self._ids = ids
        self._file: HiddenFile | None = None
        self._ended: set[str] = set()

    def note(self) -> None:
        """Say that this run may be about to change what it notes, until `end`. Raises StoreError."""
        if self._file is None:
            opened, name = made(self._directory), _name(self._ids.prefix)
            try:
                self._file = HiddenFile(opened.fd, name)
            except OSError as error:
                raise unusable(f"{opened.path}/{name}", error) from None

    def end(self) -> None:
        """Say that this run changes nothing more, until it notes again; others may have begun again too."""
        self._file, self._ended = None, set()

    def has(self, id: str) -> bool:
        """Return whether another run noted the record of an id, and may still run."""
        prefix = id.partition("-")[0]
        if self._ids.has(id) or prefix in self._ended:
            return False
        try:
            directory = self._directory.opened()
            found = directory is not None and is_in_use(directory.fd, hidden_name(_name(prefix)))
        except (StoreError, OSError):
            return True
        if not found:
            self._ended.add(prefix)
        return found


def is_any_running(directory: StateDirectory) -> bool:
    """Return whether a run of the manifest of a directory may be about to change what it noted. Raises StoreError."""
    opened, start = directory.opened(), f".{_name('')}"
    names = opened.names() if opened else []
    return opened is not None and any(is_in_use(opened.fd, name) for name in names if name.startswith(start))


def _name(prefix: str) -> str:
    return f"run-{prefix}"

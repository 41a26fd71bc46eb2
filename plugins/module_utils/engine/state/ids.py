# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The ids of the records of a state."""

from __future__ import annotations

from ...model.clock import new_event_id


class Ids:
    """Makes the ids of the records of one run."""

    def __init__(self) -> None:
        self._prefix = ""
        self._count = 0

    @property
    def prefix(self) -> str:
        """The beginning of the ids of the run."""
        self._prefix = self._prefix or new_event_id()
        return self._prefix

    def has(self, id: str) -> bool:
        """Return whether an id is of this run."""
        return bool(self._prefix) and id.startswith(f"{self._prefix}-")

    def new(self) -> str:
        """Return an id that no other record has."""
        self._count += 1
        return f"{self.prefix}-{self._count}"

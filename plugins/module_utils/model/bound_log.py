# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A log that says more than it is told."""

from __future__ import annotations

from .log import Log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .log import Fields


class BoundLog(Log):
    """Puts `fields` before those of every line for `log`."""

    def __init__(self, log: Log, **fields: Any) -> None:
        self._log = log
        self._bound = tuple(fields.items())

    def write(self, level: str, message: str, fields: Fields) -> None:
        """Hand the line on."""
        self._log.write(level, message, (*self._bound, *fields))

    def doing(self, what: str) -> None:
        """Hand it on."""
        self._log.doing(what)

    def progress(self, done: int, total: int | None) -> None:
        """Hand it on."""
        self._log.progress(done, total)

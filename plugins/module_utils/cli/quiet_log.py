# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The log for users of commands that show the results of resources otherwise."""

from __future__ import annotations

from ..model.log import WARN, Log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.log import Fields

#: Fields that only the results of resources, and of manifests that they apply, have.
_OF_RESULTS = ("runtime", "changed")


class QuietLog(Log):
    """Writes no lines, with `warns` only warnings that are not results of resources, but shows what takes long."""

    def __init__(self, log: Log, *, warns: bool = False) -> None:
        self.levels = (WARN,) if warns else ()
        self.shows_progress = log.shows_progress
        self._log = log

    def write(self, level: str, message: str, fields: Fields) -> None:
        """Pass on a warning."""
        if level in self.levels and not any(name in _OF_RESULTS for name, _value in fields):
            self._log.write(level, message, fields)

    def doing(self, what: str) -> None:
        """Pass it on."""
        self._log.doing(what)

    def before_waiting(self) -> None:
        """Pass it on."""
        self._log.before_waiting()

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The logs of providers of other packages: without the secrets of their type. Front ends escape what they show."""

from __future__ import annotations

import threading

from ..host.call_threads import is_given_up
from ..model.log import Log
from .printed import not_captured
from .secret_values import hidden, without

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

    from ..model.log import Fields
    from ..model.values import Field


class KnownSecrets:
    """The secrets that calls of a type had: what it prints and logs later may have them too."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        # Guards changes of the texts: resources of a type may be managed by several threads.
        self._lock = threading.Lock()

    def add(self, secrets: Iterable[str]) -> None:
        """Know these secrets from now on too."""
        new = set(secrets).difference(self.texts)
        if new:
            with self._lock:
                self.texts = sorted({*self.texts, *new}, key=len, reverse=True)


class HidingLog(Log):
    """The log of a provider of another package, without the secrets of its type, and without calls given up."""

    def __init__(self, log: Log, known: KnownSecrets) -> None:
        self.levels, self.shows_progress = log.levels, log.shows_progress
        self._log = log
        self._known = known

    def write(self, level: str, message: str, fields: Fields) -> None:
        """Write one line."""
        if is_given_up():
            return
        secrets = self._known.texts
        shown_fields: list[tuple[str, Field]] = [(key, hidden(secrets, value)) for key, value in fields]
        with not_captured():
            self._log.write(level, without(secrets, message), shown_fields)

    def doing(self, what: str) -> None:
        """Show it without secrets."""
        if not is_given_up():
            self._log.doing(without(self._known.texts, what))

    def progress(self, done: int, total: int | None) -> None:
        """Pass it on."""
        if not is_given_up():
            self._log.progress(done, total)

    def before_waiting(self) -> None:
        """Pass it on."""
        self._log.before_waiting()

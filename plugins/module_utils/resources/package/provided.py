# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages about names that other packages provide (decisions.md Q96)."""

from __future__ import annotations

from ...model.errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...model.log import Log


class ProvidedLog:
    """Logs once in a run what provides a name."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._said: set[str] = set()

    def provides(self, name: str, packages: Sequence[str]) -> None:
        """Log which packages a name means."""
        self._say(f"{name} is provided by {', '.join(packages)}")

    def stays(self, name: str, packages: Sequence[str]) -> None:
        """Log which packages provide the name of a package that is to be absent; they are not removed."""
        self._say(f"{name} is not installed, it is provided by {', '.join(packages)}")

    @staticmethod
    def require_one(name: str, packages: Sequence[str]) -> None:
        """Raise ResourceFailed when several packages provide a name."""
        if len(packages) > 1:
            raise ResourceFailed(
                f"{name} is provided by several packages: {', '.join(packages)}",
                property="name",
                value=name,
                advice="name one of them",
            )

    def _say(self, message: str) -> None:
        if message not in self._said:
            self._said.add(message)
            self._log.info(message)

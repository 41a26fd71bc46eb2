# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A log that records its lines."""

from __future__ import annotations

from ..model.log import Log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..model.values import Field


class RecordedLog(Log):
    """A log that records level, message and fields of each line in `lines`."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, dict[str, Field]]] = []

    def write(self, level: str, message: str, fields: Sequence[tuple[str, Field]]) -> None:
        """Record one line."""
        self.lines.append((level, message, dict(fields)))

    @property
    def messages(self) -> list[str]:
        """The messages without their fields."""
        return [message for _level, message, _fields in self.lines]

    @property
    def fields(self) -> list[dict[str, Field]]:
        """The fields of each line."""
        return [fields for _level, _message, fields in self.lines]

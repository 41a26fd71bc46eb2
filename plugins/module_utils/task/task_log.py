# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What layers say while a task runs, kept for its result."""

from __future__ import annotations

from ..model.log import DEBUG, ERROR, WARN, Log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.log import Fields


class TaskLog(Log):
    """Keeps what people should read in `lines`, and of that what they should look at in `warnings`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.warnings: list[str] = []

    def write(self, level: str, message: str, fields: Fields) -> None:
        """Take one line."""
        if level == DEBUG:
            return
        text = message + "".join(f" {key}={value}" for key, value in fields)
        self.lines.append(text)
        if level in (WARN, ERROR):
            self.warnings.append(text)

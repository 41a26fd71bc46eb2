# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A log that records its lines."""

from __future__ import annotations

from ccm.model.log import Log


class RecordedLog(Log):
    """A log that records level, message and fields of each line in `lines`."""

    def __init__(self):
        self.lines = []

    def write(self, level, message, fields):
        self.lines.append((level, message, dict(fields)))

    @property
    def messages(self):
        return [message for _level, message, _fields in self.lines]

    @property
    def fields(self):
        return [fields for _level, _message, fields in self.lines]

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the state of a command shows beside what every state has, in the order of events."""

from __future__ import annotations

from ...model.property import Property

STATE_FIELDS = (
    Property("exitcode", "integer", help="The exit code of the command, when it ran."),
    Property("creates_satisfied", "boolean", help="Whether what the command creates is there."),
    Property("onlyif_satisfied", "boolean", help="Whether its guard said that it may run."),
    Property("unless_satisfied", "boolean", help="Whether its guard said that it need not run."),
)

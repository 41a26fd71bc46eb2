# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The remaining time of a command."""

from __future__ import annotations

from ccm.host.command_output import Deadline

HOUR = 3_600_000_000_000


def test_reading_after_the_end_leaves_half_of_the_time():
    """Otherwise a guard whose child holds its output would take the time of its command (decisions.md Q90)."""
    assert 0 < Deadline(HOUR).rest(2 * HOUR).left() <= HOUR // 2
    assert 0 < Deadline(HOUR).rest(HOUR // 4).left() <= HOUR // 4
    assert HOUR < Deadline(None).rest(2 * HOUR).left() <= 2 * HOUR
    assert Deadline(1).rest(HOUR).left() <= 0

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a manifest that changes is read again."""

from __future__ import annotations

from ccm.manifest.manifest_files import ReadingTime

MS = 1_000_000


def test_it_is_read_after_its_last_change_but_soon_after_its_first():
    time = ReadingTime()
    assert time.at is None
    for now in range(0, 2000, 10):
        time.change(now * MS)
        assert time.at == min(now + 50, 1000) * MS
    time.end()
    assert time.at is None
    time.change(5000 * MS)
    assert time.at == 5050 * MS


def test_a_change_does_not_put_off_what_was_asked_for():
    time = ReadingTime()
    time.ask()
    time.change(7 * MS)
    assert time.at == 0

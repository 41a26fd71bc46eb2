# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of ranges of versions: the messages."""

from __future__ import annotations

import pytest
from ccm.lang.versions.semver import SemverError, parse_range

FAULTS = [
    (">1.2.3-é", "what follows the numbers of 1.2.3-é is not made of words"),
    (">1.2.3-", " is not a version number"),
    (">=19999999999999999999.1.1", "19999999999999999999 is too large"),
    ("=>1.2.3", "=> compares nothing"),
    (">x", ">x names no version"),
    (">1.x.3", "1.x.3 is not a version"),
    (">1.2", "no MAJOR.MINOR.PATCH in 1.2"),
    (">", "'>' is not a range of versions"),
]


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_messages(text, message):
    with pytest.raises(SemverError) as caught:
        parse_range(text)
    assert str(caught.value) == message

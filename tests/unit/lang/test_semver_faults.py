# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of ranges of versions that are wrong."""

from __future__ import annotations

import pytest
from ccm.lang.versions.semver import SemverError, parse_range

FAULTS = [
    (">1.2.3-é", "what follows the numbers of 1.2.3-é is not made of words"),
    (">1.2.3-", " is no number of a version"),
    (">=19999999999999999999.1.1", "19999999999999999999 is too large"),
    ("=>1.2.3", "=> compares nothing"),
    (">x", ">x names no version"),
    (">1.x.3", "1.x.3 is no version"),
    (">1.2", "no MAJOR.MINOR.PATCH in 1.2"),
    (">", "'>' is no range of versions"),
]


@pytest.mark.parametrize(("text", "said"), FAULTS)
def test_what_is_said_of_a_range(text, said):
    with pytest.raises(SemverError) as caught:
        parse_range(text)
    assert str(caught.value) == said

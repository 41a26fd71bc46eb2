# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Invalid matchers of goss, and values that cannot be compared: the messages."""

from __future__ import annotations

import pytest
from ccm.health.goss.building import matcher_of
from ccm.health.goss.values import RuleError


@pytest.mark.parametrize(
    ("expected", "actual", "message"),
    [
        ({}, "x", "Syntax Error: Invalid matcher configuration. .* Found none"),
        ({"have-patterns": 1}, "x", "Syntax Error: Invalid 'have-patterns' argument. Expected array value"),
        ({"have-patterns": ["x"]}, "y" * (1 << 20), "bufio.Scanner: token too long"),
        ({"nosuch": 1}, "x", "Syntax Error: Unknown matcher: nosuch"),
    ],
)
def test_messages(expected, actual, message):
    with pytest.raises(RuleError, match=message):
        matcher_of(expected).match(actual)

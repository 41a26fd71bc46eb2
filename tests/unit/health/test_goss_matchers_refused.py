# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of matchers of goss that are none, and of values that cannot be asked."""

from __future__ import annotations

import pytest
from ccm.health.goss.building import matcher_of
from ccm.health.goss.values import RuleError


@pytest.mark.parametrize(
    ("expected", "actual", "said"),
    [
        ({}, "x", "Syntax Error: Invalid matcher configuration. .* Found none"),
        ({"have-patterns": 1}, "x", "Syntax Error: Invalid 'have-patterns' argument. Expected array value"),
        ({"have-patterns": ["x"]}, "y" * (1 << 20), "bufio.Scanner: token too long"),
        ({"nosuch": 1}, "x", "Syntax Error: Unknown matcher: nosuch"),
    ],
)
def test_what_is_said(expected, actual, said):
    with pytest.raises(RuleError, match=said):
        matcher_of(expected).match(actual)

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Quotes of the output of commands in messages."""

from __future__ import annotations

import pytest
from ccm.host.results import in_one_line


@pytest.mark.parametrize(
    ("lines", "quoted"),
    [
        ([], ""),
        (["a", "b c"], "a / b c"),
        (["x" * 1000, "b"], "x" * 1000 + " / b"),
        (["x" * 1001, "b"], "x" * 1000 + " ... / b"),
        (["words " * 160 + "https://u:" + "p" * 100 + "@h/"], "words " * 159 + "words ..."),
    ],
)
def test_lines_are_joined_and_long_ones_are_cut(lines, quoted):
    assert in_one_line(lines) == quoted

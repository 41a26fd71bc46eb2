# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ccm.lang.go.quoting import quote


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("", '""'),
        ("é ✓", '"é ✓"'),
        ('a"b\\c', '"a\\"b\\\\c"'),
        ("\a\b\f\n\r\t\v", '"\\a\\b\\f\\n\\r\\t\\v"'),
        ("\x00\x1f\x7f", '"\\x00\\x1f\\x7f"'),
        ("\x80\xa0\u200b\U000e0001", '"\\u0080\\u00a0\\u200b\\U000e0001"'),
        ("\udcff", '"\\xff"'),
    ],
)
def test_quote(text: str, quoted: str) -> None:
    assert quote(text) == quoted

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that Jet cannot convert to numbers: the messages."""

from __future__ import annotations

import pytest
from ccm.lang.jet.errors import JetError
from ccm.lang.jet.numbers import to_float, to_int, to_uint
from ccm.lang.jet.values import MISSING

LARGE = "9" * 30


@pytest.mark.parametrize(
    ("convert", "value", "message"),
    [
        (to_int, LARGE, f'strconv.ParseInt: parsing "{LARGE}": value out of range'),
        (to_uint, LARGE, f'strconv.ParseUint: parsing "{LARGE}": value out of range'),
        (to_uint, "-1", 'strconv.ParseUint: parsing "-1": invalid syntax'),
        (to_float, "1e999", 'strconv.ParseFloat: parsing "1e999": value out of range'),
        (to_int, MISSING, "invalid value can't be converted to int64"),
        (to_uint, MISSING, "invalid value can't be converted to uint64"),
        (to_float, MISSING, "invalid value can't be converted to float64"),
        (to_uint, [], 'type: "[]interface {}" can\'t be converted to uint64'),
        (to_float, [], 'type: "[]interface {}" can\'t be converted to float64'),
    ],
)
def test_messages(convert, value, message):
    with pytest.raises(JetError) as caught:
        convert(value)
    assert str(caught.value) == message

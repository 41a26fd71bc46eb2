# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ccm.data.validators import check
from ccm.lang.expr.errors import ExprError

GOOD = [
    ("isIP", ["192.0.2.1", "::1", "2001:db8::1", "::ffff:192.0.2.1", "0.0.0.0"]),
    ("isIPv4", ["192.0.2.1", "255.255.255.255", "::ffff:192.0.2.1"]),
    ("isIPv6", ["::1", "::", "2001:DB8::1", "1:2:3:4:5:6:7:8", "64:ff9b::192.0.2.1"]),
    ("isInt", ["0", "-3", "+4", "007", "9" * 5000]),
    ("isFloat", ["1.5", "-1.", ".5", "1e5", "1E-5", "2p3", "inf", "-Inf", "+inf", "7"]),
    ("isDuration", ["1h30m", "10s", "2d", "1w", "0"]),
    ("isShellSafe", ["ok", "a b", "a'b\"c", " padded \n", "*?[]{}!#~"]),
    ("isHostname", ["web1", "a.b.c", "1", "a" * 63 + ".b", "a-", "UPPER"]),
    ("isFQDN", ["web1.example.net", "web1.example.net.", "a.b", "1.c1"]),
]
BAD = [
    ("isIP", "{} is not an IP address", ["x", "", "256.1.1.1", "1.2.3", "01.2.3.4", "1.2.3.4.5", "::1%lo", "1.2.3.4 "]),
    ("isIPv4", "{} is not an IPv4 address", ["::1", "1.2.3.٤", "1.2.3.-4"]),
    ("isIPv6", "{} is not an IPv6 address", ["192.0.2.1", "::ffff:192.0.2.1", "1::2::3", ":", "12345::"]),
    ("isInt", "", ["", "1.5", "0x10", "true", "1_000", " 1", "-", "\u0661"]),
    ("isFloat", "", ["", "x", ".", "1e", "e5", "1.2.3", "nan", "infinity", "0x1p3", "1_0", "1e5p2"]),
    ("isDuration", "", ["5", "x", ""]),
    ("isHostname", '"{}" is not a valid hostname', ["", "a_b", "-x", "a..b", "a.", "a" * 64, "a b", "ü"]),
    ("isFQDN", '"{}" is not a valid FQDN', ["web1", "web1.", "a.1", "a..b", "a.b..", ".", ""]),
]
SHORT = {
    "isIP": "is_ip",
    "isIPv4": "is_ipv4",
    "isIPv6": "is_ipv6",
    "isInt": "is_int",
    "isFloat": "is_float",
    "isDuration": "is_duration",
    "isShellSafe": "is_shellsafe",
    "isHostname": "is_hostname",
    "isFQDN": "is_fqdn",
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in GOOD for value in values])
def test_valid_values(name, value):
    assert check(value, f"{name}(value)") == (True, "")
    assert check(value, f"{SHORT[name]}(Value)") == (True, "")


@pytest.mark.parametrize(
    ("name", "value", "reason"), [(name, value, reason) for name, reason, values in BAD for value in values]
)
def test_invalid_values_and_their_messages(name, value, reason):
    assert check(value, f"{name}(value)") == (False, reason.format(value))
    assert check(value, f"{SHORT[name]}(Value)") == (False, reason.format(value))


@pytest.mark.parametrize("char", list("`$;|&><()\n"))
def test_characters_with_a_meaning_for_shells_are_invalid(char):
    assert check(f"a{char}b", "isShellSafe(value)") == (False, f"may not contain '{char}'")


def test_regular_expressions_match_anywhere():
    assert check("xabc", 'isRegex(value, "a.c")') == (True, "")
    assert check("ABC", 'is_regex(value, "^[a-z]+$")') == (False, "")


def test_an_invalid_regular_expression_is_an_error_of_the_expression():
    with pytest.raises(ExprError, match=r'invalid regex "\["'):
        check("x", 'isRegex(value, "[")')


def test_one_valid_alternative_is_enough_and_all_reasons_are_kept():
    either = "isIPv4(value) || isIPv6(value)"
    assert check("::1", either) == (True, "")
    assert check("x", either) == (False, "x is not an IPv4 address; x is not an IPv6 address")
    assert check("192.0.2.1", "!isIPv4(value)") == (False, "")


@pytest.mark.parametrize("expression", ["value", "value +", "nosuch(value)", "isInt()", "isInt(5)", "Data.a == 1", ""])
def test_validations_that_cannot_be_evaluated(expression):
    with pytest.raises(ExprError):
        check("x", expression)

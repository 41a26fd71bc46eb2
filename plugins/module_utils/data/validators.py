# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions of `@validate` expressions, and their evaluation for one value (behaviour.md 16).

A validator never fails: an invalid value is false (decision Q34), and the reason is kept for the message.
"""

from __future__ import annotations

import socket

from ..lang.durations import DurationError, parse
from ..lang.expr.errors import ExprFunctionError
from ..lang.expr.program import Environment, Function, compile_expression
from ..lang.go.quoting import quote
from ..lang.go.regexp.errors import RegexpError
from ..lang.go.regexp.program import compile_regexp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DIGITS = frozenset("0123456789")
_UNSAFE = "`$;|&><()\n"


def check(value: str, expression: str) -> tuple[bool, str]:
    """Return whether `value` satisfies the expression, and if not, why ("" when no validator gave a reason).

    The expression has the value as `value` and `Value`. The reasons of several validators are joined by `; `. Raises
    ExprError when the expression does not compile, gives no boolean, or fails for another reason than a validator's.
    """
    reasons: list[str] = []
    program = compile_expression(expression, _DECLARED, as_bool=True)
    functions = {name: _recorded(validator, reasons) for name, validator in _VALIDATORS.items()}
    passed = program.run({"value": value, "Value": value}, functions)
    return bool(passed), "" if passed else "; ".join(dict.fromkeys(reasons))


def _recorded(validator: Callable[..., str | None], reasons: list[str]) -> Callable[..., bool]:
    def call(*given: str) -> bool:
        reason = validator(*given)
        if reason:
            reasons.append(reason)
        return reason is None

    return call


# Each returns None for a valid value, else the reason, "" where the original gives none.


def is_ip(value: str) -> str | None:
    """Check for an IPv4 or IPv6 address."""
    return None if _ipv4(value) or _ipv6(value) else f"{value} is not an IP address"


def is_ipv4(value: str) -> str | None:
    """Check for an IPv4 address, also one written as IPv6 (`::ffff:192.0.2.1`)."""
    return None if _ipv4(value) or _mapped(value) else f"{value} is not an IPv4 address"


def is_ipv6(value: str) -> str | None:
    """Check for an IPv6 address that is no IPv4 address."""
    return None if _ipv6(value) and not _mapped(value) else f"{value} is not an IPv6 address"


def is_int(value: str) -> str | None:
    """Check for a decimal integer of any size."""
    digits = value[1:] if value[:1] in ("+", "-") else value
    return None if digits and _DIGITS.issuperset(digits) else ""


def is_float(value: str) -> str | None:
    """Check for a number: digits, at most one point, an exponent (`e`, or `p` for powers of two), or `inf`."""
    number = value[1:] if value[:1] in ("+", "-") else value
    if number in ("Inf", "inf"):
        return None
    marks = [place for place in map(number.find, "eEpP") if place >= 0]
    mantissa, exponent = (number[: marks[0]], number[marks[0] + 1 :]) if len(marks) == 1 else (number, "0")
    digits = mantissa.replace(".", "", 1)
    return None if digits and _DIGITS.issuperset(digits) and is_int(exponent) is None else ""


def is_duration(value: str) -> str | None:
    """Check for a duration such as `1h30m`, `2d` or `1w` (behaviour.md 2.8)."""
    try:
        parse(value)
    except DurationError:
        return ""
    return None


def is_regex(value: str, pattern: str) -> str | None:
    """Check that the regular expression (RE2's syntax) matches in a text; a bad one is the expression's fault."""
    try:
        found = compile_regexp(pattern).search(value)
    except RegexpError as error:
        raise ExprFunctionError(f"invalid regex {quote(pattern)}: {error}") from None
    return None if found else ""


def is_shellsafe(value: str) -> str | None:
    """Check for a text without the special characters of a shell, blanks around it ignored."""
    text = value.strip()
    found = next((char for char in _UNSAFE if char in text), None)
    return None if found is None else f"may not contain '{found}'"


def is_hostname(value: str) -> str | None:
    """Check for labels of letters, digits and hyphens, at most 63 long, no hyphen first, joined by dots."""
    if all(map(_is_label, value.split("."))):
        return None
    return _no_valid(value, "hostname")


def is_fqdn(value: str) -> str | None:
    """Check for a host name of at least two labels, the last beginning with a letter; it may end in a dot."""
    labels = value[:-1].split(".") if value.endswith(".") else value.split(".")
    if len(labels) > 1 and all(map(_is_label, labels)) and labels[-1][0] in _LETTERS:
        return None
    return _no_valid(value, "FQDN")


def _no_valid(value: str, what: str) -> str:
    return f"{quote(value)} is not a valid {what}"


def _is_label(label: str) -> bool:
    return 0 < len(label) <= 63 and label[0] != "-" and (_LETTERS | _DIGITS | {"-"}).issuperset(label)


def _ipv4(value: str) -> bool:
    parts = value.split(".")
    return len(parts) == 4 and all(
        0 < len(part) <= 3 and _DIGITS.issuperset(part) and int(part) < 256 and (part == "0" or part[0] != "0")
        for part in parts
    )


def _ipv6(value: str) -> bool:
    """Return whether it is an IPv6 address.

    `inet_pton` accepts the forms that Go accepts, and zones, which Go refuses.
    """
    return _packed(value) is not None


def _packed(value: str) -> bytes | None:
    if not value.isascii() or "\0" in value:
        return None
    try:
        return socket.inet_pton(socket.AF_INET6, value)
    except OSError:
        return None


def _mapped(value: str) -> bool:
    packed = _packed(value)
    return packed is not None and packed.startswith(bytes(10) + b"\xff\xff")


_VALIDATORS: dict[str, Callable[..., str | None]] = {
    "isIP": is_ip,
    "is_ip": is_ip,
    "isIPv4": is_ipv4,
    "is_ipv4": is_ipv4,
    "isIPv6": is_ipv6,
    "is_ipv6": is_ipv6,
    "isInt": is_int,
    "is_int": is_int,
    "isFloat": is_float,
    "is_float": is_float,
    "isDuration": is_duration,
    "is_duration": is_duration,
    "isRegex": is_regex,
    "is_regex": is_regex,
    "isShellSafe": is_shellsafe,
    "is_shellsafe": is_shellsafe,
    "isHostname": is_hostname,
    "is_hostname": is_hostname,
    "isFQDN": is_fqdn,
    "is_fqdn": is_fqdn,
}

_DECLARED = Environment(
    {"value": "string", "Value": "string"},
    {
        name: Function(parameters=["string"] * (2 if validator is is_regex else 1), result="bool")
        for name, validator in _VALIDATORS.items()
    },
    "map[string]interface {}",
)

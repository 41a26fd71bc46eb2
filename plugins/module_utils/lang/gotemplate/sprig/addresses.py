# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""IPv6 addresses in URLs: whether a text is one. Rules and words: Go's ``net/netip``."""

from __future__ import annotations

from ...go.quoting import quote

_HEX = frozenset("0123456789abcdefABCDEF")


class AddressFault(Exception):
    """Text that is no IPv6 address; the text is Go's message."""


def check_ipv6(text: str) -> None:
    """Raise AddressFault when ``text`` is no IPv6 address (with a zone perhaps: ``fe80::1%eth0``)."""
    first = next((char for char in text if char in ".:%"), "")
    try:
        if first == ":":
            _check_with_zone(text)
        elif first == ".":
            _check_ipv4(text, text)
        else:
            raise _fault(text, "missing IPv6 address" if first else "unable to parse IP")
    except AddressFault as fault:
        raise AddressFault(f"invalid host: {fault}") from None
    if first == ".":
        raise AddressFault("invalid IP-literal")


def _fault(text: str, message: str, at: str = "") -> AddressFault:
    place = f" (at {quote(at)})" if at else ""
    return AddressFault(f"ParseAddr({quote(text)}): {message}{place}")


def _check_ipv4(text: str, part: str) -> None:
    fields = 0
    digits = ""
    for at, char in enumerate(part):
        if "0" <= char <= "9":
            if digits == "0":
                raise _fault(text, "IPv4 field has octet with leading zero")
            digits += char
            if int(digits) > 255:
                raise _fault(text, "IPv4 field has value >255")
        elif char != ".":
            raise _fault(text, "unexpected character", part[at:])
        else:
            if at in (0, len(part) - 1) or part[at - 1] == ".":
                raise _fault(text, "IPv4 field must have at least one digit", part[at:])
            if fields == 3:
                raise _fault(text, "IPv4 address too long")
            fields, digits = fields + 1, ""
    if fields < 3:
        raise _fault(text, "IPv4 address too short")


def _check_with_zone(text: str) -> None:
    address, percent, zone = text.partition("%")
    if percent and not zone:
        raise _fault(text, "zone must be a non-empty string")
    has_gap = address.startswith("::")
    if address == "::":
        return
    rest, fields, has_gap = _take_fields(text, address[2:] if has_gap else address, has_gap)
    if rest:
        raise _fault(text, "trailing garbage after address", rest)
    if fields < 8 and not has_gap:
        raise _fault(text, "address string too short")
    if fields == 8 and has_gap:
        raise _fault(text, "the :: must expand to at least one field of zeros")


def _take_fields(text: str, rest: str, has_gap: bool) -> tuple[str, int, bool]:
    """Return the rest after at most eight fields, the number of fields, and whether ``::`` means more."""
    fields = 0
    while fields < 8:
        size = _field_size(text, rest)
        if rest[size : size + 1] == ".":
            if not has_gap and fields != 6:
                raise _fault(text, "embedded IPv4 address must replace the final 2 fields of the address", rest)
            if fields > 6:
                raise _fault(text, "too many hex fields to fit an embedded IPv4 at the end of the address", rest)
            _check_ipv4(text, rest)
            return "", fields + 2, has_gap
        fields += 1
        rest = rest[size:]
        if not rest:
            break
        if rest[0] != ":":
            raise _fault(text, "unexpected character, want colon", rest)
        if len(rest) == 1:
            raise _fault(text, "colon must be followed by more characters", rest)
        rest = rest[1:]
        if rest[0] == ":":
            if has_gap:
                raise _fault(text, "multiple :: in address", rest)
            has_gap, rest = True, rest[1:]
            if not rest:
                break
    return rest, fields, has_gap


def _field_size(text: str, rest: str) -> int:
    size = 0
    while rest[size : size + 1] and rest[size] in _HEX:
        if size > 3:
            raise _fault(text, "each group must have 4 or less digits", rest)
        size += 1
    if not size:
        raise _fault(text, "each colon-separated field must have at least one digit", rest)
    return size

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers as tar writes them."""

from __future__ import annotations

from .entry import ArchiveError

_DAMAGED = 2
_LONGEST = 40
_LARGEST = (1 << 63) - 1


def number(field: bytes) -> int:
    """Return octal digits with blanks around them, or GNU's base 256 for larger ones. Raises ArchiveError."""
    try:
        return int(field.rstrip(b"\0 "), 8)
    except ValueError:  # other than most fields
        return _unusual(field)


def _unusual(field: bytes) -> int:
    """Return an empty field, digits with other data after a NUL, or base 256. Raises ArchiveError."""
    first = field[0]
    if first & 0x80:
        value = int.from_bytes(field, "big", signed=True)
        return value if first & 0x40 else value + (1 << (8 * len(field) - 1))
    digits = field.partition(b"\0")[0].strip() or b"0"
    try:
        return int(digits, 8)
    except ValueError:
        raise _unreadable(digits) from None


def length(value: int) -> int:
    """Return the value, if a file can be that long. Raises ArchiveError."""
    if not 0 <= value <= _LARGEST:
        raise ArchiveError(f"the archive is damaged: a length of {value} bytes", _DAMAGED)
    return value


def decimal(text: bytes) -> int:
    """Decimal digits. Raises ArchiveError."""
    if not text.isdigit() or len(text) > _LONGEST:
        raise _unreadable(text)
    return int(text)


def seconds(text: bytes) -> int:
    """Seconds with a fraction, in ns. Raises ArchiveError."""
    whole, _point, fraction = text.partition(b".")
    sign = -1 if whole.startswith(b"-") else 1
    return sign * (decimal(whole.lstrip(b"-")) * 10**9 + decimal(fraction[:9].ljust(9, b"0")))


def _unreadable(text: bytes) -> ArchiveError:
    return ArchiveError(
        f"the archive is damaged: {text[:40].decode('ascii', 'backslashreplace')} is not a number", _DAMAGED
    )

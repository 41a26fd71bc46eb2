# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Random texts and numbers. The context gives the random bytes."""

from __future__ import annotations

from ...go.base64 import encode
from ...letters import runes
from ..function import CallError, Function
from .texts import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DIGITS = "0123456789"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ASCII = "".join(map(chr, range(32, 127)))


def _below(context: Any, count: int) -> int:
    """Return a random number from 0 to before ``count``."""
    return int.from_bytes(context.random(16), "big") % count


def _text(alphabet: str) -> Function:
    def text(context: Any, count: int) -> str:
        if count <= 0:
            return ""
        check_size(16 * count)
        data = context.random(8 * count)
        return "".join(
            alphabet[int.from_bytes(data[at : at + 8], "big") % len(alphabet)] for at in range(0, len(data), 8)
        )

    return Function(text, "int", with_context=True)


def _bytes(context: Any, count: int) -> str:
    if count < 0:
        raise CallError("runtime error: makeslice: len out of range")
    check_size(count)
    return encode(context.random(count))


def _int(context: Any, low: int, high: int) -> int:
    if high <= low:
        raise CallError("invalid argument to Intn")
    return low + _below(context, high - low)


def _shuffle(context: Any, text: str) -> str:
    letters = list(runes(text))
    for last in range(len(letters) - 1, 0, -1):
        other = _below(context, last + 1)
        letters[last], letters[other] = letters[other], letters[last]
    return "".join(letters)


def _uuid(context: Any) -> str:
    data = bytearray(context.random(16))
    data[6] = data[6] & 0x0F | 0x40
    data[8] = data[8] & 0x3F | 0x80
    digits = data.hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


FUNCTIONS = {
    "randAlphaNum": _text(_DIGITS + _LETTERS),
    "randAlpha": _text(_LETTERS),
    "randNumeric": _text(_DIGITS),
    "randAscii": _text(_ASCII),
    "randBytes": Function(_bytes, "int", with_context=True),
    "randInt": Function(_int, "int", "int", with_context=True),
    "shuffle": Function(_shuffle, "string", with_context=True),
    "uuidv4": Function(_uuid, with_context=True),
}

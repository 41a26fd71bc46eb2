# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Base64 and base32. For a text that is not in the encoding, the result is Go's message, as in the original."""

from __future__ import annotations

from base64 import b32encode

from ...go import base64 as gobase64
from ...go.values import decoded, encoded
from ..function import Function

_BASE32 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def _decode64(text: str) -> str:
    try:
        return decoded(gobase64.decode(encoded(text)))
    except gobase64.CorruptInput as corrupt:
        return str(corrupt)


def _encode32(text: str) -> str:
    return b32encode(encoded(text)).decode("ascii")


def _decode32(text: str) -> str:
    data = encoded(text).replace(b"\r", b"").replace(b"\n", b"")
    out = bytearray()
    for begin in range(0, len(data), 8):
        taken, corrupt = _group_at(data, begin)
        if corrupt is not None:
            return f"illegal base32 data at input byte {corrupt}"
        bits = 0
        for byte in data[begin : begin + taken]:
            bits = bits << 5 | _BASE32.index(byte)
        out += (bits << 5 * (8 - taken)).to_bytes(5, "big")[: taken * 5 // 8]
        if taken < 8:
            break
    return decoded(bytes(out))


def _group_at(data: bytes, begin: int) -> tuple[int, int | None]:
    """Return how many letters the group of eight at ``begin`` has before its padding, and where it is wrong."""
    size = len(data)
    for taken in range(8):
        at = begin + taken
        if at == size:
            return taken, begin
        left = size - at - 1
        if data[at] == 0x3D and taken >= 2 and left < 8:
            if left + taken < 7:
                return taken, size
            for number in range(7 - taken):
                if left > number and data[at + 1 + number] != 0x3D:
                    return taken, at + number
            return taken, at if taken in (1, 3, 6) else None
        if data[at] not in _BASE32:
            return taken, at
    return 8, None


FUNCTIONS = {
    "b64enc": Function(lambda text: gobase64.encode(encoded(text)), "string"),
    "b64dec": Function(_decode64, "string"),
    "b32enc": Function(_encode32, "string"),
    "b32dec": Function(_decode32, "string"),
}

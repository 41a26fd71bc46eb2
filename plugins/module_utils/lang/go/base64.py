# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Base64 as Go's ``encoding/base64`` has it: standard letters, with padding, line ends left out of account."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64

_LETTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")


class CorruptInput(Exception):
    """Text that is not of its encoding; the text is Go's message."""


def encode(data: bytes) -> str:
    """Return bytes as base64."""
    return b2a_base64(data, newline=False).decode("ascii")


def decode(data: bytes) -> bytes:
    """Return the bytes that base64 ``data`` encodes. Raises CorruptInput (``illegal base64 data at input byte 4``)."""
    corrupt = _corrupt_at(data)
    if corrupt is not None:
        raise CorruptInput(f"illegal base64 data at input byte {corrupt}")
    return a2b_base64(data)


def _corrupt_at(data: bytes) -> int | None:
    """Return where ``data`` stops being base64, None when all of it is."""
    taken = 0
    for at, byte in enumerate(data):
        if byte in _LETTERS:
            taken += 1
        elif byte == 0x3D:
            return _bad_padding(data, at, taken % 4)
        elif byte not in b"\r\n":
            return at
    return None if taken % 4 == 0 else len(data) - taken % 4


def _bad_padding(data: bytes, at: int, taken: int) -> int | None:
    if taken < 2:
        return at
    wanted = 4 - taken
    for end in range(at, len(data)):
        if data[end] == 0x3D and wanted:
            wanted -= 1
        elif data[end] not in b"\r\n":
            return end - 1 if wanted else end
    return len(data) if wanted else None

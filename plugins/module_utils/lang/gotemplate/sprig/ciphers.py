# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""AES with a password: ``encryptAES`` and ``decryptAES``. The work is done by the package ``cryptography``."""

from __future__ import annotations

from ...go.base64 import CorruptInput, decode, encode
from ...go.values import decoded, encoded
from ..function import CallError, Function
from .packages import missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BLOCK = 16
_KEY = 32


def _cipher(password: str, first_block: bytes) -> Any:
    """Return AES-256 in CBC mode, the password cut or filled up with zeros to make the key."""
    try:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ImportError:
        raise missing("cryptography") from None
    return Cipher(algorithms.AES(encoded(password)[:_KEY].ljust(_KEY, b"\0")), modes.CBC(first_block))


def _encrypt(context: Any, password: str, text: str) -> str:
    if not text:
        return ""
    first_block = context.random(_BLOCK)
    data = encoded(text)
    missing = _BLOCK - len(data) % _BLOCK
    encryptor = _cipher(password, first_block).encryptor()
    return encode(first_block + encryptor.update(data + bytes([missing]) * missing) + encryptor.finalize())


def _decrypt(password: str, text: str) -> str:
    if not text:
        return ""
    try:
        data = decode(encoded(text))
    except CorruptInput as corrupt:
        raise CallError(str(corrupt)) from None
    if len(data) < _BLOCK:
        raise CallError(f"runtime error: slice bounds out of range [:{_BLOCK}] with capacity {len(text) // 4 * 3}")
    first_block, data = data[:_BLOCK], data[_BLOCK:]
    if len(data) % _BLOCK:
        raise CallError("crypto/cipher: input not full blocks")
    if not data:
        raise CallError("runtime error: index out of range [-1]")
    decryptor = _cipher(password, first_block).decryptor()
    plain = decryptor.update(data) + decryptor.finalize()
    size = len(plain) - plain[-1]
    if size < 0:
        raise CallError(f"runtime error: slice bounds out of range [:{size}]")
    return decoded(plain[:size])


FUNCTIONS = {
    "encryptAES": Function(_encrypt, "string", "string", with_context=True),
    "decryptAES": Function(_decrypt, "string", "string"),
}

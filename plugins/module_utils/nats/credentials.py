# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Who connects with NATS by keys: files of credentials and of seeds of nkeys, and their signatures."""

from __future__ import annotations

import os
from base64 import b32decode, b32encode, b64encode
from binascii import crc_hqx

from ..host.errors import errno_of, reason_of
from ..lang.controls import escaped
from .errors import NatsError, missing_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Protocol

    from .contexts import NatsContext

    class PrivateKey(Protocol):
        """The used method of an Ed25519 key of cryptography."""

        def sign(self, data: bytes) -> bytes: ...


#: Bytes of the largest file.
_LARGEST = 1 << 20
#: The first bits of the first byte of a seed, and the first byte of the public key of a user.
_SEED, _USER = 18 << 3, 20 << 3
_SEED_LENGTH = 36


class Signer:
    """Signs for a user: `public` is the user's nkey, `jwt` the token of its account, "" without one."""

    def __init__(self, seed: bytes, jwt: str) -> None:
        try:
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
            from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
        except ImportError:
            raise missing_package("cryptography", "NATS with nkeys or credentials") from None
        key = Ed25519PrivateKey.from_private_bytes(seed)
        raw = bytes([_USER]) + key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.public = b32encode(raw + crc_hqx(raw, 0).to_bytes(2, "little")).rstrip(b"=").decode("ascii")
        self.jwt = jwt
        self._sign: Callable[[bytes], bytes] = key.sign

    def sign(self, nonce: str) -> bytes:
        """Return the signature of what a server sent, in base64."""
        return b64encode(self._sign(nonce.encode()))

    def token(self) -> bytes:
        """Return the JWT."""
        return self.jwt.encode()


def signer_of(context: NatsContext) -> Signer | None:
    """Return what signs for a context, None where it has no keys. Raises NatsError; no message holds a secret."""
    if context.user_jwt:
        return Signer(_seed(context.user_seed, f"user_seed of context {escaped(context.name)}"), context.user_jwt)
    if context.creds:
        text = _read(context.creds)
        jwt, seed = _block(text, "NATS USER JWT"), _block(text, "USER NKEY SEED")
        if not jwt or not seed:
            raise NatsError(f"nats connection error: {escaped(context.creds)} has no user JWT and seed")
        return Signer(_seed(seed, escaped(context.creds)), jwt)
    if context.nkey:
        lines = [line.strip() for line in _read(context.nkey).splitlines()]
        found = [line for line in lines if line.startswith("S") and " " not in line]
        return Signer(_seed(found[0] if found else "", escaped(context.nkey)), "")
    return None


def _read(path: str) -> str:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
            content = file.read(_LARGEST + 1) or b""
    except (OSError, ValueError) as error:
        raise NatsError(f"nats connection error: open {escaped(path)}: {reason_of(errno_of(error))}") from None
    if len(content) > _LARGEST:
        raise NatsError(f"nats connection error: {escaped(path)} has more than {_LARGEST >> 20} MiB")
    return content.decode("utf-8", "replace")


def _block(text: str, title: str) -> str:
    """Return the only line between `-----BEGIN title-----` and the line that ends it, "" without one."""
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("-") and line.strip().strip("-") == f"BEGIN {title}":
            found = next(lines, "").strip()
            return "" if found.startswith("-") else found
    return ""


def _seed(text: str, origin: str) -> bytes:
    """Return the 32 bytes of the seed of a user. Raises NatsError."""
    try:
        raw = b32decode(text.encode("ascii") + b"=" * (-len(text) % 8))
    except ValueError:
        raw = b""
    valid = (
        len(raw) == _SEED_LENGTH
        and raw[0] & 0xF8 == _SEED
        and ((raw[0] & 7) << 5 | (raw[1] & 0xF8) >> 3) == _USER
        and crc_hqx(raw[:-2], 0) == int.from_bytes(raw[-2:], "little")
    )
    if not valid:
        raise NatsError(f"nats connection error: {origin} has no valid seed of a user")
    return raw[2:34]

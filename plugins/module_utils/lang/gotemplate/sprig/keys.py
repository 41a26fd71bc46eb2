# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Private keys: new ones, and reading and writing them as PEM. The work is done by the package ``cryptography``."""

from __future__ import annotations

from ...go.values import encoded
from ..function import CallError
from .packages import missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BEGIN = "-----BEGIN "
_LINE_END = "-----"


def generate(kind: str, bits: int = 2048) -> Any:
    """Return a new private key: ``rsa`` of that many bits, ``dsa``, ``ecdsa`` or ``ed25519``.

    Raises CallError where ``cryptography`` is not installed.
    """
    try:
        from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
    except ImportError:
        raise missing("cryptography") from None
    if kind == "dsa":
        return dsa.generate_private_key(2048)
    if kind == "ecdsa":
        return ec.generate_private_key(ec.SECP256R1())
    if kind == "ed25519":
        return ed25519.Ed25519PrivateKey.generate()
    return rsa.generate_private_key(65537, bits)


def _serialization() -> Any:
    """Return the module for forms of keys. Raises CallError where ``cryptography`` is not installed."""
    try:
        from cryptography.hazmat.primitives import serialization
    except ImportError:
        raise missing("cryptography") from None
    return serialization


def to_pem(key: Any) -> str:
    """Return a private key as PEM: in the form that is the key's own, PKCS#8 for Ed25519."""
    forms = _serialization()
    own = forms.PrivateFormat.PKCS8 if "25519" in type(key).__name__ else forms.PrivateFormat.TraditionalOpenSSL
    pem: bytes = key.private_bytes(forms.Encoding.PEM, own, forms.NoEncryption())
    return pem.decode("ascii")


def block_type(text: str) -> str | None:
    """Return the type of the first PEM block in ``text`` (``RSA PRIVATE KEY``), None when there is no block."""
    begin = text.find(_BEGIN)
    end = text.find(_LINE_END, begin + len(_BEGIN))
    if begin < 0 or end < 0:
        return None
    kind = text[begin + len(_BEGIN) : end]
    return kind if f"-----END {kind}-----" in text else None


def from_pem(text: str) -> Any:
    """Return the private key in a PEM text. Raises CallError for text that holds none."""
    kind = block_type(text)
    if kind is None:
        raise CallError("no PEM data in input")
    if kind != "PRIVATE KEY" and not kind.endswith(" PRIVATE KEY"):
        raise CallError("no private key data in PEM block of type " + kind)
    family = kind[: -len(" PRIVATE KEY")]
    if family not in ("", "RSA", "EC", "DSA"):
        raise CallError("invalid private key type " + family)
    forms = _serialization()
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        return forms.load_pem_private_key(encoded(text), None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        what = f"parsing {family} private key from PEM" if family else "decoding PEM as PKCS#8"
        raise CallError(f"{what}: {error}") from None

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Certificates: authorities, self-signed ones, signed ones. The work is done by the package ``cryptography``."""

from __future__ import annotations

from datetime import datetime, timedelta
from ipaddress import ip_address

from ...go.base64 import CorruptInput, decode
from ...go.values import decoded, encoded
from ..function import CallError, Function
from . import keys
from .packages import missing
from .texts import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

_SERIAL_BYTES = 16


class Certificate:
    """A certificate with its private key, both as PEM."""

    GO_TYPE = "sprig.certificate"
    GO_FIELDS: ClassVar[dict[str, str]] = {"Cert": "cert", "Key": "key"}
    __slots__ = ("cert", "key")

    def __init__(self, cert: str, key: str) -> None:
        self.cert = cert
        self.key = key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and (self.cert, self.key) == (other.cert, other.key)

    def __hash__(self) -> int:
        return hash((self.cert, self.key))

    def __repr__(self) -> str:
        return "Certificate(...)"

    def go_text(self) -> str:
        """Return certificate and key as Go prints them."""
        return f"{{{self.cert} {self.key}}}"

    def go_json(self) -> dict[str, str]:
        """Return what JSON holds of them."""
        return {"Cert": self.cert, "Key": self.key}


class _Order:
    """What a certificate is to say: for whom, how long, and whether it may sign others."""

    def __init__(
        self, context: Any, common_name: str, days: int, ips: Any = (), names: Any = (), *, is_authority: bool = False
    ) -> None:
        self.common_name = common_name
        self.is_authority = is_authority
        self.seconds = context.now().ns // 10**9
        self.days = days
        self.addresses = [_address(ip) for ip in ips]
        self.dns_names = [_dns_name(name) for name in names]
        self.serial = int.from_bytes(context.random(_SERIAL_BYTES), "big") or 1

    def issue(self, key: Any, signer: Any = None, signer_key: Any = None) -> Certificate:
        """Return the certificate for ``key``, signed with ``signer_key`` (by itself when there is no signer)."""
        x509 = _x509()
        if type(signer_key or key).__name__ == "DSAPrivateKey":
            raise CallError(
                "error creating certificate: x509: certificate private key does not implement crypto.Signer"
            )
        try:
            return self._issued(x509, key, signer, signer_key or key)
        except (ValueError, TypeError, OverflowError) as error:
            raise CallError(f"error creating certificate: {error}") from None

    def _issued(self, x509: Any, key: Any, signer: Any, signer_key: Any) -> Certificate:
        from cryptography.hazmat.primitives import hashes, serialization

        begin = datetime(1970, 1, 1) + timedelta(seconds=self.seconds)
        named = [x509.NameAttribute(x509.NameOID.COMMON_NAME, self.common_name)] if self.common_name else []
        subject = x509.Name(named)
        builder = x509.CertificateBuilder(
            issuer_name=signer.subject if signer else subject,
            subject_name=subject,
            public_key=key.public_key(),
            serial_number=self.serial,
            not_valid_before=begin,
            not_valid_after=begin + timedelta(days=self.days),
        )
        for extension, critical in self._extensions(x509, key, signer):
            builder = builder.add_extension(extension, critical)
        digest = None if "25519" in type(signer_key).__name__ else hashes.SHA256()
        pem = builder.sign(signer_key, digest).public_bytes(serialization.Encoding.PEM)
        return Certificate(pem.decode("ascii"), keys.to_pem(key))

    def _extensions(self, x509: Any, key: Any, signer: Any) -> list[tuple[Any, bool]]:
        """Return the extensions, each with whether it is critical."""
        usage = x509.KeyUsage(True, False, True, False, False, self.is_authority, False, False, False)
        purposes = [x509.ExtendedKeyUsageOID.SERVER_AUTH, x509.ExtendedKeyUsageOID.CLIENT_AUTH]
        extensions = [
            (usage, True),
            (x509.ExtendedKeyUsage(purposes), False),
            (x509.BasicConstraints(self.is_authority, None), True),
        ]
        if self.is_authority:
            extensions.append((x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False))
        if signer:
            extensions += _authority(x509, signer)
        names = [*map(x509.DNSName, self.dns_names), *map(x509.IPAddress, self.addresses)]
        if names:
            extensions.append((x509.SubjectAlternativeName(names), not self.common_name))
        return extensions


def _x509() -> Any:
    """Return the module for certificates. Raises CallError where `cryptography` is not installed."""
    try:
        from cryptography import x509
    except ImportError:
        raise missing("cryptography") from None
    return x509


def _authority(x509: Any, signer: Any) -> list[tuple[Any, bool]]:
    try:
        known = signer.extensions.get_extension_for_class(x509.SubjectKeyIdentifier)
    except x509.ExtensionNotFound:
        return []
    return [(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(known.value), False)]


def _address(value: Any) -> Any:
    """Return the address in a text. Raises CallError for a text that is no address."""
    if not isinstance(value, str):
        raise CallError(f"error parsing ip: {shown(value)} is not a string")
    try:
        if "%" in value:
            raise ValueError
        address = ip_address(value)
    except ValueError:
        raise CallError("error parsing ip: " + value) from None
    return getattr(address, "ipv4_mapped", None) or address


def _dns_name(value: Any) -> str:
    if not isinstance(value, str):
        raise CallError(f"error processing alternate dns name: {shown(value)} is not a string")
    return value


def _parsing_key(pem: str) -> Any:
    try:
        return keys.from_pem(pem)
    except CallError as error:
        raise CallError(f"parsing private key: {error}") from None


def _loaded(pem: str, where: str) -> Any:
    """Return the certificate in a PEM text. Raises CallError for text that holds none."""
    if keys.block_type(pem) is None:
        raise CallError("unable to decode certificate")
    x509 = _x509()
    try:
        return x509.load_pem_x509_certificate(encoded(pem))
    except ValueError as error:
        raise CallError(f"error parsing certificate: {where}: {error}") from None


def _private_key(kind: str) -> str:
    if kind not in ("", "rsa", "dsa", "ecdsa", "ed25519"):
        return "Unknown type " + kind
    return keys.to_pem(keys.generate(kind, 4096))


def _custom(cert: str, key: str) -> Certificate:
    texts = []
    for text, what in ((cert, "certificate"), (key, "private key")):
        try:
            texts.append(decoded(decode(encoded(text))))
        except CorruptInput:
            raise CallError("unable to decode base64 " + what) from None
    _loaded(texts[0], "decodedCert.Bytes")
    _signing_key(texts[1])
    return Certificate(texts[0], texts[1])


def _signing_key(pem: str) -> Any:
    try:
        return keys.from_pem(pem)
    except CallError as error:
        raise CallError(f"error parsing private key: {error}") from None


def _authority_certificate(context: Any, common_name: str, days: int) -> Certificate:
    return _Order(context, common_name, days, is_authority=True).issue(keys.generate("rsa"))


def _authority_with_key(context: Any, common_name: str, days: int, pem: str) -> Certificate:
    key = _parsing_key(pem)
    return _Order(context, common_name, days, is_authority=True).issue(key)


def _self_signed(context: Any, common_name: str, ips: Any, names: Any, days: int) -> Certificate:
    return _Order(context, common_name, days, ips, names).issue(keys.generate("rsa"))


def _self_signed_with_key(context: Any, common_name: str, ips: Any, names: Any, days: int, pem: str) -> Certificate:
    key = _parsing_key(pem)
    return _Order(context, common_name, days, ips, names).issue(key)


def _signed(context: Any, common_name: str, ips: Any, names: Any, days: int, signer: Certificate) -> Certificate:
    signing = _loaded(signer.cert, "decodedSignerCert.Bytes"), _signing_key(signer.key)
    order = _Order(context, common_name, days, ips, names)
    return order.issue(keys.generate("rsa"), *signing)


def _signed_with_key(
    context: Any, common_name: str, ips: Any, names: Any, days: int, signer: Certificate, pem: str
) -> Certificate:
    key = _parsing_key(pem)
    signing = _loaded(signer.cert, "decodedSignerCert.Bytes"), _signing_key(signer.key)
    return _Order(context, common_name, days, ips, names).issue(key, *signing)


_SUBJECT = ("string", "[]any", "[]any", "int")

FUNCTIONS = {
    "genPrivateKey": Function(_private_key, "string"),
    "buildCustomCert": Function(_custom, "string", "string"),
    "genCA": Function(_authority_certificate, "string", "int", with_context=True),
    "genCAWithKey": Function(_authority_with_key, "string", "int", "string", with_context=True),
    "genSelfSignedCert": Function(_self_signed, *_SUBJECT, with_context=True),
    "genSelfSignedCertWithKey": Function(_self_signed_with_key, *_SUBJECT, "string", with_context=True),
    "genSignedCert": Function(_signed, *_SUBJECT, "sprig.certificate", with_context=True),
    "genSignedCertWithKey": Function(_signed_with_key, *_SUBJECT, "sprig.certificate", "string", with_context=True),
}

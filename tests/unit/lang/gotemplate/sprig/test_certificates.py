# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of certificates, keys and passwords, and of a missing package for them."""

from __future__ import annotations

import base64
import sys

import pytest
from ccm.lang.gotemplate.errors import TemplateFault
from ccm.lang.gotemplate.sprig.certificates import Certificate
from cryptography.hazmat.primitives.asymmetric import dsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.unit.lang.gotemplate.sprig.rendering import MISSING, render


def pem(kind, text="AAAA"):
    return f"-----BEGIN {kind}-----\n{text}\n-----END {kind}-----\n"


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def refusal(call, **data):
    with pytest.raises(TemplateFault) as caught:
        render("{{ " + call + " }}", data)
    return str(caught.value).partition("error calling ")[2]


@pytest.fixture
def authority():
    """Return a certificate that can sign others, with its key."""
    cert, key = render('{{ $ca := genCAWithKey "ca" 9 (genPrivateKey "ecdsa") }}{{ $ca.Cert }}~{{ $ca.Key }}').split(
        "~"
    )
    return Certificate(cert, key)


@pytest.mark.parametrize(
    "call",
    [
        'genCAWithKey "x" 1 .key',
        'genSelfSignedCert "x" nil nil 1',
        'genSelfSignedCertWithKey "x" nil nil 1 .key',
        'genSignedCert "x" nil nil 1 .ca',
        'genSignedCertWithKey "x" nil nil 1 .ca .key',
        "buildCustomCert .cert64 .cert64",
        'decryptAES "k" .text64',
    ],
)
def test_the_missing_package_is_named(monkeypatch, call):
    for name in [name for name in sys.modules if name.partition(".")[0] == "cryptography"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    message = refusal(
        call,
        key=pem("PRIVATE KEY"),
        ca=Certificate(pem("CERTIFICATE"), pem("PRIVATE KEY")),
        cert64=encoded(pem("CERTIFICATE")),
        text64=encoded("a" * 32),
    )
    name = call.split()[0]
    assert message.startswith(f"{name}: ")
    assert message.count(name) == 1
    assert message.endswith(MISSING.format("cryptography"))


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("", "no PEM data in input"),
        (pem("CERTIFICATE"), "no private key data in PEM block of type CERTIFICATE"),
        (pem("OPENSSH PRIVATE KEY"), "invalid private key type OPENSSH"),
        (pem("PRIVATE KEY"), "decoding PEM as PKCS#8: "),
        (pem("RSA PRIVATE KEY"), "parsing RSA private key from PEM: "),
    ],
)
def test_an_invalid_private_key(key, message):
    assert refusal('genCAWithKey "x" 1 .key', key=key).startswith(f"genCAWithKey: parsing private key: {message}")


def test_a_key_that_cannot_sign():
    key = dsa.generate_private_key(1024).private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    assert refusal('genCAWithKey "x" 1 .key', key=key.decode()) == (
        "genCAWithKey: error creating certificate: x509: certificate private key does not implement crypto.Signer"
    )


def test_a_time_that_no_certificate_can_contain(authority):
    message = refusal('genCAWithKey "x" 99999999999 .key', key=authority.key)
    assert message.startswith("genCAWithKey: error creating certificate: ")


def test_an_invalid_certificate(authority):
    wrong = pem("CERTIFICATE")
    message = refusal("buildCustomCert .cert .key", cert=encoded(wrong), key=encoded(authority.key))
    assert message.startswith("buildCustomCert: error parsing certificate: decodedCert.Bytes: ")
    message = refusal("buildCustomCert .cert .key", cert=encoded(authority.cert), key=encoded(pem("EC PRIVATE KEY")))
    assert message.startswith("buildCustomCert: error parsing private key: parsing EC private key from PEM: ")
    message = refusal('genSignedCert "x" nil nil 1 .ca', ca=Certificate(wrong, authority.key))
    assert message.startswith("genSignedCert: error parsing certificate: decodedSignerCert.Bytes: ")


def test_a_wrong_password():
    message = refusal('decryptAES "q" (encryptAES "k" "text")')
    assert message == "decryptAES: runtime error: slice bounds out of range [:-238]"

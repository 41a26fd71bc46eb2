# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of credentials and of seeds of nkeys."""

from __future__ import annotations

import sys

import pytest
from ccm.nats.contexts import NatsContext
from ccm.nats.credentials import signer_of
from ccm.nats.errors import NatsError

CREDS = """-----BEGIN NATS USER JWT-----
eyJhbGciOi.x.y
------END NATS USER JWT------

************************* IMPORTANT *************************
NKEY Seed printed below can be used to sign and prove identity.

-----BEGIN USER NKEY SEED-----
{}
------END USER NKEY SEED------
"""


def seed_of(prefix, raw=bytes(range(32))):
    """Return the text of a seed; of a user with the prefix 20 << 3."""
    from base64 import b32encode
    from binascii import crc_hqx

    first = (18 << 3) | (prefix >> 5)
    text = bytes([first, (prefix & 31) << 3]) + raw
    return b32encode(text + crc_hqx(text, 0).to_bytes(2, "little")).decode().rstrip("=")


USER = seed_of(20 << 3)


def test_a_seed(tmp_path):
    (tmp_path / "nk").write_text(f"# ann\n  {USER}\n")
    signer = signer_of(NatsContext("X", {"nkey": str(tmp_path / "nk")}))
    assert signer.public.startswith("U") and len(signer.public) == 56
    assert signer.jwt == ""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.from_private_bytes(bytes(range(32))).public_key()
    from base64 import b64decode

    key.verify(b64decode(signer.sign("nonce")), b"nonce")


def test_credentials(tmp_path):
    (tmp_path / "creds").write_text(CREDS.format(USER))
    signer = signer_of(NatsContext("X", {"creds": str(tmp_path / "creds")}))
    assert signer.token() == b"eyJhbGciOi.x.y"
    in_fields = signer_of(NatsContext("X", {"user_jwt": "eyJ", "user_seed": USER}))
    assert (in_fields.jwt, in_fields.public) == ("eyJ", signer.public)
    assert signer_of(NatsContext("X", {})) is None


@pytest.mark.parametrize(
    ("field", "content", "text"),
    [
        ("creds", "", "has no user JWT and seed"),
        ("creds", CREDS.split("eyJ")[0], "has no user JWT and seed"),
        ("creds", CREDS.format(USER[:-1] + ("A" if USER[-1] != "A" else "B")), "has no valid seed of a user"),
        ("creds", CREDS.format(seed_of(0)), "has no valid seed of a user"),
        ("nkey", "", "has no valid seed of a user"),
        ("nkey", USER[:-4], "has no valid seed of a user"),
        ("nkey", "Sß1", "has no valid seed of a user"),
        ("nkey", " " * (1 << 20) + USER, "has more than 1 MiB"),
        ("nkey", None, ": no such file or directory"),
    ],
)
def test_refused_files(tmp_path, field, content, text):
    path = tmp_path / "file"
    if content is not None:
        path.write_text(content)
    with pytest.raises(NatsError) as error:
        signer_of(NatsContext("X", {field: str(path)}))
    assert str(error.value).startswith("nats connection error: ")
    assert str(error.value).endswith(text)
    assert USER[2:20] not in str(error.value)


def test_without_the_package(tmp_path, monkeypatch):
    (tmp_path / "nk").write_text(USER)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    with pytest.raises(NatsError) as error:
        signer_of(NatsContext("X", {"nkey": str(tmp_path / "nk")}))
    assert str(error.value) == (
        "NATS with nkeys or credentials needs the Python package cryptography, which is not installed:"
        " install ccm-core[nats] with pip"
    )


def test_a_wrong_seed_in_a_context():
    with pytest.raises(NatsError, match=r"^nats connection error: user_seed of context X has no valid seed of a user$"):
        signer_of(NatsContext("X", {"user_jwt": "eyJ", "user_seed": USER[:-1]}))

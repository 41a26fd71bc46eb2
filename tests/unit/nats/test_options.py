# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of credentials, as an operator gives them out, with a server that knows the operator only."""

from __future__ import annotations

import base64
import json
import subprocess
import time
from binascii import crc_hqx

import pytest
from ccm.nats.client import Client
from ccm.nats.contexts import NatsContext
from ccm.nats.errors import NatsError
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.conformance.nats_cases.server import free_port, program
from tests.patience import PATIENCE, wait_until
from tests.unit.nats.test_credentials import CREDS, seed_of

pytestmark = pytest.mark.starts_processes

OPERATOR, ACCOUNT, USER = 14 << 3, 0, 20 << 3


class Key:
    """An nkey of a kind."""

    def __init__(self, kind, byte):
        raw = bytes([byte]) * 32
        self.seed = seed_of(kind, raw)
        self.key = Ed25519PrivateKey.from_private_bytes(raw)
        public = bytes([kind]) + self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.public = base64.b32encode(public + crc_hqx(public, 0).to_bytes(2, "little")).decode().rstrip("=")

    def token(self, subject, name, about, **more):
        """Return a JWT of this key for another."""
        claims = {"jti": name, "iat": int(time.time()) - 60, "iss": self.public, "name": name, "sub": subject, **more}
        parts = [encoded({"typ": "JWT", "alg": "ed25519-nkey"}), encoded({**claims, "nats": {**about, "version": 2}})]
        signed = ".".join(parts)
        return f"{signed}.{base64.urlsafe_b64encode(self.key.sign(signed.encode())).decode().rstrip('=')}"


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@pytest.fixture(scope="module")
def operated(tmp_path_factory):
    """The port of a server with an operator, and the key of its account."""
    operator, account, system = Key(OPERATOR, 1), Key(ACCOUNT, 2), Key(ACCOUNT, 4)
    unlimited = dict.fromkeys(("subs", "data", "payload", "imports", "exports", "conn", "leaf"), -1)
    unlimited.update(mem_storage=-1, disk_storage=-1, streams=-1, consumer=-1, wildcards=True)
    tokens = {
        operator.public: operator.token(operator.public, "O", {"type": "operator"}),
        account.public: operator.token(account.public, "A", {"type": "account", "limits": unlimited}),
        system.public: operator.token(system.public, "SYS", {"type": "account"}),
    }
    folder, port = tmp_path_factory.mktemp("operated"), free_port()
    (folder / "server.conf").write_text(
        f"operator: {tokens[operator.public]}\nresolver: MEMORY\n"
        f"system_account: {system.public}\n"
        f"resolver_preload: {{ {', '.join(f'{name}: {token}' for name, token in tokens.items() if name[0] == 'A')} }}\n"
        f'jetstream: {{ store_dir: "{folder}/store" }}\n'
    )
    words = [program(), "-c", folder / "server.conf", "-a", "127.0.0.1", "-p", port, "-l", folder / "log"]
    process = subprocess.Popen(list(map(str, words)))
    try:
        wait_until(lambda: (folder / "log").exists() and "Server is ready" in (folder / "log").read_text())
        yield port, account
    finally:
        process.terminate()
        process.wait(PATIENCE)


def credentials(account, **more):
    user = Key(USER, 3)
    unlimited = {"subs": -1, "data": -1, "payload": -1}
    return user, account.token(user.public, "ann", {"type": "user", **unlimited}, **more)


def test_credentials_of_an_operator(operated, tmp_path):
    port, account = operated
    user, token = credentials(account)
    (tmp_path / "ann.creds").write_text(CREDS.replace("eyJhbGciOi.x.y", token).format(user.seed))
    url = f"nats://127.0.0.1:{port}"
    for fields in ({"creds": str(tmp_path / "ann.creds")}, {"user_jwt": token, "user_seed": user.seed}):
        client = Client.open(NatsContext("X", {"url": url, **fields}))
        try:
            assert client.api("INFO")["streams"] == 0
        finally:
            client.close()


@pytest.mark.parametrize("lacks", ["time", "signature", "all"])
def test_credentials_that_are_worth_nothing(operated, lacks):
    port, account = operated
    user, token = credentials(account if lacks == "time" else Key(ACCOUNT, 9), exp=int(time.time()) - 5)
    fields = {} if lacks == "all" else {"user_jwt": token, "user_seed": user.seed}
    with pytest.raises(NatsError) as error:
        Client.open(NatsContext("X", {"url": f"nats://127.0.0.1:{port}", **fields}))
    assert str(error.value).startswith(f"nats connection error: 127.0.0.1:{port}: nats: ")
    assert "Auth" in str(error.value)
    assert token[:40] not in str(error.value)

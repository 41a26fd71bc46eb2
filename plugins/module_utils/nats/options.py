# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The options of a connection with one server."""

from __future__ import annotations

import ssl

from ..host.errors import HostError
from ..host.reading import Reader
from ..lang.controls import escaped
from .errors import NatsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from .contexts import NatsContext, Server
    from .credentials import Signer

#: How the servers list this program.
_NAME = "ccm"
#: Seconds between questions whether a server is still there.
_PING_INTERVAL = 30


def login_options(
    context: NatsContext, server: Server, signer: Signer | None, require_tls: Callable[[], None]
) -> dict[str, object]:
    """Return who connects, as options of nats-py.

    `require_tls` is called before anything secret is sent; it raises where the connection must be encrypted and is not.
    """

    def given(text: str) -> Callable[[], str]:
        def checked() -> str:
            require_tls()
            return text

        return checked

    if server.user is not None:
        if server.password is None:
            return {"token": given(server.user)}
        return {"user": given(server.user), "password": given(server.password)}
    if context.user:
        return {"user": given(context.user), "password": given(context.password)}
    if signer:

        def sign(nonce: str) -> bytes:
            require_tls()
            return signer.sign(nonce)

        return {"signature_cb": sign, **({"user_jwt_cb": signer.token} if signer.jwt else {})}
    return {"token": given(context.token)} if context.token else {}


def tls_options(context: NatsContext, server: Server) -> dict[str, object]:
    """Return how to encrypt, as options of nats-py: nothing where only the server may demand it. Raises NatsError."""
    options: dict[str, object] = {"tls_hostname": server.host}
    if needs_tls(context, server):
        options["tls"] = _tls(context)
    if context.tls_first:
        options["tls_handshake_first"] = True
    return options


def needs_tls(context: NatsContext, server: Server) -> bool:
    """Return whether the connection must be encrypted, also when the server does not ask for it."""
    return server.tls or context.tls_first or bool(context.ca or context.cert)


def common_options(context: NatsContext, seconds: float) -> dict[str, object]:
    """Return the other options of nats-py; no step of connecting takes longer than `seconds`."""
    return {
        "name": _NAME,
        "allow_reconnect": False,
        "connect_timeout": seconds,
        "ping_interval": _PING_INTERVAL,
        "inbox_prefix": context.inbox_prefix.rstrip(".") or "_INBOX",
    }


def _tls(context: NatsContext) -> ssl.SSLContext:
    for field, path in (("ca", context.ca), ("cert", context.cert), ("key", context.key)):
        if path:
            _require_readable(field, path)
    used = "ca"
    try:
        made = ssl.create_default_context(cafile=context.ca or None)
        if context.cert:
            used = "cert or key"
            made.load_cert_chain(context.cert, context.key, password=_no_password)
    except (OSError, ValueError):
        text = f"nats connection error: context {escaped(context.name)}: {used} cannot be used"
        raise NatsError(text, advice="they are files in PEM format, the key without a password") from None
    return made


def _no_password() -> str:
    """Answer for OpenSSL, which would ask the terminal."""
    return ""


def _require_readable(field: str, path: str) -> None:
    try:
        # OpenSSL would wait for the other end of a FIFO.
        with Reader(path):
            return
    except HostError as error:
        raise NatsError(f"nats connection error: {field}: {escaped(str(error))}") from None

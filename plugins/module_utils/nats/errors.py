# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of NATS, in the words of the original's client where there are any (decisions.md Q71)."""

from __future__ import annotations

from ..host.errors import reason_of
from ..lang.controls import escaped
from ..model.errors import CCMError

#: What a user installs for NATS.
EXTRA = "ccm-core[nats]"
#: Characters of the longest text of a server in a message.
_LONGEST_TEXT = 300
#: The text about a connection that the server closed.
CLOSED = "it closed the connection"


class NatsError(CCMError):
    """A server, or JetStream on it, did not do what was asked.

    `code`, `err_code` and `description` are fields of JetStream's answer, 0 and "" without one. An error `is_recorded`
    where the original prints this message alone, and scripts may read it.
    """

    is_recorded = True
    code = 0
    err_code = 0
    description = ""


class NatsUnreachable(NatsError):
    """No server could be reached, the connection was lost, or the server did not answer in time."""


class NotStored(NatsError):
    """A bucket, a key, an object or a stream does not exist."""


def api_error(code: int, err_code: int, description: str) -> NatsError:
    """Return the error of an answer of JetStream."""
    text = f"nats: API error: code={code} err_code={err_code} description={description}"
    error = NotStored(text) if code == 404 else NatsError(text)
    error.code, error.err_code, error.description = code, err_code, description
    return error


def missing_package(package: str, user: str) -> NatsError:
    """Return the error for a package that is not installed and that `user` (like "NATS") needs."""
    text = f"{user} needs the Python package {package}, which is not installed: install {EXTRA} with pip"
    return NatsError(text, advice=f"install {EXTRA} with pip, where ccm is installed")


def is_closed(error: BaseException) -> bool:
    """Return whether an error, also one of nats-py, says that the server closed the connection."""
    return isinstance(error, EOFError) or type(error).__name__ == "UnexpectedEOF"


def words_of(error: BaseException, seconds: float) -> str:
    """Return in one line why there is no connection, or no answer; it had so many seconds."""
    reason = getattr(error, "verify_message", "")
    if reason:
        return f"its certificate cannot be trusted: {shown(str(reason))}"
    number = error.errno if isinstance(error, OSError) and not getattr(error, "reason", "") else None
    if isinstance(error, TimeoutError) or type(error).__name__ == "TimeoutError":
        return f"no answer within {seconds:.2g} s"
    if number and number > 0:
        return reason_of(number)
    tls: str = getattr(error, "reason", "") or ""
    if tls:
        # Words of OpenSSL: TLSV1_ALERT_UNKNOWN_CA.
        return f"TLS: {shown(str(tls).replace('_', ' ').lower())}"
    if is_closed(error):
        return CLOSED
    return shown(str(error)) or "it does not answer as a NATS server does"


def shown(text: str) -> str:
    """Return a text of a server for a message."""
    text = escaped(" ".join(text.split()), "")
    if text.startswith("nats: '") and text.endswith("'"):
        text = f"nats: {text[7:-1]}"
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Requests to the API of JetStream, on the event loop."""

from __future__ import annotations

from json import dumps

from ..lang.jsondoc import load_json
from ..lang.yaml import YAMLError
from .errors import NatsError, api_error, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

    from ..model.values import Value
    from .connection import Connection
    from .contexts import NatsContext


async def api(
    connection: Connection, context: NatsContext, subject: str, fields: Mapping[str, Value] | None, seconds: float
) -> dict[str, Value]:
    """Return the answer of JetStream's API to a request. Raises NatsError."""
    payload = dumps(fields, separators=(",", ":")).encode() if fields is not None else b""
    try:
        answer = await connection.request(f"{context.api_prefix}.{subject}", payload, seconds)
    except NatsError as error:
        if error.code != 503:
            raise
        text = f"nats: JetStream does not answer on {connection.server.address}: no responders available for request"
        silent = NatsError(text, advice="enable JetStream on the server and for the account of this user")
        silent.code = 503
        raise silent from None
    return answered(answer.data)


def answered(payload: bytes) -> dict[str, Value]:
    """Return the fields of an answer of JetStream. Raises NatsError for an error in it, and for no JSON object."""
    try:
        found = load_json(payload).value
    except YAMLError:
        found = None
    if not isinstance(found, dict):
        raise NatsError("nats: the answer of JetStream is not a JSON object")
    error = found.get("error")
    if error:
        fields = error if isinstance(error, dict) else {}
        code, number, description = fields.get("code"), fields.get("err_code"), fields.get("description")
        raise api_error(
            code if isinstance(code, int) else 0,
            number if isinstance(number, int) else 0,
            shown(description) if isinstance(description, str) else "",
        )
    return found

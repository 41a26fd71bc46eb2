# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Connections to NATS by a context of the `nats` command (behaviour.md 21.4). This version only reads the context."""

from __future__ import annotations

import os

from .errors import HostError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_PREFIX = "nats connection error: "


class NATSError(HostError):
    """NATS cannot be reached."""


def connect(context: str) -> NoReturn:
    """Connect with the servers of a context.

    Raises NATSError, in the original's words for a context that is not set, has an invalid name or does not exist.
    """
    if not context:
        raise NATSError("nats context not set")
    if ".." in context or "/" in context:
        raise NATSError(f"{_PREFIX}invalid context name {context}")
    if not os.path.lexists(_file(context)):
        raise NATSError(f'{_PREFIX}unknown context "{context}"')
    raise NATSError(f"{_PREFIX}this version of ccm cannot talk to NATS")


def jetstream(context: str) -> NoReturn:
    """Connect with JetStream, as `connect` does. Raises NATSError."""
    try:
        connect(context)
    except NATSError as error:
        raise NATSError(f"could not connect to JetStream: {error}") from None


def _file(context: str) -> str:
    parent = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(parent, "nats", "context", f"{context}.json")

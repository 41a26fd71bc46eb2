# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How the values of a resource are passed on to others."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

    from .resource import Properties
    from .values import Data


#: The text in place of a message that may quote such a value.
HIDDEN = "not shown, for it may quote a sensitive value"


def is_sensitive(properties: Properties) -> bool:
    """Return whether the values that a resource sends are never shown."""
    send = properties.meta["send"] if properties.meta else None
    return bool(send and send["sensitive"])


def is_receiving(properties: Properties) -> bool:
    """Return whether a resource has sensitive values of others."""
    send = properties.meta["send"] if properties.meta else None
    return bool(send and "received" in send)


def receiving(names: Iterable[str], texts: Iterable[str]) -> Data:
    """Return `send` of a resource whose properties of these names have sensitive texts of others."""
    return {"sensitive": True, "received": {"names": sorted(names), "texts": sorted(texts)}}


def received(properties: Properties) -> tuple[list[str], list[str]]:
    """Return the names of properties that have sensitive values of others, and the texts in these values."""
    send = properties.meta["send"] if properties.meta else None
    found = send.get("received") if send else None
    return (found["names"], found["texts"]) if found else ([], [])

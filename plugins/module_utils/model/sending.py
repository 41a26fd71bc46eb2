# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How the values of a resource are passed on to others."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .resource import Properties


#: What is said in place of something that may quote such a value.
HIDDEN = "not shown, for it may quote a sensitive value"


def is_sensitive(properties: Properties) -> bool:
    """Return whether the values that a resource sends are never shown."""
    send = properties.meta["send"] if properties.meta else None
    return bool(send and send["sensitive"])

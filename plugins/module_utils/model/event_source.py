# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A source of events that a provider opens for a resource which `ccm watch` watches."""

from __future__ import annotations


class EventSource:
    """Something that the loop of `ccm watch` waits for, as it does for the kernel's notices of files.

    The loop has one thread for all resources: no method may wait. After `close` none is called.
    """

    def fileno(self) -> int:
        """Return the descriptor that can be read when something happened; it is asked before each wait."""
        raise NotImplementedError

    def read(self) -> bool:
        """Take what happened, and return whether the resource may have changed.

        When this raises an error the source is closed, and another one is opened later.
        """
        return True

    def close(self) -> None:
        """Release the descriptor."""

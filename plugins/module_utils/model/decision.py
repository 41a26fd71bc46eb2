# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a type decided to do about a resource."""

from __future__ import annotations


class Decision:
    """`verbs` are provider methods to call in order, none when all is well; `noop_message` says what would be done.

    `refreshed` is true when a subscribed resource's change made the decision; `settled` when the resource was as asked
    for before anything was done, which is so without verbs.
    """

    __slots__ = ("noop_message", "refreshed", "settled", "verbs")

    def __init__(
        self, verbs: tuple[str, ...] = (), noop_message: str = "", *, refreshed: bool = False, settled: bool = False
    ) -> None:
        self.verbs = verbs
        self.noop_message = noop_message
        self.refreshed = refreshed
        self.settled = settled or not verbs


NOTHING = Decision()

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The contract of providers that change several resources at once."""

from __future__ import annotations

from abc import abstractmethod

from .contract import P, S
from .provider import Provider

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar


class BatchProvider(Provider[P, S]):
    """A provider that can do a verb out of `batch_verbs` for many resources in one run of its tool."""

    batch_verbs: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def partition(self, verb: str, acting: list[P], settled: list[P]) -> list[list[P]]:
        """Split the `acting` resources, in their order, where one depends on one before it.

        Doing the verb for all of a part at once must have the same result as doing it one by one, and must not change
        the `settled` resources, which are as wanted.
        """

    @abstractmethod
    def act_on_batch(self, verb: str, members: list[tuple[P, S]]) -> None:
        """Do a verb for several resources at once. Raises ResourceFailed unless all of it was done."""

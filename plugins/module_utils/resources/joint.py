# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a provider has that can act on several resources at once."""

from __future__ import annotations

from .provider import Provider

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.resource import Properties
    from ..model.state import State


class JointProvider(Provider):
    """One transaction of its tool can do what a verb out of `joint_verbs` says for many resources.

    `lock_timeout` is how long to wait, in ns, for other processes that use the tool, `package_index` the age in ns from
    which on its index is refreshed, None for never.
    """

    lock_timeout = 300_000_000_000
    package_index: int | None = None

    if TYPE_CHECKING:

        def together(self, verb: str, acting: list[Properties], settled: list[Properties]) -> list[list[Properties]]:
            """Cut the `acting` resources, in their order, wherever one has to do with one before it.

            Doing the verb for all of a part at once must leave what doing it one after the other leaves, and must
            leave the `settled` resources as they are.
            """

        def act_together(self, verb: str, members: list[tuple[Properties, State]]) -> None:
            """Do what a verb says for several resources at once. Raises ResourceFailed unless all of it was done."""

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What every provider has in common."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Sequence

    from ..model.log import Log
    from ..model.resource import Properties
    from ..model.state import State


class Provider:
    """One way to manage resources of a type on this machine.

    It reads the machine (`status`) and acts on it: a method per verb, called with the properties and the state that was
    seen, whose result `status_after` gets. It decides nothing. Relative sources are looked up in `directory`.

    One serves a run: `context` is the engine's, `expected` the properties of all resources of the type; see
    JointProvider for `joint_verbs`. With `differs_in_files` front ends show which files differ, not how.
    """

    name: ClassVar[str]
    joint_verbs: ClassVar[tuple[str, ...]] = ()
    differs_in_files: ClassVar[bool] = False
    context: Any = None
    expected: Sequence[Properties] = ()

    def __init__(self, directory: str, log: Log) -> None:
        self.directory = directory
        self.log = log

    @classmethod
    def manageable(cls, facts: Any, properties: Properties) -> int | str:
        """The priority of this provider for a resource (the lowest wins), or why it cannot manage it."""
        return 1

    def act(self, verb: str, properties: Properties, state: State) -> Any:
        """Do what a verb says."""
        return getattr(self, verb)(properties, state)

    def drop_unfinished(self, properties: Properties) -> None:
        """Remove what one verb began for another that never came."""

    def status_after(self, properties: Properties, outcome: Any) -> State:
        """The state after a verb whose method returned `outcome`."""
        return self.status(properties)

    def exists(self, path: str) -> bool:
        """Whether something is at a path, links followed; a warning says why that cannot be seen."""
        import os

        if os.path.exists(path):
            return True
        from ..host.errors import HostError
        from ..host.looking import inspect

        try:
            return inspect(path) is not None
        except HostError as error:
            self.log.warn(f"Cannot look at {path}: {error}")
        return False

    def differences(self, properties: Properties, state: State) -> list[dict[str, Any]]:
        """What acting will change, as texts before and after; none when there is no text to it."""
        return []

    if TYPE_CHECKING:

        def status(self, properties: Properties) -> State:
            """What is there now. Raises ResourceFailed when it cannot be known."""

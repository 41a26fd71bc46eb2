# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a run passes on to manifests that it applies, as the engine uses it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping, Protocol, Sequence

    from ..model.resource import Resource
    from ..model.state import State
    from .attempt import Attempt
    from .context import Converge
    from .sink import Sink

    class Notifying(Protocol):
        """Which resources are notified by others (see treatment.py)."""

        @property
        def references(self) -> Mapping[str, Sequence[str]]: ...

        def of(self, resource: Resource) -> list[str]: ...

        def joined(self, other: Notifying | None) -> Notifying: ...

        def outside(self, resources: Sequence[Resource]) -> Notifying: ...

        def treatment(self) -> Converge: ...

    class Declaring(Protocol):
        """What state between runs needs of a manifest (manifest.py)."""

        literal: str

        @property
        def path(self) -> str: ...

        def written(self) -> Mapping[str, str]: ...

        senders: frozenset[str]

    class Keeping(Protocol):
        """The state between runs (see state/manifest_state.py)."""

        def act(self, attempt: Attempt) -> State: ...

        @property
        def sink(self) -> Sink: ...

        def around(self, converge: Converge) -> Converge: ...

        def before_change(self, resource: Resource, before: State) -> None: ...

        def child(
            self,
            name: str,
            resources: Sequence[Resource],
            notifying: Notifying | None,
            declaring: Declaring,
            *,
            acts: bool,
        ) -> Keeping: ...

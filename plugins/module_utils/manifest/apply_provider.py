# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The provider of child manifests (features.md 4)."""

from __future__ import annotations

from ..model.state import State
from ..resources.provider import Provider
from .apply_type import PRESENT
from .child import run_child

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.resource import Properties


class ManifestProvider(Provider):
    """Runs a manifest within the run that it serves; what is there is known when the child has run."""

    name = "ccmmanifest"

    def status(self, properties: Properties) -> State:
        """Nothing is looked at before the child runs."""
        return State("apply", properties.name, PRESENT)

    def apply(self, properties: Properties, state: State) -> dict[str, int]:
        """Run the child; how many resources it has and what became of them. Raises what `run_child` raises."""
        return run_child(properties, self.context)

    def status_after(self, properties: Properties, outcome: dict[str, int]) -> State:
        """What became of the child."""
        return State("apply", properties.name, PRESENT, dict(outcome))

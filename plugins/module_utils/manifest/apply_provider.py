# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The provider of child manifests (behaviour.md 4)."""

from __future__ import annotations

from ..model.provider import Provider
from .apply_type import PRESENT, ApplyProperties, ApplyState
from .child import run_child


class ManifestProvider(Provider[ApplyProperties, ApplyState]):
    """Runs a manifest within the run that it serves; what is there is known when the child has run."""

    name = "ccmmanifest"

    def status(self, properties: ApplyProperties) -> ApplyState:
        """Nothing is looked at before the child runs."""
        return ApplyState(properties.name, PRESENT)

    def apply(self, properties: ApplyProperties, state: ApplyState) -> None:
        """Run the child; the state keeps what became of its resources. Raises what `run_child` raises."""
        state.details = {**run_child(properties, self.context)}

    def status_after(self, properties: ApplyProperties, before: ApplyState) -> ApplyState:
        """What became of the child."""
        return ApplyState(properties.name, PRESENT, before.details)

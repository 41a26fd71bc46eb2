# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The provider of child manifests (behaviour.md 4)."""

from __future__ import annotations

from ...model.errors import ResourceFailed
from ...model.provider import Provider
from .type import PRESENT, ApplyProperties, ApplyState


class ManifestProvider(Provider[ApplyProperties, ApplyState]):
    """Runs a manifest within its run; its state is known when the child has run."""

    name = "ccmmanifest"

    def status(self, properties: ApplyProperties) -> ApplyState:
        """Return an empty state: nothing is read before the child runs."""
        return ApplyState(properties.name, PRESENT)

    def apply(self, properties: ApplyProperties, state: ApplyState) -> None:
        """Run the child; the state keeps the results of its resources. Raises CCMError."""
        run_child = self.context.run_child
        if run_child is None:
            raise ResourceFailed("manifests cannot be applied here")
        ran = run_child(properties)
        state.details, state.outputs, state.sends_secrets = ran.details, ran.outputs, ran.sends_secrets

    def status_after(self, properties: ApplyProperties, before: ApplyState) -> ApplyState:
        """Return the result of the child."""
        after = ApplyState(properties.name, PRESENT, before.details)
        after.outputs, after.sends_secrets = before.outputs, before.sends_secrets
        return after


PROVIDER: type[Provider[ApplyProperties, ApplyState]] = ManifestProvider

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What surrounds the resources of the manifests of a run, in its one order (docs/architecture.md, The stack)."""

from __future__ import annotations

from ..engine.around import Applied, stack_of
from ..engine.templating import LateExpressions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.around import Around
    from ..engine.between_runs import StateBetweenRuns
    from ..engine.notifying import Notifying
    from ..engine.sent import SentLast
    from ..engine.treatment import Treatment
    from ..model.log import Log
    from ..model.values import ManifestProperties
    from .manifest import Manifest


class Surroundings:
    """What surrounds the resources of a manifest; `sent_last` returns values of earlier runs, `log` is for users."""

    def __init__(
        self,
        manifest: Manifest,
        watch: Around | None,
        state: Around | None,
        treatment: Treatment | None,
        sent_last: SentLast | None,
        log: Log,
    ) -> None:
        self.manifest = manifest
        self.values = _late_values(manifest, sent_last, log)
        self._watch = watch
        self._state = state
        self._treatment = treatment
        self._sent_last = sent_last
        self._log = log
        self.stack = stack_of(state, watch, treatment, self.values)

    @property
    def notifying(self) -> Notifying | None:
        """Which resources others notify, also resources of manifests above; None where none does."""
        return self._treatment.notifying if self._treatment else None

    def child(self, properties: ManifestProperties, manifest: Manifest, *, acts: bool) -> Surroundings:
        """Return what surrounds the resources of a manifest that the resource with these `properties` applies."""
        treatment = self._treatment
        applied = Applied(properties, manifest, None, acts=acts)
        treatment = treatment.child(applied) if treatment else treatment_of(manifest)
        applied.notifying = treatment.notifying if treatment else None
        return Surroundings(
            manifest,
            self._watch.child(applied) if self._watch else None,
            self._state.child(applied) if self._state else None,
            treatment,
            self._sent_last,
            self._log,
        )


def surroundings_of(
    manifest: Manifest,
    state: StateBetweenRuns | None,
    unrecorded: Around | None,
    watch: Around | None,
    sent_last: SentLast | None,
    log: Log,
) -> Surroundings:
    """Return what surrounds the resources of the first manifest of a run; `unrecorded` does where no `state` does."""
    treatment = treatment_of(manifest)
    of_manifest = state.of_manifest(manifest, treatment.notifying if treatment else None) if state else unrecorded
    return Surroundings(manifest, watch, of_manifest, treatment, state.sent if state else sent_last, log)


def treatment_of(manifest: Manifest) -> Treatment | None:
    """Return the treatment of resources by their `meta`, None where a manifest has none."""
    if manifest.notifying is None:
        return None
    from ..engine.treatment import Treatment

    return Treatment(manifest.notifying, manifest.resources)


def _late_values(manifest: Manifest, sent_last: SentLast | None, log: Log) -> LateExpressions:
    """Return what resolves late expressions, with `sent()` where an expression may call it."""
    strict = manifest.inputs.strict
    if not manifest.may_receive:
        return LateExpressions(strict=strict)
    from ..engine.received_values import ReceivedValues

    return ReceivedValues(sent_last, log, strict=strict)

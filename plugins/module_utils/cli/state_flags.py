# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The flags for the state between runs, and what they lead to (docs/state.md)."""

from __future__ import annotations

import os

from ..model.errors import STATE_VARIABLE
from ..model.flags import Flag
from .run import NO_STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.around import Around
    from ..engine.between_runs import StateBetweenRuns
    from ..manifest.manifest import Manifest
    from ..model.flags import Values
    from ..model.log import Log

PLACE = Flag(
    "state", "text", "Directory of the state between runs", env=STATE_VARIABLE, placeholder="DIR", path="directory"
)
STATE = (PLACE, NO_STATE)


def state_of(manifest: Manifest, values: Values, log: Log, *, writes: bool) -> StateBetweenRuns | None:
    """Return the state between runs of a manifest, None where it has none; it is only read unless `writes`."""
    from ..engine.between_runs import state_of_manifest

    name = manifest.engine.state if manifest.engine else ""
    return state_of_manifest(manifest.source, manifest.path, name, values.state, log, writes=writes)


def states_of(
    manifest: Manifest, values: Values, log: Log, *, no_state: bool, writes: bool
) -> tuple[StateBetweenRuns | None, Around | None]:
    """Return the state between runs of a manifest, and where it has none what surrounds its resources instead."""
    state = None if no_state else state_of(manifest, values, log, writes=writes)
    if state is not None:
        return state, None
    is_seen_later = manifest.may_receive or manifest.notifying is not None or manifest.senders
    if not writes or not (is_seen_later or any(each.type.applies_manifests for each in manifest.resources)):
        return None, None
    from ..engine.between_runs import identity_of, state_directory
    from ..engine.state.unrecorded import unrecorded_state

    identity = identity_of(manifest.source, manifest.path, manifest.engine.state if manifest.engine else "")
    return None, unrecorded_state(identity, manifest, state_directory(values.state, os.environ), log)

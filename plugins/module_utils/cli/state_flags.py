# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The flags for the state between runs, and what they lead to (docs/state.md)."""

from __future__ import annotations

from ..model.errors import STATE_VARIABLE
from ..model.flags import Flag
from .run import NO_STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.state.run_state import RunState
    from ..manifest.manifest import Manifest
    from ..model.flags import Values
    from ..model.log import Log

PLACE = Flag(
    "state", "text", "Directory of the state between runs", env=STATE_VARIABLE, placeholder="DIR", path="directory"
)
STATE = (PLACE, NO_STATE)


def state_of(manifest: Manifest, values: Values, log: Log, *, writes: bool) -> RunState | None:
    """Return the state between runs of a manifest, None where it has none; it is only read unless `writes`."""
    from ..engine.state.run_state import state_of_manifest

    name = manifest.engine.state if manifest.engine else ""
    return state_of_manifest(manifest.source, manifest.path, name, values.state, log, writes=writes)

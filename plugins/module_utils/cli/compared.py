# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A manifest compared with the machine, and with what its last run left, without changing anything (docs/state.md)."""

from __future__ import annotations

import sys

from ..engine.context import Context
from ..engine.session import Session
from ..host.machine import Machine
from ..manifest.run import run_manifest
from ..manifest.source import fetch_manifest
from ..model.errors import CCMError
from ..redaction.texts import shown_source
from .apply import manifest_inputs, read_given
from .console import Console
from .quiet_log import QuietLog
from .run import nats_of
from .state_flags import state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.between_runs import StateBetweenRuns
    from ..engine.sink import Sink
    from ..manifest.manifest import Manifest
    from ..model.flags import Values


class Compared:
    """The `manifest` that the arguments name, and the `state` that its last run left; logs go to standard error."""

    manifest: Manifest
    state: StateBetweenRuns

    def __init__(self, values: Values) -> None:
        self.console = Console(values, sys.stderr)
        self._values = values

    def run(self, *sinks: Sink) -> None:
        """Run the manifest in noop, its events passed to the sinks. Raises CCMError, also when it was never applied."""
        values, console = self._values, self.console
        with fetch_manifest(values.manifest, console.user_log, lambda: nats_of(values)) as text:
            manifest = read_given(text, manifest_inputs(values, console), values)
            state = state_of(manifest, values, console.user_log, writes=False)
            if state is None or not state.changes.was_saved:
                shown = shown_source(manifest.source)
                raise CCMError(
                    f"no state is kept of {shown}",
                    value=shown,
                    advice="apply it first, with the same --state or CCM_STATE",
                )
            self.manifest, self.state = manifest, state
            context = Context(
                Session(),
                machine=Machine(console.user_log.before_waiting),
                noop=True,
                log=console.log,
                user_log=QuietLog(console.user_log),
                child_sinks=sinks,
            )
            run_manifest(manifest, context, state, undoes=False)

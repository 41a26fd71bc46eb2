# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm drift`: what something else changed since a manifest was applied (docs/state.md)."""

from __future__ import annotations

import sys

from ..engine.sink import Sink
from ..engine.state.cause import DRIFT, NEVER_CONVERGES, shows_changes
from ..lang.controls import escaped
from ..model.decision import preview
from ..model.flags import Flag
from ..redaction.texts import shown_source
from ..resources.types import relations
from .apply import CONNECTION, MANIFEST, SOURCES
from .command import Command
from .compared import Compared
from .documents import json_document
from .state_flags import PLACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.event import Event
    from ..model.flags import Values
    from ..model.values import Data

_DRIFTED = 2


def _drift(values: Values) -> int:
    compared, found = Compared(values), _Found()
    compared.run(found)
    compared.console.user_log.flush()
    if values.json:
        shown = shown_source(compared.manifest.source)
        document: Data = {"manifest": shown, "drifted": found.drifted, "resources": found.resources}
        sys.stdout.write(json_document(document))
    else:
        for entry in found.resources:
            line = ": ".join(str(entry[key]) for key in ("cause", "resource", "message"))
            sys.stdout.write(escaped(line) + "\n")
            if "error_position" in entry:
                sys.stdout.write("  at " + escaped(str(entry["error_position"])) + "\n")
        sys.stdout.write(f"{found.drifted} of {found.total} resources drifted\n")
    return _DRIFTED if found.drifted else 0


class _Found(Sink):
    """The resources that would change, and those whose state is not known."""

    def __init__(self) -> None:
        self.resources: list[Data] = []
        self.drifted = self.total = 0

    def finished(self, event: Event) -> None:
        """Keep a resource that would change, with the cause."""
        if event.resource is None or event.resource.type.applies_manifests:
            return
        self.total += 1
        cause = event.status.cause if event.status else ""
        if event.failed:
            cause = "failed"
        elif event.changed and not cause:
            cause = "not known"
        is_undone = cause == NEVER_CONVERGES and shows_changes(relations(event.resource.type))
        self.drifted += cause == DRIFT or is_undone
        if cause:
            message = "; ".join(event.errors) or preview(event.decision, event.noop_message)
            reference = f"{event.type}#{event.shown_name}"
            entry: Data = {"cause": cause, "resource": reference, "message": message}
            if event.error_position:
                entry["error_position"] = event.error_position
            self.resources.append(entry)


COMMAND = Command(
    "drift",
    "Show what something else changed since a manifest was applied",
    details="""List the resources that applying the manifest would change, each with the cause:

  - drift: something else changed the machine
  - manifest: the manifest wants something else than in the last run
  - never converges: the last run changed it in the same way, and undid that itself; it drifted too, unless it is a
    command that runs in every run
  - refresh: only that another resource changes
  - failed: its state cannot be known
  - not known: it waits for a value that another resource sends

Nothing is changed, but the guards of exec resources (onlyif, unless) run.

The exit status is 0 when nothing drifted, 2 when something did, and 1 when the manifest is wrong or was never
applied.""",
    arguments=(MANIFEST,),
    flags=(*SOURCES, PLACE, Flag("json", "set", "Output the resources in JSON format"), *CONNECTION),
    run=_drift,
)

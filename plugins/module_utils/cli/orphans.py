# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm orphans`: what a manifest managed once, does not manage any more, and is still there (docs/state.md)."""

from __future__ import annotations

import sys

from ..data.environment import facts_of_machine
from ..engine.context import Context
from ..lang.controls import escaped
from ..model.flags import Flag
from ..redaction.texts import shown_source
from .apply import CONNECTION, MANIFEST, SOURCES
from .command import Command
from .compared import Compared
from .documents import json_document
from .state_flags import PLACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.flags import Values
    from ..model.values import Data

_FOUND = 2


def _orphans(values: Values) -> int:
    compared = Compared(values)
    compared.run()
    console = compared.console
    context = Context(log=console.log, user_log=console.user_log, facts=facts_of_machine(console.log))
    try:
        found = compared.state.changes.orphans(context)
    finally:
        context.close()
    console.user_log.flush()
    if values.json:
        orphans = [{"resource": key, "path": path} for key, path in found]
        document: Data = {"manifest": shown_source(compared.manifest.source), "orphans": orphans}
        sys.stdout.write(json_document(document))
    else:
        sys.stdout.writelines(f"{escaped(key)}\n" for key, _path in found)
        sys.stdout.write(f"{len(found)} orphan{'' if len(found) == 1 else 's'}\n")
    return _FOUND if found else 0


COMMAND = Command(
    "orphans",
    "Show what a manifest managed once, and left behind",
    details="""List the resources that the manifest had when it was applied, that it no longer has, and that are still
there: files, directories, packages that are installed, services that run or start at boot.

Nothing is changed, but the guards of exec resources (onlyif, unless) run.

The exit status is 0 when there are none, 2 when there are some, and 1 when the manifest is wrong or was never
applied.""",
    arguments=(MANIFEST,),
    flags=(*SOURCES, PLACE, Flag("json", "set", "Output the resources in JSON format"), *CONNECTION),
    run=_orphans,
)

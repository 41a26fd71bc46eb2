# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How commands are undone."""

from __future__ import annotations

from ...model.reversal import Reversal
from .type import ExecProperties, ExecState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.reversal import Parts
    from ...model.values import Data

_KEPT = ("cwd", "path", "timeout", "provider", "logoutput", "user", "group", "umask")


class ExecReversal(Reversal[ExecProperties, ExecState]):
    """What a command did is undone by the command `meta.undo`."""

    def is_reversible(self, properties: ExecProperties, state: ExecState) -> bool:
        """Return whether there is such a command."""
        return bool(properties.meta and properties.meta["undo"])

    def undone(self, properties: ExecProperties, parts: Parts) -> Data:
        """Return the properties of that command; its variables are not kept, for they may be secrets."""
        values = vars(properties)
        command = properties.meta["undo"] if properties.meta else ""
        return {"command": command, **{name: values[name] for name in _KEPT}}


REVERSAL = ExecReversal()

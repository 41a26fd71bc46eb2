# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What commands want."""

from __future__ import annotations

from ...lang.shellwords import ShellWordsError, split
from ...model.relations import PATH, Identity, Relations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .type import ExecProperties


class ExecRelations(Relations["ExecProperties"]):
    """What commands want."""

    def wants(self, properties: ExecProperties) -> list[Identity]:
        """Return the program, its directory, and the path that it creates, for the directory above."""
        program = (_words(properties.command or properties.name) or [""])[0]
        paths = (program, properties.cwd, properties.creates)
        return [Identity(PATH, path) for path in paths if path.startswith("/")]


def _words(command: str) -> list[str]:
    try:
        return split(command)
    except ShellWordsError:
        return []


RELATIONS = ExecRelations()

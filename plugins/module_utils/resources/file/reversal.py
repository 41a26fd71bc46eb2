# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How the changes of files and directories are undone."""

from __future__ import annotations

from ...host.restorable_paths import all_below, missing_above
from ...model.reversal import Reversal
from .type import ABSENT, DIRECTORY, FileProperties, FileState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence


class FileReversal(Reversal[FileProperties, FileState]):
    """What was at the path comes back, with all below it."""

    def paths(self, properties: FileProperties, state: FileState) -> Sequence[str]:
        """Return the path, with the directories that are made for it, or all that is removed below it."""
        path = properties.name
        if properties.ensure == ABSENT and properties.force:
            return list(all_below(path))
        return [*missing_above(path), path] if properties.ensure == DIRECTORY else [path]


REVERSAL = FileReversal()

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands run by `/bin/sh` (behaviour.md 6.2)."""

from __future__ import annotations

import os

from ...model.errors import ResourceFailed
from .posix import PosixExecProvider

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...model.values import Facts
    from .type import ExecProperties

SHELL = "/bin/sh"


class ShellExecProvider(PosixExecProvider):
    """Gives commands and guards to the shell as written."""

    name = "shell"

    @classmethod
    def manageable(cls, facts: Callable[[], Facts], properties: ExecProperties) -> int | str:
        """Usable when the host has a shell; never before the posix provider unless it is named."""
        return 99 if os.path.exists(SHELL) else f"{SHELL} does not exist"

    def words(self, command: str, guard: str = "") -> list[str]:
        """Return the shell's arguments for a command, or for the guard of that name.

        Raises ResourceFailed for blanks.
        """
        if not command.strip():
            problem = "empty guard command" if guard else "no command to execute"
            raise ResourceFailed(problem, property=guard or "command")
        return [SHELL, "-c", command]

    def logged_command(self, words: list[str], properties: ExecProperties) -> str:
        """Return the name of a command for the log: the resource."""
        return properties.name


PROVIDER: type[PosixExecProvider] = ShellExecProvider

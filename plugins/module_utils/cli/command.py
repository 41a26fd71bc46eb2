# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The declaration of a command of the command line."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..model.flags import Argument, Flag, Values


def expected_errors() -> tuple[type[BaseException], ...]:
    """Return the errors that a command may raise; imported only when one was raised."""
    from .failure import EXPECTED

    return EXPECTED


class Command:
    """A command, or a group of commands.

    `path` are its words after `ccm`; `help` is one line, `details` more of it. A group has `commands`, pairs of name
    and line of help, and `find`, which returns the command for a name or an alias, None when there is none; its `flags`
    may be given before and after the names of its commands. `more` returns further pairs, which only help and
    completion need. `run` is called with the Values and returns the exit status; groups, the root included, need none.
    To a command that `explains_flags` the flags of other commands are arguments.
    """

    def __init__(
        self,
        path: str,
        help: str,
        *,
        details: str = "",
        flags: tuple[Flag, ...] = (),
        arguments: tuple[Argument, ...] = (),
        aliases: tuple[str, ...] = (),
        commands: tuple[tuple[str, str], ...] = (),
        find: Callable[[str], Command | None] | None = None,
        more: Callable[[], tuple[tuple[str, str], ...]] | None = None,
        run: Callable[[Values], int] | None = None,
        explains_flags: bool = False,
    ) -> None:
        self.path = path
        self.help = help
        self.details = details
        self.flags = flags
        self.arguments = arguments
        self.aliases = aliases
        self.commands = commands
        self.find = find
        self.more = more
        self.run = run
        self.explains_flags = explains_flags
        self.inherited: tuple[Flag, ...] = ()

    @property
    def all_commands(self) -> tuple[tuple[str, str], ...]:
        """The commands of a group with a line of help for each."""
        return self.commands + (self.more() if self.more else ())

    @property
    def name(self) -> str:
        """The whole name, as it is typed."""
        return f"ccm {self.path}".rstrip()

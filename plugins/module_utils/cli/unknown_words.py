# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages for commands and flags that do not exist (behaviour.md 19)."""

from __future__ import annotations

from ..lang.near import nearest
from ..model.foreign_words import COMMANDS, FLAGS, PROPERTIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .command import Command


def unknown_command(word: str, command: Command) -> str:
    """Return the message for a word that is no command of a group, with the name that may be meant."""
    near = COMMANDS.get(word) or nearest(word, [name for name, _help in command.all_commands], 0.7)
    question = f', did you mean "{near}"?' if near else ","
    return f'expected command but got "{word}"{question} use --help for full help including flags and arguments'


def unknown_flag(word: str, command: Command) -> str:
    """Return the message for a flag that a command does not have, with the name that may be meant."""
    if not word.startswith("--"):
        return f"unknown short flag '{word}'"
    name, known = word[2:], [flag.name for flag in command.inherited + command.flags]
    near, value = FLAGS.get(name, ("", ""))
    if near in known:
        return f"unknown long flag '{word}', write --{near} {value}"
    near = PROPERTIES.get(name, "")
    near = near if near in known else nearest(name, known, 0.7)
    return f"unknown long flag '{word}'" + (f", did you mean '--{near}'?" if near else "")

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The usage of a command, as help and as the answer to a wrong command line."""

from __future__ import annotations

import textwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator

    from ..model.flags import Argument, Flag
    from .command import Command

_WIDTH = 80
_WIDEST_LEFT = 30
#: The commands for a beginning.
_FIRST = ("new site", "lint manifest.yaml", "plan manifest.yaml", "apply manifest.yaml", "docs")
_PATHS = {"file": "FILE", "directory": "DIR"}


def usage(command: Command, everything: bool = False) -> str:
    """Return the usage of a command, with the flags of the commands above it only when `everything` is wanted."""
    return "\n".join(_lines(command, everything)) + "\n"


def first_steps(root: Command) -> str:
    """Return the commands that a user who gives no command can begin with, each with its line of help."""
    helps = dict(root.commands)
    rows = [(f"{root.name} {words}", helps[words.partition(" ")[0]]) for words in _FIRST]
    return "\n".join(("Begin with:", *columns(rows), "", ""))


def _lines(command: Command, everything: bool) -> Iterator[str]:
    yield f"usage: {command.name}{synopsis(command)}"
    yield from ("", command.help)
    if command.details:
        for paragraph in command.details.split("\n\n"):
            yield from ("", *_wrapped(paragraph))
    if command.arguments:
        yield from ("", "Args:", *columns((argument_label(arg), argument_help(arg)) for arg in command.arguments))
    if command.commands:
        yield from ("", "Subcommands:" if command.path else "Commands:")
        yield from columns((f"{command.path} {name}".strip(), help) for name, help in command.all_commands)
    if command.flags and command.path:
        yield from ("", "Flags:", *_flag_lines(command.flags))
    if command.aliases:
        yield from ("", f"Command Aliases: {', '.join(command.aliases)}")
    if everything:
        yield from ("", "Global Flags:", *_flag_lines(command.inherited or command.flags), "")
    else:
        yield from ("", "Pass --help to see global flags applicable to this command.")


def synopsis(command: Command) -> str:
    """Return what follows the name of a command."""
    words = " [<flags>]" if command.flags else ""
    if command.commands:
        words += " <command> [<args> ...]"
    for argument in command.arguments:
        word = f"<{argument.name}>" + ("..." if argument.repeats else "")
        words += f" {word}" if argument.required else f" [{word}]"
    return words


def argument_label(argument: Argument) -> str:
    """Return an argument as the left column shows it."""
    if argument.placeholder:
        return argument.placeholder
    return f"<{argument.name}>" if argument.required else f"[<{argument.name}>]"


def argument_help(argument: Argument) -> str:
    """Return the help of an argument, and its variable."""
    return argument.help + (f" (${argument.env})" if argument.env else "")


def _flag_lines(flags: Iterable[Flag]) -> Iterator[str]:
    flags = list(flags)
    indent = "    " if any(flag.short for flag in flags) else ""
    return columns((flag_label(flag, indent), flag_help(flag)) for flag in flags)


def flag_label(flag: Flag, indent: str = "") -> str:
    """Return a flag as the left column shows it, after `indent` where it has no short name."""
    label = f"-{flag.short}, " if flag.short else indent
    label += f"--[no-]{flag.name}" if flag.kind == "switch" else f"--{flag.name}"
    if flag.takes_value:
        label += f"={_placeholder(flag)}" + (" ..." if flag.repeats else "")
    return label


def _placeholder(flag: Flag) -> str:
    if flag.placeholder:
        return flag.placeholder
    if flag.default is None:
        return _PATHS.get(flag.path) or flag.name.upper()
    return f'"{flag.default}"' if isinstance(flag.default, str) else str(flag.default)


def flag_help(flag: Flag) -> str:
    """Return what a flag does, and its variable."""
    return flag.help + (f" (${flag.env})" if flag.env else "")


def columns(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Return the lines of two columns, the right one filled, within the width of help."""
    rows = list(rows)
    width = max((len(left) for left, _right in rows if len(left) <= _WIDEST_LEFT), default=_WIDEST_LEFT)
    for left, right in rows:
        lines = filled(right, _WIDTH - width - 4)
        if len(left) > width:
            # As the original writes it.
            yield f"  {left}  "
        else:
            yield f"  {left:<{width}}  {lines.pop(0)}".rstrip()
        yield from (" " * (width + 4) + line for line in lines)


def _wrapped(paragraph: str) -> list[str]:
    """Return the lines of a paragraph; an indented paragraph stays as it is."""
    return paragraph.split("\n") if paragraph.startswith(" ") else filled(paragraph.replace("\n", " "), _WIDTH)


def filled(text: str, width: int = _WIDTH) -> list[str]:
    """Return the lines of a text, none longer than `width` unless a word is; at least one line."""
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]

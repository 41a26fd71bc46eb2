# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The manual page, ccm(1), in roff: made from the declarations of the commands, as help is."""

from __future__ import annotations

from .help import argument_help, argument_label, flag_help, flag_label, synopsis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator

    from .command import Argument, Command, Flag

_STATUSES = (
    ("0", "The command ran. Failed resources do not change that: see --detailed-exitcodes of apply."),
    ("1", "The command could not run, or was asked wrongly."),
    ("2", "plan: something would change. apply --detailed-exitcodes: something changed."),
    ("4, 6", "apply --detailed-exitcodes: something failed; something failed and something changed."),
    ("130, 141", "Interrupted; nobody read the output any more."),
)
_VARIABLES = (
    ("CCM_SESSION_STORE", "The session of ensure and session report, where --session is not given."),
    ("CCM_HIERA_DATA", "The data of apply, plan and ensure, where --hiera is not given."),
    ("NATS_CONTEXT", "The NATS context, where --context is not given."),
    ("HTTP_PASSWORD", "The password of ensure archive, where --password is not given."),
    ("HIERA_INPUT", "The input of hiera parse, where none is given."),
    ("NO_SCHEMA_VALIDATION", "When it is 1, unknown keys and properties are passed over."),
    ("NO_COLOR", "When it is set, terminals are shown no colours."),
    ("TMPDIR", "Where sessions are made."),
    ("XDG_CONFIG_HOME", "Where NATS contexts and the user's facts are looked for, instead of ~/.config."),
)


def manual_page(root: Command) -> str:
    """The page for all commands below the root, each with the flags of its own."""
    return "\n".join(_lines(root)) + "\n"


def _lines(root: Command) -> Iterator[str]:
    yield '.TH CCM 1 "" "ccm.core" "Choria Configuration Management"'
    yield from (".SH NAME", f"ccm \\- {_escaped(root.help)}")
    yield from (".SH SYNOPSIS", f"\\fBccm\\fR{_escaped(synopsis(root))}")
    yield from (".SH DESCRIPTION", "Flags of a group of commands can be given to each of its commands, before or after")
    yield "its name; the options below to all. A word \\fB@FILE\\fR stands for the lines of that file."
    yield from (".SH OPTIONS", *_flags(root.flags))
    yield ".SH COMMANDS"
    for command in _below(root):
        yield from _section(command)
    yield from (".SH EXIT STATUS", *_entries(_STATUSES))
    yield from (".SH ENVIRONMENT", *_entries(_VARIABLES))


def _below(command: Command) -> Iterator[Command]:
    for name, _help in command.commands:
        found = command.find(name) if command.find else None
        if found is not None:
            yield found
            yield from _below(found)


def _section(command: Command) -> Iterator[str]:
    yield f".SS {_escaped(command.name + synopsis(command))}"
    yield _escaped(command.help + ".")
    for paragraph in command.details.split("\n\n") if command.details else ():
        if paragraph.startswith(" "):
            yield from (".PP", ".nf", *(_escaped(line) for line in paragraph.split("\n")), ".fi")
        else:
            yield from (".PP", _escaped(paragraph.replace("\n", " ")))
    if command.aliases:
        yield from (".PP", f"Other names: {_escaped(', '.join(command.aliases))}.")
    yield from _arguments(command.arguments)
    yield from _flags(command.flags)


def _arguments(arguments: Iterable[Argument]) -> Iterator[str]:
    return _entries((argument_label(argument), argument_help(argument)) for argument in arguments)


def _flags(flags: Iterable[Flag]) -> Iterator[str]:
    return _entries((flag_label(flag), flag_help(flag)) for flag in flags)


def _entries(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for left, right in rows:
        yield from (".TP", f"\\fB{_escaped(left)}\\fR", _escaped(right))


def _escaped(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + escaped if escaped.startswith((".", "'")) else escaped

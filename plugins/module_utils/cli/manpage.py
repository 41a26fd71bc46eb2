# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The manual page, ccm(1), in roff: made from the declarations of the commands, as help is."""

from __future__ import annotations

from ..data.factfiles import SYSTEM_DIRECTORY
from .help import argument_help, argument_label, flag_help, flag_label, synopsis
from .run import HIERA_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator

    from ..model.flags import Argument, Flag
    from .command import Command

_STATUSES = (
    ("0", "The command ran. Failed resources do not change that: see --detailed-exitcodes of apply."),
    ("1", "The command could not run, or its arguments are wrong."),
    ("2", "plan: something would change. apply --detailed-exitcodes: something changed."),
    ("4, 6", "apply --detailed-exitcodes: something failed; something failed and something changed."),
    ("130", "Interrupted, by Ctrl-C for example."),
    ("141", "The reader of the output ended."),
)
#: Variables that replace no flag and no argument: their descriptions are here.
_VARIABLES = (
    ("NO_SCHEMA_VALIDATION", "When it is 1, unknown keys and properties are ignored."),
    ("GITHUB_ACTIONS", "true: findings of ccm lint are notes of a workflow of GitHub, unless --format is given."),
    ("NO_COLOR", "When it is set, terminals are shown no colours."),
    ("TERM", "When it is dumb, what takes long is not shown."),
    (
        "NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID",
        "Set by systemd: where and how often ccm watch says that it is alive.",
    ),
    ("TMPDIR", "Where sessions and fetched manifests are put, instead of /tmp."),
    ("XDG_CACHE_HOME", "Where fetched sources of scaffolds of a user are kept, instead of ~/.cache."),
    ("XDG_STATE_HOME", "Where the state between runs of a user is kept, instead of ~/.local/state."),
    ("XDG_CONFIG_HOME", "Where NATS contexts and the user's facts are searched, instead of ~/.config."),
    (
        "http_proxy, https_proxy, ftp_proxy, no_proxy",
        "Proxies for what is fetched, also by apt and dnf, and hosts that are asked without one.",
    ),
    ("HOST_PROC, HOST_SYS, HOST_ETC, HOST_DEV, HOST_ROOT", "Trees that facts are read from instead of this machine's."),
)
_FACT_FILES = "facts.json, facts.yaml, facts.d/*.json and facts.d/*.yaml are facts"
_FILES = (
    (SYSTEM_DIRECTORY, f"{_FACT_FILES} that are laid over those of the machine."),
    ("~/.config/choria/ccm", f"{_FACT_FILES} of the user, laid over those."),
    ("~/.config/nats/context/NAME.json", "NATS contexts."),
    (HIERA_FILE, "The data of ensure, in the current directory, where --hiera says nothing else."),
    (".env", "Variables that expressions see, in the current directory; --no-read-env leaves it alone."),
    ("/tmp/ccm-session-*", "Sessions: a directory each, with one JSON file for each event."),
)
_SEE_ALSO = ("ansible-doc(1)", "apt-get(8)", "dnf(8)", "dpkg(1)", "rpm(8)", "systemctl(1)")
_SITE = "https://choria-cm.dev"


def manual_page(root: Command) -> str:
    """Return the page for all commands below the root, each with its own flags."""
    return "\n".join(_lines(root)) + "\n"


def _lines(root: Command) -> Iterator[str]:
    yield '.TH CCM 1 "" "ccm.core" "Choria Configuration Management"'
    yield from (".SH NAME", f"ccm \\- {_escaped(root.help)}")
    yield from (".SH SYNOPSIS", f"\\fBccm\\fR{_escaped(synopsis(root))}")
    yield from (".SH DESCRIPTION", "Flags of a group of commands can be given to each of its commands, before or after")
    yield "its name; the options below to all. A word \\fB@FILE\\fR is replaced by the lines of that file."
    yield from (".SH OPTIONS", *_flags(root.flags))
    yield ".SH COMMANDS"
    for command in _below(root):
        yield from _section(command)
    yield from (".SH EXIT STATUS", *_entries(_STATUSES))
    yield from (".SH ENVIRONMENT", *_entries(_variables_of_flags(root)), *_entries(_VARIABLES))
    yield from (".SH FILES", *_entries(_FILES))
    yield from (".SH SEE ALSO", _escaped(", ".join(_SEE_ALSO)), ".PP", f"The original: {_escaped(_SITE)}")


def _below(command: Command) -> Iterator[Command]:
    for name, _help in command.commands:
        found = command.find(name) if command.find else None
        if found is not None:
            yield found
            yield from _below(found)


def _variables_of_flags(root: Command) -> Iterator[tuple[str, str]]:
    """Yield the variables of flags and arguments, each with what it replaces."""
    found: dict[str, dict[str, list[str]]] = {}
    for command in _below(root):
        named = [(flag.env, f"--{flag.name}") for flag in command.flags]
        named += [(argument.env, argument_label(argument)) for argument in command.arguments]
        for variable, name in named:
            if variable:
                found.setdefault(variable, {}).setdefault(name, []).append(command.path)
    for variable, places in found.items():
        flags = "; ".join(f"{name} of {', '.join(paths)}" for name, paths in places.items())
        yield variable, f"The value of {flags} when that is not given."


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
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti")
    return "\\&" + escaped if escaped.startswith((".", "'")) else escaped

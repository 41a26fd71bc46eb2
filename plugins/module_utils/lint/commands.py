# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands and guards with syntax that only a shell understands, though no shell runs them (behaviour.md 6)."""

from __future__ import annotations

import re

from ..lang.shellwords import ShellWordsError, split
from ..lang.templatescan import Expression, scan
from ..resources.descriptions import description
from .placeholders import holds_expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .declared import Declared
    from .review import Review

SHELL, VARIABLE = "shell", "variable"
_SHELLS = ("sh", "bash", "dash", "ash", "ksh", "zsh", "busybox", "su")
# Programs that read patterns themselves, or expressions similar to some.
_KNOW_PATTERNS = (
    *("find", "grep", "egrep", "fgrep", "sed", "awk", "gawk", "expr", "rsync", "locate"),
    *("systemctl", "journalctl", "apt", "apt-get", "apt-mark", "dpkg", "dpkg-query", "dnf", "yum", "rpm"),
)
_OF_SHELLS = ("PATH", "LANG", "LC_ALL", "PWD", "OLDPWD", "IFS", "PPID", "UID", "EUID", "RANDOM", "HOSTNAME", "SECONDS")
_COMPARE = ("test", "[", "expr")
_QUOTED = re.compile(r"\\.|'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_LITERAL = re.compile(r"\\.|'[^']*'", re.DOTALL)
_MASK = "_"
_SUBSTITUTION = re.compile(r"\$\(|`")
_VARIABLE = re.compile(r"\$[A-Za-z_]\w*")
_OPERATOR = re.compile(r"&&|\|\|?|;|\d*[<>]+(?!=)(?:&\d?)?|&>|&$")
_PATTERN = re.compile(r"[*?]|\[[^\]]+\]")


def check_commands(review: Review, declared: Declared) -> None:
    """Note shell syntax in the command and the guards of a resource, and variables that are not set."""
    commands = description(declared.type.name).commands
    if not commands or holds_expression(declared.values.get("provider")):
        return
    for key in commands:
        text = declared.text(key)
        if key == commands[0] and not text:
            key, text = "name", declared.name
        if text:
            _check_command(review, declared, key, _without_expressions(text))


def _check_command(review: Review, declared: Declared, key: str, text: str) -> None:
    place = declared.origin.value_position((key,)) if key in declared.own else declared.origin.position(())
    if declared.values.get("provider") != "shell":
        if key != "name":
            _check_words(review, declared, key, text)
        construct = _shell_syntax(text)
        if construct:
            review.warn(
                SHELL,
                f"{key} has {construct} and provider is not shell: the program gets it as an argument",
                place,
                resource=declared.reference,
                property=key,
                advice="set provider: shell, or put it in single quotes if the program needs it",
            )
            return
        if not _runs_a_shell(text):
            return
        # The script of a shell is within quotes.
        text = text.replace("'", " ")
    names = [found.group()[1:] for found in _VARIABLE.finditer(_LITERAL.sub(_MASK, text))]
    name = next((name for name in names if not _is_set(name, text)), "")
    if name and not declared.values.get("environment"):
        review.warn(
            VARIABLE,
            f"{key} has ${name} without environment: commands inherit no variables",
            place,
            resource=declared.reference,
            property=key,
            advice=f"set it with environment: [{name}=...], or let an expression give its value",
        )


def _check_words(review: Review, declared: Declared, key: str, text: str) -> None:
    """Note a command without words, or with a quote that is not closed; validation does that for names."""
    try:
        split(text)
    except ShellWordsError as error:
        review.error(
            SHELL,
            f"{key} cannot be split into words: {error}",
            declared.origin.value_position((key,)),
            resource=declared.reference,
            property=key,
            advice="close the quote, or put a backslash before a quote that is a character of its own",
        )


def _shell_syntax(text: str) -> str:
    """Return the first thing in a command that only a shell understands, "" without one."""
    bare = _QUOTED.sub(_MASK, text)
    words = bare.split()
    program = words[0].rpartition("/")[2] if words else ""
    for word in words:
        if "://" in word or (program == "find" and word == ";"):
            continue
        operator = _OPERATOR.search(word)
        if operator and not (program in _COMPARE and operator.group() in ("<", ">", "|", "&")):
            return operator.group()
        pattern = _PATTERN.search(word)
        if pattern and word is not words[0] and not word.startswith("-") and program not in _KNOW_PATTERNS:
            return pattern.group()[0]
    expanded = bare if _runs_a_shell(text) else _LITERAL.sub(_MASK, text)
    substitution = _SUBSTITUTION.search(expanded)
    if substitution:
        return "$(...)" if substitution.group() == "$(" else "`...`"
    variable = _VARIABLE.search(expanded)
    return variable.group() if variable else ""


def _runs_a_shell(text: str) -> bool:
    return any(word.rpartition("/")[2] in _SHELLS for word in text.split())


def _is_set(name: str, script: str) -> bool:
    """Return whether a shell sets a variable itself, or a script may set it."""
    if name in _OF_SHELLS:
        return True
    return re.search(rf"(?<![$\w]){name}(?!\w)|(?:^|[\s;&|\"])(?:\.|source|eval)\s", script) is not None


def _without_expressions(text: str) -> str:
    return "".join(_MASK if isinstance(part, Expression) else part for part in scan(text))

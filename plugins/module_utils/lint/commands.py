# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands and guards with syntax that only a shell understands, though no shell runs them (behaviour.md 6)."""

from __future__ import annotations

import re

from ..lang.shellwords import ShellWordsError, split
from ..lang.templatescan import Expression, scan
from ..model.errors import InvalidResource
from ..redaction.texts import without_text_secrets
from ..resources.descriptions import description
from ..resources.types import resource_type
from .declared import RESOURCES, read_blocks
from .finding import WARNING
from .placeholders import holds_expression
from .review import Review

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

    from ..model.values import ParsedDocument, Value
    from .declared import Declared
    from .finding import Finding

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


def shell_warning(key: str, text: str, provider: Value) -> tuple[str, str]:
    """Return what to warn of in a command or guard that no shell runs, and what to do; both "" for nothing.

    `key` is the property, `text` its value, `provider` the provider of the resource.
    """
    construct = "" if provider == "shell" else _shell_syntax(text)
    if not construct:
        return "", ""
    # What looks like a variable may be a part of a secret.
    is_hidden = _VARIABLE.fullmatch(construct) and construct not in without_text_secrets(text)
    shown = "$" if is_hidden else construct
    return (
        f"{key} has {shown} and provider is not shell: the program gets it as an argument",
        "set provider: shell, or put it in single quotes if the program needs it",
    )


def documents_warnings(documents: Iterable[tuple[str, ParsedDocument]]) -> list[str]:
    """Return the `shell_warning` of each resource in manifests, by name, with its place where that is known."""
    found = []
    for name, document in documents:
        review = Review(document, name, "")
        entries = review.at(RESOURCES)
        if isinstance(entries, list) and any(_has_commands(key) for entry in entries for key in _keys(entry)):
            for block in read_blocks(review, entries):
                for declared in block.resources:
                    check_commands(review, declared)
        found += [_sentence(each, name) for each in review.findings if each.rule == SHELL and each.level == WARNING]
    return found


def _sentence(finding: Finding, name: str) -> str:
    place = finding.position if finding.position and finding.position.line else name
    return f"{place}: {finding.resource}: {finding.message}; {finding.advice}"


def _keys(entry: Value) -> Iterable[str]:
    return entry if isinstance(entry, dict) else ()


def _has_commands(type_name: str) -> bool:
    """Return whether there is a type with this name that has commands."""
    try:
        type = resource_type(type_name)
    except InvalidResource:
        return False
    return type is not None and bool(description(type.name).commands)


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
        message, advice = shell_warning(key, text, "")
        if message:
            review.warn(SHELL, message, place, resource=declared.reference, property=key, advice=advice)
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

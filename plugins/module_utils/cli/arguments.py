# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""From the words of a command line to a command and its values (behaviour.md 19).

Commands of groups are imported when they are called. The flags of a group can follow the names of its commands, words
and flags come in any order, and variables can give flags. argparse, whose import costs a quarter of a run, is not used;
as there, a word with a space and a negative number can be values. Names cannot be abbreviated.
"""

from __future__ import annotations

import os

from ..model.errors import CCMError
from ..model.flags import Values, is_flag, require_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence

    from ..model.flags import Argument, Flag
    from ..model.values import Value
    from .command import Command


class UsageError(CCMError):
    """A wrong command line; `command` is the one whose usage is shown."""

    def __init__(self, text: str, command: Command) -> None:
        super().__init__(text, advice=f"see: ccm {command.path} --help".replace("  ", " "))
        self.command = command


class Chosen:
    """The command to run and its values; with `values.help` the values are not complete."""

    __slots__ = ("command", "values")

    def __init__(self, command: Command, values: Values) -> None:
        self.command = command
        self.values = values


def parse(root: Command, words: Sequence[str]) -> Chosen:
    """Return the command and values in `words`. Raises UsageError, and CCMError for a value of another kind."""
    command, rest = root, _expanded(words)
    if rest[:1] == ["help"]:
        rest = [*rest[1:], "--help"]
    raw: dict[str, list[str]] = {}
    while command.find is not None:
        rest = _take_flags(command, rest, raw, only_leading=True)
        if not rest:
            return Chosen(command, _group_values(command, raw))
        found = command.find(rest[0])
        if found is None:
            raise UsageError(_unknown(rest[0], command), command)
        found.inherited = command.inherited + command.flags
        command = found
        del rest[0]
    rest = _take_flags(command, rest, raw, only_leading=False)
    values = _flag_values(command, raw)
    if not (values.help or values.version):
        _require_flags(command, values)
        _take_arguments(command, rest, values)
    return Chosen(command, values)


def log_format_among(words: Sequence[str]) -> str:
    """Return the `--log-format` among words that may be a wrong command line; "" when there is none."""
    for word, following in zip(words, [*words[1:], ""]):
        flag, equals, value = word.partition("=")
        if word == "--":
            break
        if flag == "--log-format":
            return value if equals else following
    return ""


def _expanded(words: Sequence[str]) -> list[str]:
    """Return the words, up to `--` with each `@FILE` replaced by the lines of that file. Raises CCMError."""
    if not any(word.startswith("@") for word in words):
        return list(words)
    from .argument_files import expanded

    return expanded(words)


def _require_flags(command: Command, values: Values) -> None:
    missing = [f"--{flag.name}" for flag in command.flags if flag.required and flag.name not in values.given]
    if missing:
        raise UsageError(f"required flag{'s' * (len(missing) > 1)} {', '.join(missing)} not provided", command)


def _group_values(command: Command, raw: dict[str, list[str]]) -> Values:
    values = _flag_values(command, raw)
    if command.path and not (values.help or values.version):
        text = "a subcommand from the list below is required, use --help for full help including flags and arguments"
        raise UsageError(text, command)
    return values


def _take_flags(command: Command, words: list[str], raw: dict[str, list[str]], *, only_leading: bool) -> list[str]:
    """Collect the flags among the words into `raw`, by name and as written; return the words that are none.

    With `only_leading` the first word that is no flag ends it.
    """
    if not any(word.startswith("-") for word in (words[:1] if only_leading else words)):
        return words
    literal: list[str] = []
    if "--" in words and not only_leading:
        cut = words.index("--")
        words, literal = words[:cut], words[cut + 1 :]
    from .given_flags import GivenFlags

    given = GivenFlags(command.inherited + command.flags, words, raw, keeps_others=command.explains_flags)
    try:
        others = given.take(only_leading)
    except ValueError as error:
        raise UsageError(str(error), command) from None
    if given.unknown:
        raise UsageError(_unknown(given.unknown, command), command)
    return others + literal


def _unknown(word: str, command: Command) -> str:
    """Return the message for a command or a flag that does not exist."""
    from .unknown_words import unknown_command, unknown_flag

    return unknown_flag(word, command) if is_flag(word) else unknown_command(word, command)


def _flag_values(command: Command, raw: dict[str, list[str]]) -> Values:
    values = Values()
    flags = command.inherited + command.flags
    repeated = {key for key, texts in raw.items() if len(texts) > 1}
    for flag in flags if repeated else ():
        if flag.key in repeated and not flag.repeats:
            raise UsageError(f"flag '{flag.name}' cannot be repeated", command)
    for flag in flags:
        texts = raw.get(flag.key)
        if texts:
            values.given.add(flag.name)
        elif flag.env and os.environ.get(flag.env):
            texts = [os.environ[flag.env]]
        value: Any = _converted(flag.kind, texts) if texts else _default(flag)
        if texts:
            _check_choice(flag, value)
        setattr(values, flag.key, value)
    return values


def _default(flag: Flag) -> Value:
    if flag.default is not None:
        return flag.default
    if flag.repeats:
        return {} if flag.kind == "map" else []
    return "" if flag.takes_value else False


def _take_arguments(command: Command, words: list[str], values: Values) -> None:
    rest = list(words)
    for argument in command.arguments:
        key = argument.name.replace("-", "_")
        if argument.repeats:
            if argument.required and not rest:
                raise _not_provided(argument, command)
            setattr(values, key, _converted(argument.kind, rest))
            rest = []
            continue
        value: Any
        if rest:
            value = rest.pop(0)
            values.given.add(argument.name)
        else:
            value = (os.environ.get(argument.env) if argument.env else None) or argument.default
        if value is None and argument.required:
            raise _not_provided(argument, command)
        _check_choice(argument, value)
        setattr(values, key, value or "")
    if rest:
        raise UsageError(f"unexpected argument {rest[0]}", command)


def _not_provided(argument: Argument, command: Command) -> UsageError:
    return UsageError(f"required argument '{argument.name}' not provided", command)


def _check_choice(argument: Argument | Flag, value: str | None) -> None:
    if argument.choices and value is not None and value not in argument.choices:
        raise CCMError(f"enum value must be one of {','.join(argument.choices)}, got '{value}'", value=value)


def _converted(kind: str, texts: list[str]) -> Value:
    if kind == "set":
        return True
    if kind == "switch":
        return texts[-1] == "true"
    if kind == "map":
        return dict(_pair(text) for text in texts)
    if kind == "texts":
        return texts
    if kind == "integers":
        return [_integer(text) for text in texts]
    text = texts[-1]
    if kind == "integer":
        return _integer(text)
    if kind == "duration":
        return _duration(text)
    if kind == "file":
        require_path(text)
    return text


def _pair(text: str) -> tuple[str, str]:
    places = [place for place in (text.find("="), text.find(":")) if place >= 0]
    if not places:
        raise CCMError(f"expected KEY=VALUE got '{text}'", value=text)
    return text[: min(places)], text[min(places) + 1 :]


def _integer(text: str) -> int:
    digits, _point, fraction = (text[1:] if text[:1] in ("-", "+") else text).partition(".")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 19 and (fraction + "0").isdigit()):
        raise CCMError(f"expected a whole number got '{text}'", value=text)
    return int(text.partition(".")[0])


def _duration(text: str) -> int:
    from ..lang.durations import DurationError, parse

    try:
        return parse(text)
    except DurationError as error:
        raise CCMError(str(error), value=text, advice=f'write a duration like 10s in place of "{text}"') from None

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Flags and arguments of the command line: parsing, help and completion all read these declarations."""

from __future__ import annotations

import os

from .errors import CCMError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Sequence, Tuple, Union

    from .values import Value

    Offered = Union[Tuple[str, ...], Callable[[str], Sequence[str]]]


class Flag:
    """A flag `--name`, and `-short` where it has one.

    | kind | given as | value |
    | --- | --- | --- |
    | `text` | `--x V` | the text |
    | `file` | `--x V` | the path of an existing file |
    | `integer` | `--x 5` | a number |
    | `duration` | `--x 5s` | nanoseconds |
    | `set` | `--x` | True |
    | `switch` | `--x`, `--no-x` | True, False |
    | `texts`, `integers` | `--x V` often | a list |
    | `map` | `--x K=V` often | `{"K": "V"}` |

    `default` is the value when the flag is not given and the variable `env` is empty or unset. `placeholder` is shown
    for the value in help. Completion proposes the words `offered`, or calls it with the begun word; where `path` is
    `file` or `directory`, shells propose these. A `required` flag has to be given; a flag with `choices` takes only
    these. `key` is the attribute of Values that holds the value, `takes_value` is whether a word with it follows, and
    `repeats` whether it may be given more than once.
    """

    __slots__ = (
        "choices",
        "default",
        "env",
        "help",
        "key",
        "kind",
        "name",
        "offered",
        "path",
        "placeholder",
        "repeats",
        "required",
        "short",
        "takes_value",
    )

    def __init__(
        self,
        name: str,
        kind: str,
        help: str,
        *,
        default: Value = None,
        short: str = "",
        env: str = "",
        placeholder: str = "",
        offered: Offered = (),
        path: str = "",
        required: bool = False,
        choices: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.kind = kind
        self.help = help
        self.default = default
        self.short = short
        self.env = env
        self.placeholder = placeholder
        self.choices = choices
        self.offered = offered or choices
        self.path = kind if kind == "file" else path
        self.required = required
        self.key = name.replace("-", "_")
        self.takes_value = kind not in ("set", "switch")
        self.repeats = kind in ("texts", "integers", "map")


class Argument:
    """A word that is no flag.

    `kind` is `text`, or at the end `texts` for any number of them, `map` for any number of `K=V`; the rest as in Flag.
    `path` is `file` or `directory` where shells propose these. If `choices` are given, only these are accepted;
    `offered` are only proposed by completion. An argument that `repeats` takes all remaining words.
    """

    __slots__ = (
        "choices",
        "default",
        "env",
        "help",
        "kind",
        "name",
        "offered",
        "path",
        "placeholder",
        "repeats",
        "required",
    )

    def __init__(
        self,
        name: str,
        help: str,
        *,
        kind: str = "text",
        required: bool = False,
        default: Value = None,
        env: str = "",
        choices: tuple[str, ...] = (),
        offered: Offered = (),
        placeholder: str = "",
        path: str = "",
    ) -> None:
        self.name = name
        self.help = help
        self.kind = kind
        self.required = required
        self.default = default
        self.env = env
        self.choices = choices
        self.offered = offered or choices
        self.placeholder = placeholder
        self.path = path
        self.repeats = kind in ("texts", "map")


class Values:
    """The given values, an attribute for each flag and argument, `-` in a name being `_`.

    `given` are the names of those on the command line.
    """

    def __init__(self) -> None:
        self.given: set[str] = set()

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def is_flag(word: str) -> bool:
    """Return whether a word of a command line is a flag, known or not."""
    return word.startswith("-") and word != "-"


#: The attribute of values with what a command uses of NATS, once it does.
NATS = "nats access"
REGISTRATION = Flag(
    "registration", "text", "The NATS Stream holding registration data", default="REGISTRATION", short="R"
)


def require_path(path: str, *, is_directory: bool = False, advice: str = "") -> None:
    """Raise CCMError, with the advice, for the value of a flag that is the path of no file, or of no directory."""
    if not os.path.exists(path):
        raise CCMError(f"path '{path}' does not exist", value=path)
    if os.path.isdir(path) != is_directory:
        kind = "file" if is_directory else "directory"
        raise CCMError(f"'{os.path.basename(os.path.normpath(path))}' is a {kind}", value=path, advice=advice)

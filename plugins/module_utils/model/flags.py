# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Flags and arguments of the command line: parsing, help and completion all read these declarations.

`TypeFlags` are those with which the resources of a type are given to `ccm ensure` and `ccm status`.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, ClassVar, Sequence, Tuple, TypedDict, Union

    from .contract import AnyType
    from .property import Property
    from .values import Data, Value

    Offered = Union[Tuple[str, ...], Callable[[str], Sequence[str]]]

    class FlagSettings(TypedDict, total=False):
        """What a flag has in addition to its name and kind: see Flag."""

        help: str
        default: Value
        short: str
        env: str
        placeholder: str
        offered: Offered
        path: str


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


REGISTRATION = Flag(
    "registration", "text", "The NATS Stream holding registration data", default="REGISTRATION", short="R"
)

#: The kinds of properties that a flag can give, each with the kind of its flag.
FLAG_KINDS = {
    "string": "text",
    "mode": "text",
    "boolean": "set",
    "integer": "integer",
    "strings": "texts",
    "integers": "integers",
    "string_map": "map",
}


class TypeFlags:
    """The arguments and flags of a type, and the properties that they give.

    The `own_flags` are the flags of the type's own properties, in the order of their declaration. They have the names
    of their properties, with `-` in place of `_`, unless `renamed` (property: flag). The properties in `without`, and
    properties of a kind that no flag can give, have no flag, or one of another kind; `settings` gives property: what
    else Flag takes (short, default, placeholder).

    `options` are the flags that give options of the provider (provider_options.py). With a `status_note` this is the
    output of `ccm status`, which then reads no state.
    """

    arguments: tuple[Argument, ...]
    flags: tuple[Flag, ...]
    options: ClassVar[tuple[str, ...]] = ()
    status_note: ClassVar[str] = ""

    def __init__(
        self,
        type: AnyType,
        *,
        renamed: dict[str, str] | None = None,
        without: tuple[str, ...] = (),
        settings: dict[str, FlagSettings] | None = None,
    ) -> None:
        self._own: dict[str, Flag] = {}
        for prop in type.own_properties:
            if prop.kind in FLAG_KINDS and prop.name not in without:
                name = (renamed or {}).get(prop.name, prop.name.replace("_", "-"))
                self._own[prop.name] = _flag(prop, name, (settings or {}).get(prop.name, {}))
        self.own_flags = tuple(self._own.values())

    def own_properties(self, values: Values) -> Data:
        """Return the properties that their own flags give, or whose flags have defaults."""
        given = {name: (flag, getattr(values, flag.key)) for name, flag in self._own.items()}
        return {name: value for name, (flag, value) in given.items() if value or flag.name in values.given}

    def properties(self, values: Values) -> Data:
        """Return the raw properties, by name, that were given. Raises CCMError for contradicting values."""
        raise NotImplementedError(f"{type(self).__name__}.properties")

    def check_result(self, values: Values, errors: Sequence[str]) -> None:
        """Check what the command has to leave; `errors` are the errors of a failed resource, else none.

        A failed resource alone is no error of the command. Raises CCMError for an error of the command.
        """

    @staticmethod
    def owners(given: str) -> tuple[str, str]:
        """Return the user and the group of `user:group`; the user who runs ccm for a missing one."""
        from ..host.owners import group_name, user_name

        user, _colon, group = given.partition(":")
        return user or user_name(os.geteuid()), group or group_name(os.getegid())

    def status_name(self, name: str) -> str:
        """Return the name of the resource for `name` on the command line of `ccm status`."""
        return name


def _flag(prop: Property, name: str, settings: FlagSettings) -> Flag:
    given: FlagSettings = {"help": prop.help.rstrip("."), **settings}
    return Flag(name, FLAG_KINDS[prop.kind], **given)

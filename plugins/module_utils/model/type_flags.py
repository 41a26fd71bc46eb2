# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line of a type of resources, for `ccm ensure` and `ccm status`."""

from __future__ import annotations

import os

from .flags import Argument, Flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar, Sequence, TypedDict

    from .contract import AnyType
    from .flags import Offered, Values
    from .property import Property
    from .values import Data, Value

    class FlagSettings(TypedDict, total=False):
        """What a flag has in addition to its name and kind: see Flag."""

        help: str
        default: Value
        short: str
        env: str
        placeholder: str
        offered: Offered
        path: str


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


def ensure_argument(type: AnyType, words: tuple[str, ...] = (), *, other: str = "") -> Argument:
    """Return the argument `ensure`, with its words in its help: those given, else all of the type.

    `other` names what else the type takes.
    """
    words = words or type.ensure_choices
    named = ", ".join((*words, other) if other else words)
    help = f"Ensure value: {named}" if named else "Ensure value"
    return Argument("ensure", help, default=type.default_ensure, offered=words)


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

    def status_values(self, name: str) -> Data:
        """Return what `ccm status` shows of a resource in addition to the fields of its state."""
        return {}


def _flag(prop: Property, name: str, settings: FlagSettings) -> Flag:
    given: FlagSettings = {"help": prop.help.rstrip("."), **settings}
    return Flag(name, FLAG_KINDS[prop.kind], **given)

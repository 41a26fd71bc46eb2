# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How resources of a type are given on the command line, to `ccm ensure` and `ccm status`."""

from __future__ import annotations

from .flags import Flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar, Sequence, TypedDict

    from .contract import AnyType
    from .flags import Argument, Offered, Values
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


class PropertyFlags:
    """The flags of a type's own properties, which have the property's name unless renamed.

    `renamed` gives property: flag name for what the original calls differently, `without` the properties that have no
    flag or one of another kind; `settings` gives property: what else Flag takes (short, default, placeholder).
    """

    def __init__(
        self,
        type: AnyType,
        *,
        renamed: dict[str, str] | None = None,
        without: tuple[str, ...] = (),
        settings: dict[str, FlagSettings] | None = None,
    ) -> None:
        self._flags: dict[str, Flag] = {}
        for prop in type.own_properties:
            if prop.name not in without:
                name = (renamed or {}).get(prop.name, prop.name)
                self._flags[prop.name] = _flag(prop, name, (settings or {}).get(prop.name, {}))

    @property
    def flags(self) -> tuple[Flag, ...]:
        """The flags, in the order in which the properties are declared."""
        return tuple(self._flags.values())

    def properties(self, values: Values) -> Data:
        """Return the properties that flags give, or whose flags have defaults."""
        given = {name: (flag, getattr(values, flag.key)) for name, flag in self._flags.items()}
        return {name: value for name, (flag, value) in given.items() if value or flag.name in values.given}


class TypeFlags:
    """The arguments and flags of a type, and the properties that they give.

    With a `status_note` this is the output of `ccm status`, which then reads no state.
    """

    arguments: tuple[Argument, ...]
    flags: tuple[Flag, ...] = ()
    status_note: ClassVar[str] = ""

    def properties(self, values: Values) -> Data:
        """Return the raw properties, by name, that were given. Raises CCMError for contradicting values."""
        raise NotImplementedError(f"{type(self).__name__}.properties")

    def options(self, values: Values) -> dict[str, int]:
        """Return the options of the provider (see model/provider_options.py). Raises InvalidResource."""
        return {}

    def check_result(self, values: Values, errors: Sequence[str]) -> None:
        """Check what the command has to leave; `errors` are the errors of a failed resource, else none.

        A failed resource alone is no error of the command. Raises CCMError for an error of the command.
        """

    def status_name(self, name: str) -> str:
        """Return the name of the resource for `name` on the command line of `ccm status`."""
        return name


def _flag(prop: Property, name: str, settings: FlagSettings) -> Flag:
    given: FlagSettings = {"help": prop.help.rstrip("."), **settings}
    return Flag(name, FLAG_KINDS[prop.kind], **given)

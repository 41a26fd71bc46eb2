# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A resource's property: declared once, read by validation, schemas, command line flags and documentation."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from .values import Data, Value

EAGER = "eager"
DEFERRED = "deferred"
NEVER = "never"
ABSOLUTE = "^/"
REFERENCE_PATTERN = "^[a-z_]+#.+$"
DURATION_PATTERN = "[0-9.][a-zA-Z]|^0$"


class Property:
    """One property of a resource type, or one field of a structured property.

    `kind` is a kind in the list of `kinds.py`. `when` is the moment at which expressions in it are resolved: `eager`
    (before the run), `deferred` (just before the resource is managed) or `never`. `nullable` keeps "not given" apart
    from the empty value, `always_shown` keeps the empty value in events. `pattern` is an expression for strings in
    lists of manifests and a `string` in schemas; `placeholder` satisfies it while the text is a template. `choices` go
    into schemas and help; a type's own `validate` has the error message. The choices of a `boolean` are words that it
    takes as well. `secret` is True where the value, or for `string_map` every value in it, may never be shown;
    `may_hold_secrets` where it is a command, an address, a reference or variables, of which only the secrets may not;
    `unlogged` where events and differences may show the value, and the log of a node may not. `check` is called with a
    decoded object and raises InvalidResource. `recorded_name` is its name in the original's messages about expressions.
    `extension` says what the original does with a property that it does not have, "" for a property of the original.
    """

    def __init__(
        self,
        name: str,
        kind: str = "string",
        *,
        help: str = "",
        default: Value = None,
        choices: tuple[str, ...] = (),
        when: str = EAGER,
        aliases: tuple[str, ...] = (),
        fields: tuple[Property, ...] = (),
        required: bool = False,
        nullable: bool = False,
        always_shown: bool = False,
        keys_resolved: bool = False,
        secret: bool = False,
        may_hold_secrets: bool = False,
        unlogged: bool = False,
        pattern: str = "",
        placeholder: str = "ccmplaceholder",
        recorded_name: str = "",
        minimum: int | None = None,
        maximum: int | None = None,
        check: Callable[[Any], None] | None = None,
        extension: str = "",
    ) -> None:
        self.name = name
        self.kind = kind
        self.help = help
        self.default = default
        self.choices = choices
        self.when = when
        self.aliases = aliases
        self.fields = fields
        self.required = required
        self.nullable = nullable
        self.always_shown = always_shown
        self.keys_resolved = keys_resolved
        self.secret = secret
        self.may_hold_secrets = may_hold_secrets
        self.unlogged = unlogged
        self.pattern = pattern
        self.placeholder = placeholder
        self.recorded_name = recorded_name or (
            "".join(map(str.capitalize, name.split("_"))) if "_" in name else name.capitalize()
        )
        self.minimum = minimum
        self.maximum = maximum
        self.check = check
        self.extension = extension

    def default_value(self) -> Value:
        """Return the value of this property when none is given: the default, else the empty value of its kind."""
        if self.default is not None:
            return self.default
        if self.nullable:
            return None
        return _EMPTY.get(self.kind, list)()


class CutInteger(Property):
    """An integer of the original, or a list of integers: a fraction is cut off, as recorded. Others have none."""


_EMPTY: dict[str, Callable[[], Value]] = {
    "string": str,
    "mode": str,
    "boolean": bool,
    "integer": int,
    "number_or_template": lambda: None,
    "string_map": dict,
    "data": dict,
    "object": lambda: None,
}


def boolean_words(prop: Property) -> str:
    """Return what a `boolean` may be, for messages: `true, false or mask`."""
    *words, last = ("true", "false", *prop.choices)
    return f"{', '.join(words)} or {last}"


def shown_properties(declared: tuple[Property, ...], values: Data, named: bool = False) -> Data:
    """Return the values that are not empty, secrets replaced (Q38), with `named` also by their names."""
    shown = {}
    holders = ("object", "objects", "strings", "data") if named else ("object", "objects")
    for prop in declared:
        value = values[prop.name]
        if prop.always_shown or (value not in (None, {}) if prop.nullable else value):
            if value and (prop.secret or prop.may_hold_secrets or prop.kind in holders):
                from .redacted_values import redacted

                value = redacted(prop, value)
            shown[prop.name] = value
    return shown

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A base for types of other packages, which derives from the declaration what built-in types write out."""

from __future__ import annotations

from .contract import P, S
from .errors import InvalidResource
from .facets import Relations
from .property import DEFERRED
from .references import require_references
from .resource import Properties, ResourceType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from .facets import AnyRelations
    from .property import Property
    from .provider import Provider
    from .values import Value

#: The version of the contract between types and this package.
CONTRACT = 1
#: The most seconds that one call of a method of a type or a provider may take, unless the type says otherwise.
CALL_TIMEOUT = 600.0
_HIGHEST_MODE = 0o7777


class SimpleType(ResourceType[P, S]):
    """A type whose providers are the classes in `providers`; `manageable` of these decides which one is used.

    `contract` is the version of the contract that the type was written for. `state_fields` are the fields of the
    metadata of its states, for schemas. `ensure_choices` are the values of `ensure`, the default first. The state after
    a change is right when nothing is left to do. `relations` are those to other resources. A call of one of its methods
    fails after `call_timeout` seconds.
    """

    contract: ClassVar[int]
    providers: tuple[type[Provider[P, S]], ...] = ()
    state_fields: ClassVar[tuple[Property, ...]] = ()
    relations: ClassVar[AnyRelations] = Relations()
    call_timeout: ClassVar[float] = CALL_TIMEOUT
    stable_after_change: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if not hasattr(cls, "properties_class"):
            common: Any = Properties
            cls.properties_class = common
        cls.provider_names = tuple(provider.name for provider in cls.providers)
        if not cls.default_ensure and cls.ensure_choices:
            cls.default_ensure = cls.ensure_choices[0]

    def validate(self, properties: P) -> None:
        """Check the common properties, `ensure`, and what the own ones declare. Raises InvalidResource."""
        super().validate(properties)
        if self.ensure_choices and properties.ensure not in self.ensure_choices:
            raise InvalidResource(
                f"invalid ensure value: must be one of {', '.join(self.ensure_choices)}",
                property="ensure",
                value=properties.ensure,
            )
        for prop in self.own_properties:
            value = getattr(properties, prop.name)
            if prop.required and not value:
                raise InvalidResource(f"{prop.name} must not be empty", property=prop.name)
            if value and not (prop.when == DEFERRED and _may_have_expression(value)):
                _require_declared(prop, value)
            if prop.name == "subscribe" and isinstance(value, list):
                require_references(value)

    def validate_late(self, properties: P) -> None:
        """Check the same, and what the late properties declare. Raises InvalidResource."""
        self.validate(properties)
        for prop in self.own_properties:
            value = getattr(properties, prop.name)
            if value and prop.when == DEFERRED:
                _require_declared(prop, value)

    def provider(self, name: str) -> type[Provider[P, S]]:
        """Return the provider class of a name."""
        return next(provider for provider in self.providers if provider.name == name)

    def shortfall(self, state: S, properties: P) -> str:
        """Return which verbs are left after acting; "" when none is."""
        left = self.decide(state, properties, False).verbs
        return f"{properties.ensure}: still to do: {', '.join(left)}" if left else ""


def _may_have_expression(value: Value) -> bool:
    text = str(value)
    return "{{" in text or "${" in text


def _require_declared(prop: Property, value: Value) -> None:
    """Check a value against the choices, the limits and the kind of its property. Raises InvalidResource."""
    reason = ""
    if prop.choices and value not in prop.choices:
        reason = f"must be one of {', '.join(prop.choices)}"
    elif prop.kind == "mode" and not _is_mode(str(value)):
        reason = "must be octal permissions like 0644"
    elif prop.minimum is not None and isinstance(value, int) and value < prop.minimum:
        reason = f"must be at least {prop.minimum}"
    elif prop.maximum is not None and isinstance(value, int) and value > prop.maximum:
        reason = f"must be at most {prop.maximum}"
    if reason:
        raise InvalidResource(f"{prop.name} {reason}", property=prop.name, value=None if prop.secret else value)


def _is_mode(text: str) -> bool:
    return len(text) in (3, 4) and not text.strip("01234567") and int(text, 8) <= _HIGHEST_MODE

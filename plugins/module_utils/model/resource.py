# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A resource and what its type has to say: the contract that every type in `resources` fulfils."""

from __future__ import annotations

from .errors import InvalidResource
from .property import NEVER, Property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from .decision import Decision
    from .errors import Position
    from .state import State

REFERENCE_PATTERN = "^[a-z]+#.+$"


def _check_health_check(values: dict[str, Any]) -> None:
    from .health_check import check_health_check

    check_health_check(values)


def _check_registration(values: dict[str, Any]) -> None:
    from .registration import check_registration

    check_registration(values)


_RECORDED = "CommonResourceProperties."
NAME = Property("name", help="What is managed.", required=True, recorded_name=_RECORDED + "Name")
COMMON_BEFORE = (
    NAME,
    Property(
        "alias", help="Another name for references to this resource and for logs.", recorded_name=_RECORDED + "Alias"
    ),
    Property("ensure", help="The state that is wanted.", recorded_name=_RECORDED + "Ensure"),
    Property(
        "provider",
        help="The provider to use, instead of the one that suits best.",
        recorded_name=_RECORDED + "Provider",
    ),
    Property(
        "health_checks",
        "objects",
        help="Checks that run after the resource.",
        check=_check_health_check,
        fields=(
            Property("command", help="A command that answers like a Nagios plugin."),
            Property("goss_rules", "data", when=NEVER, help="Rules as goss knows them."),
            Property("name", help="A name for logs and metrics."),
            Property("timeout", help="How long the check may take, like 10s."),
            Property("tries", "integer", minimum=1, help="How often to try until it is OK."),
            Property("try_sleep", help="The pause between two tries, like 1s."),
            Property("format", choices=("nagios", "goss"), help="How the check answers."),
        ),
    ),
    Property(
        "require",
        "strings",
        when=NEVER,
        pattern=REFERENCE_PATTERN,
        help="References (type#name) to earlier resources that must not have failed.",
    ),
    Property(
        "control",
        "object",
        when=NEVER,
        help="Expressions that say whether this resource is managed at all.",
        fields=(
            Property("if", when=NEVER, help="Manage it only when this expression is true."),
            Property("unless", when=NEVER, help="Do not manage it when this expression is true."),
        ),
    ),
    Property(
        "register_when_stable",
        "objects",
        help="Service registrations to publish when the resource is well.",
        check=_check_registration,
        fields=(
            Property("cluster", always_shown=True, required=True, help="The cluster."),
            Property("service", always_shown=True, required=True, help="The service."),
            Property("protocol", always_shown=True, required=True, help="The protocol."),
            Property("address", always_shown=True, required=True, help="An IP address or a host name."),
            Property("port", "number_or_template", always_shown=True, required=True, help="The port, 1 to 65535."),
            Property("priority", "integer", always_shown=True, required=True, help="1 to 255, lower is preferred."),
            Property("annotations", "string_map", help="Free annotations."),
            Property("ttl", nullable=True, when=NEVER, help="How long the entry lives: a duration or never."),
        ),
    ),
    Property("meta", "object", when=NEVER, help="How the engine treats the resource; nothing is known here yet."),
)


class Properties:
    """The values of a resource's properties, one attribute each; every declared property is there."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__ = values

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: Any) -> None: ...


class ResourceType:
    """A type of resources: its properties, its rules, its decision and its providers.

    A subclass per type stands in `resources/<type>/type.py`; one instance of it serves all resources.
    """

    name: ClassVar[str]
    own_properties: ClassVar[tuple[Property, ...]] = ()
    provider_names: ClassVar[tuple[str, ...]] = ()
    default_ensure: ClassVar[str] = ""
    ensure_choices: ClassVar[tuple[str, ...]] = ()
    settled_after_change: ClassVar[bool] = False
    _declared: ClassVar[dict[type, tuple[Property, ...]]] = {}
    _named: ClassVar[dict[type, dict[str, Property]]] = {}

    @property
    def properties(self) -> tuple[Property, ...]:
        """All declared properties, the common ones first, in the order in which events show them."""
        declared = self._declared.get(type(self))
        if declared is None:
            declared = self._declared[type(self)] = COMMON_BEFORE + self.own_properties
        return declared

    @property
    def named(self) -> dict[str, Property]:
        """Declared properties by name and by alias."""
        named = self._named.get(type(self))
        if named is None:
            named = {prop.name: prop for prop in self.properties}
            named.update({alias: prop for prop in self.properties for alias in prop.aliases})
            self._named[type(self)] = named
        return named

    @property
    def protocol(self) -> str:
        """The protocol name of a state of this type, as events carry it."""
        return f"io.choria.ccm.v1.resource.{self.name}.state"

    def validate(self, properties: Properties) -> None:
        """Check and normalise decoded, eagerly resolved properties.

        Raises InvalidResource with the recorded text for the first thing that is wrong (features.md 2.3).
        """
        if not properties.name:
            raise InvalidResource("name is required", property="name")
        if not properties.ensure:
            raise InvalidResource("ensure is required", property="ensure", advice=self._ensure_advice())
        for reference in properties.require:
            if "#" not in reference:
                raise InvalidResource(
                    "invalid require properties",
                    property="require",
                    value=reference,
                    advice="write references as type#name",
                )
        if properties.register_when_stable:
            from .registration import validate_registration

            for entry in properties.register_when_stable:
                validate_registration(entry)
        self.validate_own(properties)

    def _ensure_advice(self) -> str:
        return f"one of {', '.join(self.ensure_choices)}" if self.ensure_choices else ""

    def validate_own(self, properties: Properties) -> None:
        """Check and normalise what is this type's own. Raises InvalidResource."""

    def normalise(self, properties: Properties) -> None:
        """Bring validated properties to their one form. Raises InvalidResource for what has none."""

    def finish_deferred(self, properties: Properties) -> None:
        """Check and normalise what only deferred expressions made known. Raises InvalidResource."""

    def subscriptions(self, properties: Properties) -> list[str]:
        """References whose change refreshes the resource."""
        return []

    if TYPE_CHECKING:

        def provider(self, name: str) -> Any:
            """The provider class of a name out of `provider_names`, imported now."""

        def decide(self, state: State, properties: Properties, refresh: bool) -> Decision:
            """What has to be done to get from `state` to `properties`; touches nothing.

            Raises ResourceFailed for a state that cannot be left in the wanted direction.
            """

        def shortfall(self, state: State, properties: Properties) -> str:
            """Why `state`, after acting, is not what was asked for; empty when it is."""


def complete(type: ResourceType, values: dict[str, Any]) -> dict[str, Any]:
    """All declared properties: the given values, defaults for the others."""
    complete_values = {
        prop.name: values[prop.name] if prop.name in values else prop.empty() for prop in type.properties
    }
    if not complete_values["ensure"]:
        complete_values["ensure"] = type.default_ensure
    return complete_values


class Resource:
    """One declared resource: its type, its properties, where it was declared and its place in the manifest."""

    __slots__ = ("position", "properties", "type")

    def __init__(self, type: ResourceType, properties: Properties, position: Position | None = None) -> None:
        self.type = type
        self.properties = properties
        self.position = position

    @property
    def reference(self) -> str:
        """The reference `type#name`."""
        return f"{self.type.name}#{self.properties.name}"

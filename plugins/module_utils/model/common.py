# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The properties that a manifest may give to resources of every type, in addition to name and ensure."""

from __future__ import annotations

from .errors import InvalidResource
from .property import DURATION_PATTERN, NEVER, REFERENCE_PATTERN, CutInteger, Property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from .resource import Properties, ResourceType
    from .values import HealthCheck, Registration


def _check_health_check(values: HealthCheck) -> None:
    from .health_check import check_health_check

    check_health_check(values)


def _check_registration(values: Registration) -> None:
    from .registration import check_registration

    check_registration(values)


_PROPERTIES = (
    Property(
        "health_checks",
        "objects",
        help="Checks that run after the resource.",
        check=_check_health_check,
        fields=(
            Property("command", may_hold_secrets=True, help="A command that answers like a Nagios plugin."),
            Property(
                "goss_rules", "data", when=NEVER, may_hold_secrets=True, nullable=True, help="Rules as goss knows them."
            ),
            Property("name", may_hold_secrets=True, help="A name for logs and metrics."),
            Property("timeout", pattern=DURATION_PATTERN, help="How long the check may take, like 10s."),
            CutInteger("tries", "integer", minimum=1, help="How often to try until it is OK."),
            Property("try_sleep", pattern=DURATION_PATTERN, help="The pause between two tries, like 1s."),
            Property("format", choices=("nagios", "goss"), help="How the check answers."),
        ),
    ),
    Property(
        "require",
        "strings",
        when=NEVER,
        pattern=REFERENCE_PATTERN,
        may_hold_secrets=True,
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
            CutInteger("priority", "integer", always_shown=True, required=True, help="1 to 255, lower is preferred."),
            Property("annotations", "string_map", help="Free annotations."),
            Property(
                "ttl",
                nullable=True,
                when=NEVER,
                pattern=f"{DURATION_PATTERN}|^never$",
                help="How long the entry lives: a duration or never.",
            ),
        ),
    ),
)


#: For types whose changes can be undone.
_REVERSE = Property("reverse", "boolean", help="Whether it is undone when the manifest no longer declares it.")


class MetaProperty(Property):
    """The property `meta` of a type, with the fields `own` that only this type has.

    Its fields, of which most resources give none, and their check are imported when they are needed.
    """

    def __init__(self, own: Sequence[Property] = ()) -> None:
        super().__init__(
            "meta",
            "object",
            when=NEVER,
            help="How the engine treats the resource.",
            extension="meta is an extension: the original ignores it",
        )
        self.own = own
        del self.fields, self.check

    def __getattr__(self, name: str) -> object:
        if name not in ("fields", "check"):
            raise AttributeError(name)
        from .meta import FIELDS, check_meta

        self.fields = (*FIELDS, *self.own)
        self.check = lambda values: check_meta(values, self.own)
        return getattr(self, name)


def common_properties(own_meta: Sequence[Property] = (), reversible: bool = False) -> tuple[Property, ...]:
    """Return the common properties of a type, whose `meta` has the fields `own_meta` besides the common ones."""
    return (*_PROPERTIES, MetaProperty((_REVERSE, *own_meta) if reversible else own_meta))


def validate_common(type: ResourceType, properties: Properties) -> None:
    """Check name, ensure, requirements and registrations. Raises InvalidResource with the recorded text."""
    from .registration import validate_registrations

    if not properties.name:
        raise InvalidResource("name is required", property="name")
    if not properties.ensure:
        advice = f"one of {', '.join(type.ensure_choices)}" if type.ensure_choices else ""
        raise InvalidResource("ensure is required", property="ensure", advice=advice)
    for at, reference in enumerate(properties.require):
        if "#" not in reference:
            raise wrong_reference("invalid require properties", "require", at, reference)
    if properties.register_when_stable:
        validate_registrations(properties.register_when_stable)


def wrong_reference(message: str, property: str, at: int, reference: str) -> InvalidResource:
    """Return the error for an entry of a list of references, at its place."""
    error = InvalidResource(
        message,
        property=property,
        value=reference,
        advice=f"write TYPE#NAME in place of {reference or 'an empty text'}",
    )
    error.path = (property, at)
    return error

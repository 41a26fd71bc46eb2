# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The apply type: another manifest, run at the place of the resource."""

from __future__ import annotations

from ...model.decision import Decision, Step
from ...model.errors import InvalidResource
from ...model.property import Property
from ...model.resource import Properties, ResourceType
from ...model.state import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.values import Data

    # Ansible sends what import statements name to nodes; `provider` imports these by their names.
    from . import ccmmanifest  # noqa: F401

PRESENT = "present"


class ApplyProperties(Properties):
    """The properties of an apply resource."""

    noop: bool
    health_check_only: bool
    allow_apply: bool
    data: Data | None


class ApplyState(State):
    """The result of a child manifest, after it has run."""

    type = "apply"


class ApplyType(ResourceType[ApplyProperties, ApplyState]):
    """Child manifests (behaviour.md 4)."""

    name = "apply"
    default_ensure = PRESENT
    ensure_choices = (PRESENT,)
    provider_names = ("ccmmanifest",)
    default_provider = "ccmmanifest"
    verbs = ("apply",)
    applies_manifests = True
    properties_class = ApplyProperties
    own_properties = (
        Property("noop", "boolean", help="Whether the child only says what it would do."),
        Property("health_check_only", "boolean", help="Whether only the health checks of the child run."),
        Property("allow_apply", "boolean", default=True, help="Whether the child may apply further manifests."),
        Property(
            "data",
            "data",
            nullable=True,
            help="Data over the child's own; without it the parent's data is inherited.",
        ),
    )

    def validate(self, properties: ApplyProperties) -> None:
        """Check that a child manifest is a file, and wanted as present."""
        super().validate(properties)
        scheme, separator, _rest = properties.name.partition(":")
        if separator and _is_scheme(scheme):
            raise InvalidResource("name must be a file path, not a URL", property="name", value=properties.name)
        if properties.ensure != PRESENT:
            raise InvalidResource('invalid ensure value: must be "present"', property="ensure", value=properties.ensure)

    def decide(self, state: ApplyState, properties: ApplyProperties, refresh: bool) -> Decision:
        """Return that a child always runs: only its resources know the steps."""
        return Decision(Step("apply"))

    def has_changed(self, before: ApplyState, after: ApplyState) -> bool:
        """Return whether a resource of the child changed."""
        return bool(after.details["changed_count"])

    def shortfall(self, state: ApplyState, properties: ApplyProperties) -> str:
        """Return "": a child with a failed resource fails while it runs."""
        return ""


def _is_scheme(text: str) -> bool:
    return text[:1].isalpha() and text.isascii() and all(char.isalnum() or char in "+-." for char in text)


TYPE = ApplyType()

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The apply type: another manifest, run in the place where it is named."""

from __future__ import annotations

from ..model.errors import InvalidResource
from ..model.property import Property
from ..model.resource import Decision, Properties, ResourceType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.state import State

PRESENT = "present"


class ApplyType(ResourceType):
    """Child manifests (features.md 4)."""

    name = "apply"
    default_ensure = PRESENT
    ensure_choices = (PRESENT,)
    provider_names = ("ccmmanifest",)
    default_provider = "ccmmanifest"
    acts_in_every_mode = True
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

    def validate_own(self, properties: Properties) -> None:
        """A child manifest is a file, and it is present."""
        scheme, separator, _rest = properties.name.partition(":")
        if separator and _is_scheme(scheme):
            raise InvalidResource("name must be a file path, not a URL", property="name", value=properties.name)
        if properties.ensure != PRESENT:
            raise InvalidResource('invalid ensure value: must be "present"', property="ensure", value=properties.ensure)

    def provider(self, name: str) -> type:
        """The provider class of a name."""
        from .apply_provider import ManifestProvider

        return ManifestProvider

    def decide(self, state: State, properties: Properties, refresh: bool) -> Decision:
        """A child always runs: only its resources know what is to be done."""
        return Decision(("apply",))

    def has_changed(self, before: State, after: State) -> bool:
        """Whether a resource of the child changed."""
        return bool(after.details["changed_count"])

    def shortfall(self, state: State, properties: Properties) -> str:
        """Nothing: a child with a failed resource fails while it runs."""
        return ""


def _is_scheme(text: str) -> bool:
    return text[:1].isalpha() and text.isascii() and all(char.isalnum() or char in "+-." for char in text)


APPLY = ApplyType()

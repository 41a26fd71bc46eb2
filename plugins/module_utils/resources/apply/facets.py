# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the rest of ccm asks of applied manifests beside managing them: documentation and relations."""

from __future__ import annotations

from ...model.facets import PATH, Identity, Relations, TypeDescription
from ...model.property import Property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.state import State
    from ...model.values import Data
    from .type import ApplyProperties


def description() -> TypeDescription:
    """Return what schemas, documentation and lint show of applied manifests."""
    return TypeDescription(
        (
            Property("resource_count", "integer", help="How many resources the child has."),
            Property("changed_count", "integer", help="How many of them changed."),
            Property("failed_count", "integer", help="How many of them failed."),
        ),
    )


class ApplyRelations(Relations["ApplyProperties"]):
    """What applied manifests want."""

    sends = (
        Property("resource_count", "integer", help="How many resources the manifest has."),
        Property("changed_count", "integer", help="How many of them changed."),
        Property("outputs", "data", help="The values of `ccm.engine.outputs` of the manifest, by name."),
    )

    def wants(self, properties: ApplyProperties) -> list[Identity]:
        """Return a manifest with a whole path."""
        return [Identity(PATH, properties.name)] if properties.name.startswith("/") else []

    def watches(self, properties: ApplyProperties) -> list[str]:
        """Return the manifest."""
        return [properties.name]

    def sent(self, properties: ApplyProperties, state: State) -> Data | None:
        """Return the counts of resources and what the manifest passes on; None when that is not known."""
        if state.outputs is None:
            return None
        return {**{key: state.details[key] for key in ("resource_count", "changed_count")}, "outputs": state.outputs}


RELATIONS = ApplyRelations()

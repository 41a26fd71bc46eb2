# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What scaffolds provide and want."""

from __future__ import annotations

from ...host.digests import sha256_hex
from ...model.property import Property
from ...model.relations import PATH, TREE, Identity, Relations
from .type import ABSENT, ScaffoldState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.state import State
    from ...model.values import Data, Value
    from .type import ScaffoldProperties


class ScaffoldRelations(Relations["ScaffoldProperties"]):
    """What scaffolds provide and want."""

    sends = (
        Property("changed", "strings", help="The files that were written."),
        Property("purged", "strings", help="The files that were removed."),
    )

    def provides(self, properties: ScaffoldProperties) -> list[Identity]:
        """Return the directory with what is rendered into it."""
        return [Identity(TREE, properties.name)]

    def wants(self, properties: ScaffoldProperties) -> list[Identity]:
        """Return the directory, for the one above it, and a source on the node."""
        sources = [properties.source] if properties.source.startswith("/") else []
        return [Identity(PATH, path) for path in (properties.name, *sources)]

    def watched_trees(self, properties: ScaffoldProperties) -> list[str]:
        """Return the directory, and a source on the node."""
        return [path for path in (properties.name, properties.source) if path]

    def observed(self, properties: ScaffoldProperties, state: State) -> Value:
        """Return the files that differ from what is rendered; after a change they are those that were changed."""
        names = ("changed", "purged") if properties.purge else ("changed",)
        return [state.ensure, *([] if state.changed else [state.metadata.get(name, []) for name in names])]

    def content(self, properties: ScaffoldProperties, state: State) -> str:
        """Return a digest of the rendered files."""
        files = state.draft.files if isinstance(state, ScaffoldState) else {}
        return sha256_hex(repr(sorted(files.items())).encode()) if files else ""

    def remains(self, properties: ScaffoldProperties) -> str | None:
        """Return the directory, unless its files are removed."""
        return None if properties.ensure == ABSENT else properties.name

    def sent(self, properties: ScaffoldProperties, state: State) -> Data:
        """Return the files that were written and removed in this run."""
        before = state.before if isinstance(state, ScaffoldState) else None
        if before is None:
            return {"changed": [], "purged": []}
        changed, purged = before.get("changed", []), before.get("purged", [])
        if properties.ensure == ABSENT:
            return {"changed": [], "purged": [*changed, *before.get("stable", [])]}
        return {"changed": changed, "purged": purged if properties.purge else []}


RELATIONS = ScaffoldRelations()

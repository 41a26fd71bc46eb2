# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Trees of files rendered from trees of templates (behaviour.md 9, 9.1)."""

from __future__ import annotations

import os

from ...host.confined import ConfinedDirectory
from ...lang.paths import join
from ...model.environment import require_environment
from ...model.provider import Provider
from ...model.sent_names import require_sent
from ..download_properties import is_address
from .comparison import compared
from .engines import engine_maker
from .rendered_tree import RenderedTree
from .rendering import Renderer
from .type import ABSENT, JINJA2, PRESENT, ScaffoldProperties, ScaffoldState, refuse_address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

    from ...model.values import Data, Difference, Value
    from .actions import ScaffoldActions
    from .fetched import FetchedSource, UnpackedSource
    from .type import ScaffoldMetadata


class LocalSource:
    """A directory `path` of templates, within `with`; nothing is left to do at the end."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> str:
        return self.path

    def __exit__(self, *_: object) -> None:
        """Leave it as it is."""


class ChoriaProvider(Provider[ScaffoldProperties, ScaffoldState]):
    """Renders everything before it reads the target, and never writes or removes outside the target."""

    name = "choria"
    differs_in_files = True
    #: The source that was fetched for the state of this resource, as long as commands may make it needed again.
    _fetched: FetchedSource | None = None

    def status(self, properties: ScaffoldProperties) -> ScaffoldState:
        """Return how the files differ from the rendered files."""
        self._fetched = None
        return self._observed(properties, self._rendered(properties))

    def require_possible(self, verb: str, properties: ScaffoldProperties, state: ScaffoldState) -> None:
        """Raise ResourceFailed for a file that would be removed in a mount below the target, or is a mount itself."""
        self._actions().require_no_mounts(properties, state)

    def _actions(self) -> ScaffoldActions:
        from .actions import ScaffoldActions

        return ScaffoldActions(self)

    def render(self, properties: ScaffoldProperties, state: ScaffoldState) -> None:
        """Write what differs, each file complete before it is visible, then purge."""
        state.draft = self._again(properties, state.draft)
        is_outdated = properties.post or properties.validation
        known = None if is_outdated else state.metadata.get("changed", [])
        self._actions().render(properties, state.draft, known)

    def remove(self, properties: ScaffoldProperties, state: ScaffoldState) -> None:
        """Remove the rendered files, and the directories that are empty then."""
        self._actions().remove(properties, state.draft)

    def status_after(self, properties: ScaffoldProperties, before: ScaffoldState) -> ScaffoldState:
        """Return the state against the present results of the templates."""
        state = self._observed(properties, self._again(properties, before.draft))
        self._fetched = None
        state.before = before.metadata
        return state

    def differences(self, properties: ScaffoldProperties, state: ScaffoldState) -> list[Difference]:
        """Return the texts of the files that will be written or removed."""
        from .difference import differences

        return differences(properties, state)

    def _again(self, properties: ScaffoldProperties, draft: RenderedTree) -> RenderedTree:
        """Return the draft to continue with: post commands may see how often they run (decisions.md Q29)."""
        return self._rendered(properties) if properties.post else draft

    def _rendered(self, properties: ScaffoldProperties) -> RenderedTree:
        environment = require_environment(self.context.environment)
        data = properties.data or environment.data
        environment = environment.with_data(data if properties.engine == JINJA2 else _copied_data(data))
        maker = engine_maker(properties.engine, environment, properties.left_delimiter, properties.right_delimiter)
        draft = RenderedTree(properties.name)
        if properties.post:
            from .posted_tree import PostedTree

            draft = PostedTree(properties.name, properties.post, self.machine)
        with draft, self._source(properties) as source:
            Renderer(source, draft, maker, skip_empty=properties.skip_empty).run()
            draft.finish()
        return draft

    def _source(self, properties: ScaffoldProperties) -> LocalSource | UnpackedSource:
        """Return the directory of templates, to be entered. Raises ResourceFailed."""
        if is_address(properties.source):
            from .fetched import FetchedSource

            fetched = self._fetched or FetchedSource(self, properties)
            self._fetched = fetched if properties.post else None
            return fetched.unpacked()
        require_sent(properties.source, self.context.directory, self.context.environment, is_needed=True)
        source = join(self.context.directory, properties.source)
        if "://" in properties.source and not os.path.isdir(source):
            refuse_address(properties.source)
        return LocalSource(source)

    def _observed(self, properties: ScaffoldProperties, draft: RenderedTree) -> ScaffoldState:
        metadata: ScaffoldMetadata = {"name": properties.name, "provider": self.name}
        with ConfinedDirectory(properties.name) as tree:
            if tree.exists:
                metadata["target_exists"] = True
            lists = compared(tree, draft, only_existing=properties.ensure == ABSENT)
            if properties.ensure == PRESENT and (lists["changed"] or (properties.purge and lists["purged"])):
                tree.require_directories(draft.directories)
        whole = {key: [f"{properties.name}/{path}" for path in paths] for key, paths in lists.items()}
        if whole["changed"]:
            metadata["changed"] = whole["changed"]
        if whole["purged"]:
            metadata["purged"] = whole["purged"]
        if whole["stable"]:
            metadata["stable"] = whole["stable"]
        metadata["engine"] = properties.engine
        is_absent = properties.ensure == ABSENT and not (lists["changed"] or lists["stable"])
        ensure = ABSENT if is_absent else PRESENT
        state = ScaffoldState(properties.name, ensure, {"metadata": metadata})
        state.draft = draft
        return state


def _copied_data(data: Mapping[str, Value] | None) -> Data | None:
    """Return data for one rendering in Jet or Go's language, which may assign to it."""
    return None if data is None else {key: _copied(entry) for key, entry in data.items()}


def _copied(value: Value) -> Value:
    if isinstance(value, dict):
        return {key: _copied(entry) for key, entry in value.items()}
    return [_copied(entry) for entry in value] if isinstance(value, list) else value


PROVIDER: type[Provider[ScaffoldProperties, ScaffoldState]] = ChoriaProvider

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The scaffold type: a tree of files rendered from a tree of templates."""

from __future__ import annotations

from ...lang.paths import clean
from ...model.decision import NOTHING, Decision, Step
from ...model.property import NEVER, Property
from ...model.resource import Properties, ResourceType
from ...model.state import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...model.provider import Provider
    from .drafts import Draft

PRESENT = "present"
ABSENT = "absent"
GO = "go"
JET = "jet"
JINJA2 = "jinja2"
ENGINES = (GO, JET, JINJA2)
_DELIMITERS = {GO: ("{{", "}}"), JET: ("[[", "]]"), JINJA2: ("{{", "}}")}


class ScaffoldProperties(Properties):
    """The properties of a scaffold."""

    source: str
    skip_empty: bool
    left_delimiter: str
    right_delimiter: str
    engine: str
    data: dict[str, Any]
    purge: bool
    post: list[dict[str, str]]


class ScaffoldState(State):
    """What differs from what the templates give, which is the `draft`."""

    type = "scaffold"
    draft: Draft


class ScaffoldType(ResourceType[ScaffoldProperties, ScaffoldState]):
    """Scaffolds (behaviour.md 9)."""

    name = "scaffold"
    ensure_choices = (PRESENT, ABSENT)
    provider_names = ("choria",)
    default_provider = "choria"
    verbs = ("remove", "render")
    settled_after_change = True
    properties_class = ScaffoldProperties
    own_properties = (
        Property("source", always_shown=True, help="The directory of templates."),
        Property("skip_empty", "boolean", help="Whether templates that render to nothing leave no file."),
        Property("left_delimiter", when=NEVER, help="What opens an action in the templates."),
        Property("right_delimiter", when=NEVER, help="What closes an action in the templates."),
        Property("engine", when=NEVER, default=JET, choices=ENGINES, help="The language of the templates."),
        Property("data", "data", keys_resolved=True, help="Data for the templates, instead of the manifest's."),
        Property("purge", "boolean", help="Whether to remove files that no template renders."),
        Property(
            "post",
            "string_maps",
            may_hold_secrets=True,
            help="Commands for rendered files, by the pattern of their names.",
        ),
    )

    def validate_own(self, properties: ScaffoldProperties) -> None:
        """Check paths, engine and post commands; an empty engine is an unset one (decisions.md Q9)."""
        properties.engine = properties.engine or JET
        name = properties.name
        is_path = name.startswith("/") and clean(name) == name
        is_known = properties.ensure in self.ensure_choices and properties.engine in ENGINES
        if not (is_known and is_path and properties.source) or properties.post:
            from .checks import check_scaffold

            check_scaffold(properties, self.ensure_choices, ENGINES)

    def provider(self, name: str) -> type[Provider[ScaffoldProperties, ScaffoldState]]:
        """The provider class of a name."""
        from .choria import ChoriaProvider

        found: type[Provider[ScaffoldProperties, ScaffoldState]] = ChoriaProvider
        return found

    def derived_values(self, properties: ScaffoldProperties) -> dict[str, Any]:
        """What opens and closes an action is that of the language where it is not given."""
        given = properties.left_delimiter, properties.right_delimiter
        return dict(zip(("left_delimiter", "right_delimiter"), delimiters(properties.engine, *given)))

    def decide(self, state: ScaffoldState, properties: ScaffoldProperties, refresh: bool) -> Decision:
        """The decision table of behaviour.md 9. Raises ResourceFailed for a source without any template."""
        changed, stable, purged = counts(state, properties)
        if properties.ensure == ABSENT:
            if not changed + stable:
                return NOTHING
            count = changed + stable + purged
            would, done = f"Would have removed {count} scaffold files", f"Removed {count} scaffold files"
            return Decision(Step("remove", would, done))
        if stable and not changed and not purged:
            return NOTHING
        if not changed and not stable:
            from .checks import nothing_rendered

            raise nothing_rendered(properties)
        count = changed + purged
        would, done = f"Would have changed {count} scaffold files", f"Changed {count} scaffold files"
        return Decision(Step("render", would, done))

    def shortfall(self, state: ScaffoldState, properties: ScaffoldProperties) -> str:
        """Why the tree is not what was asked for."""
        changed, stable, purged = counts(state, properties)
        if properties.ensure == ABSENT:
            reason = f"target still has {stable} stable and {changed} changed files" if changed + stable else ""
        else:
            reason = "" if changed + stable + purged else "scaffold produced no changed, stable, or purged files"
        return f"{properties.ensure}: {reason}" if reason else ""


TYPE = ScaffoldType()


def delimiters(engine: str, left: str, right: str) -> tuple[str, str]:
    """What opens and closes an action in the language `engine`, where these are given, either of them perhaps empty."""
    own_left, own_right = _DELIMITERS[engine]
    return left or own_left, right or own_right


def counts(state: ScaffoldState, properties: ScaffoldProperties) -> tuple[int, int, int]:
    """How many files are to be written, are as they should be, and are to go because nothing renders them."""
    found = state.metadata
    purged = len(found.get("purged", ())) if properties.purge else 0
    return len(found.get("changed", ())), len(found.get("stable", ())), purged

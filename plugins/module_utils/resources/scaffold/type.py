# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The scaffold type: a tree of files rendered from a tree of templates."""

from __future__ import annotations

from ...lang.go.quoting import quote
from ...lang.paths import clean
from ...model.decision import NOTHING, Decision, Step
from ...model.errors import InvalidResource, ResourceFailed
from ...model.property import NEVER, Property
from ...model.resource import Properties, ResourceType
from ...model.state import State
from ..download_properties import DownloadProperties, download_properties, is_address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    from ...model.values import Data

    # Ansible sends what import statements name to nodes; `provider` imports these by their names.
    from . import choria  # noqa: F401
    from .rendered_tree import RenderedTree

    class ScaffoldMetadata(TypedDict, total=False):
        """The fields of a scaffold's state in events."""

        name: str
        provider: str
        target_exists: bool
        changed: list[str]
        purged: list[str]
        stable: list[str]
        engine: str


PRESENT = "present"
ABSENT = "absent"
GO = "go"
JET = "jet"
JINJA2 = "jinja2"
ENGINES = (GO, JET, JINJA2)
_DELIMITERS = {GO: ("{{", "}}"), JET: ("[[", "]]"), JINJA2: ("{{", "}}")}


class ScaffoldOptions(Properties):
    """What only tasks and `meta` give for a scaffold.

    `validation` is a command that checks the rendered tree before it is put in place, whose directory is `%s` in it.
    """

    validation: str = ""


class ScaffoldProperties(ScaffoldOptions, DownloadProperties):
    """The properties of a scaffold."""

    source: str
    skip_empty: bool
    left_delimiter: str
    right_delimiter: str
    engine: str
    data: Data
    purge: bool
    post: list[dict[str, str]]


class ScaffoldState(State):
    """The differences from the `draft` that templates made, now and `before` a change."""

    type = "scaffold"
    metadata: ScaffoldMetadata
    before: ScaffoldMetadata | None = None
    draft: RenderedTree


class ScaffoldType(ResourceType[ScaffoldProperties, ScaffoldState]):
    """Scaffolds (behaviour.md 9)."""

    name = "scaffold"
    name_aliases = ("path", "dest")
    default_ensure = PRESENT
    takes_empty_ensure = False
    ensure_choices = (PRESENT, ABSENT)
    provider_names = ("choria",)
    default_provider = "choria"
    verbs = ("remove", "render")
    stable_after_change = True
    properties_class = ScaffoldProperties
    reversible = True
    own_properties = (
        Property(
            "source",
            always_shown=True,
            may_hold_secrets=True,
            help="The directory of templates, or the address of an archive of it, http or https.",
        ),
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
        *download_properties("the original ignores {}: it fetches no source"),
    )

    own_meta = (
        Property(
            "validate",
            when=NEVER,
            may_hold_secrets=True,
            help="A command that checks the rendered files before they are put in place; %s in it is their directory.",
        ),
    )

    def validate(self, properties: ScaffoldProperties) -> None:
        """Check paths, engine and post commands; an empty engine is an unset one (decisions.md Q9)."""
        super().validate(properties)
        properties.engine = properties.engine or JET
        name, engine = properties.name, properties.engine
        if properties.ensure not in self.ensure_choices:
            problem = 'invalid ensure value: must be one of "present" or "absent"'
            raise InvalidResource(problem, property="ensure", value=properties.ensure)
        if not name.startswith("/"):
            raise InvalidResource("name must be an absolute path", property="name", value=name)
        if clean(name) != name:
            raise InvalidResource(
                "name must be a canonical path", property="name", value=name, advice=f"write {clean(name)}"
            )
        if not properties.source:
            raise InvalidResource("source cannot be empty", property="source")
        if is_address(properties.source):
            from ..archive_addresses import kind_of_address

            kind_of_address(properties.source, "source")
        elif properties.checksum:
            raise InvalidResource(
                "checksum is only for a source that is fetched",
                property="checksum",
                value=properties.checksum,
                advice="remove it, or give the address of an archive as source, http:// or https://",
            )
        if engine not in ENGINES:
            from ...model.foreign_words import choice_advice

            raise InvalidResource(
                'engine must be one of "go" or "jet"',
                property="engine",
                value=engine,
                advice=choice_advice(engine, ENGINES),
            )
        if properties.meta and properties.meta["validate"]:
            from ...model.validation_command import check_command

            properties.validation = check_command(properties.meta["validate"], properties.ensure, "meta.validate")
        for entry in properties.post:
            for pattern, command in entry.items():
                if not pattern:
                    raise InvalidResource("post keys cannot be empty", property="post")
                if not command:
                    raise InvalidResource(f"post value for key {quote(pattern)} cannot be empty", property="post")

    def derived_values(self, properties: ScaffoldProperties) -> Data:
        """Return the delimiters, by default the language's own."""
        given = properties.left_delimiter, properties.right_delimiter
        return dict(zip(("left_delimiter", "right_delimiter"), delimiters(properties.engine, *given)))

    def decide(self, state: ScaffoldState, properties: ScaffoldProperties, refresh: bool) -> Decision:
        """Return the decision table of behaviour.md 9. Raises ResourceFailed for a source without any template."""
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
            raise nothing_rendered(properties)
        count = changed + purged
        would, done = f"Would have changed {count} scaffold files", f"Changed {count} scaffold files"
        return Decision(Step("render", would, done))

    def shortfall(self, state: ScaffoldState, properties: ScaffoldProperties) -> str:
        """Return why the tree is not in the wanted state."""
        changed, stable, purged = counts(state, properties)
        if properties.ensure == ABSENT:
            reason = f"target still has {stable} stable and {changed} changed files" if changed + stable else ""
        else:
            reason = "" if changed + stable + purged else "scaffold produced no changed, stable, or purged files"
        return f"{properties.ensure}: {reason}" if reason else ""


def delimiters(engine: str, left: str, right: str) -> tuple[str, str]:
    """Return the delimiters of an action in the language `engine`; each given one may be empty."""
    default_left, default_right = _DELIMITERS[engine]
    return left or default_left, right or default_right


def counts(state: ScaffoldState, properties: ScaffoldProperties) -> tuple[int, int, int]:
    """Return how many files are to be written, are stable, and are to be removed because no template renders them."""
    found = state.metadata
    purged = len(found.get("purged", ())) if properties.purge else 0
    return len(found.get("changed", ())), len(found.get("stable", ())), purged


def refuse_address(source: str) -> None:
    """Refuse a source that is a URL of another kind than `is_address`. Raises ResourceFailed."""
    from ...host.http import redact_url

    scheme, separator, _rest = source.partition("://")
    if separator and scheme.isalnum():
        raise ResourceFailed(
            f"source must be a directory of templates, or begin with http:// or https://: {redact_url(source)}",
            property="source",
            value=redact_url(source),
            advice="an archive is fetched over http or https; another command can fetch it before",
        )


def nothing_rendered(properties: ScaffoldProperties) -> ResourceFailed:
    """Return the error for a source without templates, or whose templates all render to nothing."""
    reason = "scaffold produced no changed, stable, or purged files"
    return ResourceFailed(
        f"failed to reach desired state: {properties.ensure}: {reason}",
        property="source",
        value=properties.source,
        advice="put a template into the source that renders to something",
    )


def invalid_entry(path: str) -> ResourceFailed:
    """Return the error for an entry of a source that is neither a file nor a directory.

    `path` is relative to the source.
    """
    return ResourceFailed(
        f"invalid file in source: {path.rpartition('/')[2]}",
        property="source",
        value=path,
        advice="a source holds files and directories, no links",
    )


TYPE = ScaffoldType()

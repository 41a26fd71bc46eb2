# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the rest of ccm asks of scaffolds beside managing them: documentation, flags, relations and reversal."""

from __future__ import annotations

import os

from ...host.digests import sha256_hex
from ...model.errors import CCMError
from ...model.facets import PATH, TREE, Identity, Relations, Reversal, TypeDescription
from ...model.flags import Argument, Flag
from ...model.property import Property
from ...model.type_flags import TypeFlags, ensure_argument
from ..download_flags import DOWNLOAD_OPTIONS, HEADERS_FLAG, PASSWORD_FLAG, download_flags, unmet_checksum
from ..download_properties import is_address
from .parsing import differences_in, template_parser
from .type import ABSENT, ENGINES, JET, TYPE, ScaffoldProperties, ScaffoldState, delimiters, refuse_address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Mapping, Sequence

    from ...model.facets import PortableTemplates, Templates
    from ...model.flags import Values
    from ...model.state import State
    from ...model.values import Data, Value


def _engine(value: object) -> str:
    """Q9: the languages of the original."""
    return "" if value in ("go", "jet") else "the original takes go and jet as engine, and no other"


def _source(value: object) -> str:
    return "the original fetches no source" if isinstance(value, str) and is_address(value) else ""


def _templates(values: Mapping[str, Value]) -> Templates | None:
    source, (language, left, right) = str(values.get("source") or ""), _language(values)
    if language not in ENGINES or is_address(source):
        return None
    return source, template_parser(language, left, right)


def _language(values: Mapping[str, Value]) -> tuple[str, str, str]:
    """Return the language of the templates with its delimiters, "" for delimiters of an unknown language."""
    language, left, right = (str(values.get(name) or "") for name in ("engine", "left_delimiter", "right_delimiter"))
    language = language or JET
    return (language, *(delimiters(language, left, right) if language in ENGINES else ("", "")))


def _portable_templates(values: Mapping[str, Value]) -> PortableTemplates | None:
    """Q51, Q52: what the original finds in the dot, and the arguments of its functions."""
    language, left, right = _language(values)
    return differences_in(language, left, right)


def description() -> TypeDescription:
    """Return what schemas, documentation and lint show of scaffolds."""
    return TypeDescription(
        (
            Property(
                "metadata",
                "object",
                required=True,
                fields=(
                    Property("name", required=True, help="The name of the resource."),
                    Property("provider", required=True, help="The provider that read the state."),
                    Property("target_exists", "boolean", help="Whether the directory is there."),
                    Property("changed", "strings", help="Paths of files that are to be written."),
                    Property("purged", "strings", help="Paths of files that no template renders."),
                    Property("stable", "strings", help="Paths of files that are as they should be."),
                    Property("engine", required=True, help="The language of the templates."),
                ),
            ),
        ),
        required_by_original=("ensure", "engine"),
        portability={"engine": _engine, "source": _source},
        addresses={"source": (("http", "https"), "a source is a directory, or an http:// or https:// address")},
        templates=_templates,
        unmet={"checksum": unmet_checksum},
        portable_templates=_portable_templates,
    )


class ScaffoldFlags(TypeFlags):
    """A tree of templates, and its target."""

    options = DOWNLOAD_OPTIONS

    def __init__(self) -> None:
        super().__init__(
            TYPE,
            without=("skip_empty", "source"),
            renamed={"headers": "header"},
            settings={
                "engine": {"default": JET, "offered": ENGINES},
                "headers": HEADERS_FLAG,
                "password": PASSWORD_FLAG,
            },
        )
        self.arguments = (
            Argument("name", "Target path to render into", required=True, path="directory"),
            Argument("source", "Source for the scaffold", path="directory"),
            ensure_argument(TYPE),
        )
        self.flags = (
            Flag("skip-empty", "switch", "Leave no file where a template renders to nothing", default=False),
            *self.own_flags,
            Flag("data", "map", "Data for the templates, instead of that of --hiera", placeholder="KEY=VALUE"),
            Flag(
                "post", "map", "Commands for rendered files, by the pattern of their names", placeholder="PATTERN=TOOL"
            ),
            *download_flags(),
        )

    def properties(self, values: Values) -> Data:
        """Return the given properties.

        Raises CCMError for an unknown language, and a source that is not a directory.
        """
        _check(values)
        properties = {
            "name": values.name,
            "ensure": values.ensure,
            "source": values.source,
            **self.own_properties(values),
        }
        properties["skip_empty"] = values.skip_empty
        if values.post:
            properties["post"] = [{pattern: command} for pattern, command in values.post.items()]
        if values.data:
            properties["data"] = values.data
        return properties


def _check(values: Values) -> None:
    if values.engine not in ENGINES:
        raise CCMError(f"enum value must be one of {','.join(ENGINES)}, got '{values.engine}'", value=values.engine)
    if values.source and not is_address(values.source) and not os.path.isdir(values.source):
        refuse_address(values.source)
        there = os.path.exists(values.source)
        problem = (
            f"'{os.path.basename(values.source)}' is a file" if there else f"path '{values.source}' does not exist"
        )
        raise CCMError(problem, value=values.source)


def flags() -> TypeFlags:
    """Return the command line of scaffolds (behaviour.md 19.2)."""
    return ScaffoldFlags()


class ScaffoldRelations(Relations["ScaffoldProperties"]):
    """What scaffolds provide and want."""

    sends = (
        Property("changed", "strings", help="The files that were written."),
        Property("purged", "strings", help="The files that were removed."),
    )

    def provides(self, properties: ScaffoldProperties) -> list[Identity]:
        """Return the directory with the files rendered into it."""
        return [Identity(TREE, properties.name)]

    def wants(self, properties: ScaffoldProperties) -> list[Identity]:
        """Return the directory, for the one above it, and a source on the node."""
        sources = [properties.source] if properties.source.startswith("/") else []
        return [Identity(PATH, path) for path in (properties.name, *sources)]

    def watched_trees(self, properties: ScaffoldProperties) -> list[str]:
        """Return the directory, and a source on the node: nothing reports changes at an address."""
        sources = [] if is_address(properties.source) else [properties.source]
        return [path for path in (properties.name, *sources) if path]

    def observed(self, properties: ScaffoldProperties, state: State) -> Value:
        """Return the files that differ from the rendered files; after a change, the changed files."""
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


class ScaffoldReversal(Reversal[ScaffoldProperties, ScaffoldState]):
    """The files that were written or removed come back as they were; other files of the directory stay."""

    def paths(self, properties: ScaffoldProperties, state: ScaffoldState) -> Sequence[str]:
        """Return the files that the change writes or removes, and the directories that it makes or removes for them."""
        from ...host.restorable_paths import missing_above

        root = properties.name
        found = state.metadata
        if properties.ensure == ABSENT:
            removed = [*found.get("changed", ()), *found.get("stable", ())]
            return list(dict.fromkeys([root, *_directories(root, removed), *removed]))
        changed = [*found.get("changed", ()), *(found.get("purged", ()) if properties.purge else ())]
        directories = [root, *(f"{root}/{path}" for path in state.draft.directories)]
        missing = [path for path in directories if not os.path.lexists(path)]
        return list(dict.fromkeys([*missing_above(root), *missing, *changed]))


def _directories(root: str, paths: Sequence[str]) -> Iterator[str]:
    """Yield the directories of paths, below the root, each after the one above it."""
    for path in paths:
        names = path[len(root) + 1 :].split("/")[:-1]
        for count in range(1, len(names) + 1):
            yield "/".join((root, *names[:count]))


REVERSAL = ScaffoldReversal()

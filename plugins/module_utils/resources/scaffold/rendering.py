# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A tree of templates rendered, file by file (behaviour.md 9.1)."""

from __future__ import annotations

import os

from ...host.errors import SystemCallError
from ...host.reading import Reader
from ...lang.paths import clean, join
from ...model.errors import CCMError, ResourceFailed
from .type import invalid_entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.values import Value
    from .engines import Engine, EngineMaker
    from .rendered_tree import RenderedTree

#: The directories that are rendered only when a template renders them.
PARTIALS = "_partials"
#: How deep templates may render each other.
MAX_DEPTH = 50


class Renderer:
    """Renders the directory `source` into a draft, in the order of names, each file with the result of its template."""

    def __init__(self, source: str, draft: RenderedTree, make_engine: EngineMaker, *, skip_empty: bool) -> None:
        self._source = source
        self._draft = draft
        self._skip_empty = skip_empty
        self._chain: list[str] = []
        self._too_deep: list[str] = []
        self._engine: Engine = make_engine({"write": self.write, "render": self.render})

    def run(self) -> None:
        """Render everything. Raises ResourceFailed, TemplateError and HostError."""
        if not os.path.isdir(self._source):
            reason = OSError(20 if os.path.exists(self._source) else 2, "")
            raise SystemCallError("stat", self._source, reason, lead="cannot read source directory: ")
        waiting = [iter(self._listed(""))]
        while waiting:
            for path, kind in waiting[-1]:
                if kind == "directory":
                    self._draft.make_directory(path)
                    waiting.append(iter(self._listed(path)))
                    break
                self._render_file(path)
            else:
                waiting.pop()

    def write(self, name: str, content: str) -> str:
        """Return the function with which templates make a further file. Raises ResourceFailed and HostError."""
        self._draft.save(self._draft.path_of(name), _bytes(content))
        return ""

    def render(self, name: str, data: Value) -> str:
        """Return the function with which templates render another one, with separate data. Raises as `run` does."""
        path = clean(f"./{name}")
        if path == ".." or path.startswith("../"):
            raise ResourceFailed(f"{name} is not in source directory {self._source}")
        if len(self._chain) > MAX_DEPTH:
            self._too_deep = self._too_deep or list(self._chain)
            raise ResourceFailed("too deep")
        self._chain.append(path)
        try:
            return self._engine.render(self._text(path), path.rpartition("/")[2], data)
        finally:
            self._chain.pop()

    def _render_file(self, path: str) -> None:
        self._chain = [path]
        try:
            text = self._engine.render(self._text(path), path.rpartition("/")[2])
        except CCMError:
            if self._too_deep:
                shown = " > ".join(self._too_deep[:4])
                raise ResourceFailed(f"render goes more than {MAX_DEPTH} templates deep: {shown} > ...") from None
            raise
        except MemoryError:
            advice = "have the template render to less"
            problem = f"template {path} needs more memory than there is"
            raise ResourceFailed(problem, property="source", value=path, advice=advice) from None
        if self._skip_empty and not text.strip():
            return
        self._draft.save(path, _bytes(text))

    def _listed(self, directory: str) -> list[tuple[str, str]]:
        """Yield path and kind of the entries of a directory of the source, in the order of names."""
        found = []
        lead = f"{directory}/" if directory else ""
        place = join(self._source, directory)
        try:
            with os.scandir(place) as listing:
                for entry in sorted(listing, key=lambda entry: entry.name):
                    if entry.name == PARTIALS:
                        continue
                    is_directory = entry.is_dir(follow_symlinks=False)
                    if not is_directory and not entry.is_file(follow_symlinks=False):
                        raise invalid_entry(lead + entry.name)
                    found.append((lead + entry.name, "directory" if is_directory else "file"))
        except OSError as error:
            raise SystemCallError("open", place, error) from None
        return found

    def _text(self, path: str) -> str:
        with Reader(f"{self._source}/{path}") as reader:
            return b"".join(reader.chunks()).decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    """Return text as it is written: bytes of a template that are not UTF-8 stay unchanged."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise ResourceFailed(f"rendered text cannot be written as UTF-8: {error.reason}") from None

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads large YAML documents without keeping their nodes, each of which takes far more memory than its value."""

from __future__ import annotations

import gc

from .libyaml import refusals
from .yaml import MAX_DEPTH, OF_MERGES, Builder, Document, Source, YAMLError, YAMLUnavailable, composed_by, decode, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, NoReturn, Sequence, Tuple, TypeVar, Union

    T = TypeVar("T")
    Data = Dict[str, Any]
    Texts = Dict[Union[str, int], str]
    #: By the id of a list or mapping: the list or mapping itself, so that no other one gets its id, and its scalars
    #: that are no text, as they were written.
    Written = Dict[int, Tuple[object, Texts]]

_TEXTS_AND_PARENTS = frozenset((str, dict, list))
_DROPPED: Any = object()
_NOTHING: tuple[Data, Texts] = ({}, {})
_build = Builder.build


def load_large(text: str | bytes, name: str = "") -> Document:
    """Return the first document of a large text, as `load` does, and with the same errors."""
    text = decode(text)
    collecting = gc.isenabled()
    gc.disable()
    try:
        found = _large_document(text, name)
    finally:
        if collecting:
            gc.enable()
    # A text with an error is composed as a whole before any of it is built.
    return load(text, name) if found is None else found


class LargeDocument(Document):
    """A large document; the text is read again, with all nodes, where a place in one of its lists is asked for."""

    __slots__ = ("_value", "_whole", "_written")

    def __init__(self, value: Any, root: Any, text: str, name: str, written: Written) -> None:
        super().__init__(None, None, text, name)
        self._value = value
        # First with the nodes around lists only.
        self._whole = Document(None, root, text, name)
        self._written: Written | None = written

    @property
    def value(self) -> Any:
        """The value of the document."""
        if self._value is _DROPPED:
            self._value = load_large(self.text, self.name).value
        return self._value

    @value.setter
    def value(self, value: Any) -> None:
        self._value = value

    def drop(self) -> None:
        """Drop all but the text."""
        self._value, self._written = _DROPPED, None
        self._whole = Document(None, _Built(None, 0, 0), self.text, self.name)

    def position(self, path: Sequence[str | int]) -> tuple[int, int] | None:
        """Return the position of a key; see `Document`."""
        return self._asked(lambda whole: whole.position(path))

    def value_position(self, path: Sequence[str | int]) -> tuple[int, int] | None:
        """Return the position of a value; see `Document`."""
        return self._asked(lambda whole: whole.value_position(path))

    def is_unquoted(self, path: Sequence[str | int]) -> bool:
        """Return whether a scalar is without quotes and tag."""
        return self._asked(lambda whole: whole.is_unquoted(path))

    def scalar(self, path: Sequence[str | int]) -> str | None:
        """Return a scalar as it was written; see `Document`."""
        written = self._written
        if written is None:
            return self._asked(lambda whole: whole.scalar(path))
        above, value = None, self.value
        for step in path:
            is_index = isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value)
            if not (is_index or (isinstance(value, dict) and step in value)):
                return None
            above, value = value, value[step]
        if isinstance(value, str):
            return value
        return written[id(above)][1].get(path[-1]) if path and id(above) in written else None

    def _asked(self, ask: Callable[[Document], T]) -> T:
        try:
            return ask(self._whole)
        except _WasBuilt:
            whole = load(self.text, self.name)
            whole.value = None
            self._whole = whole
            return ask(whole)


def _large_document(text: str, name: str) -> LargeDocument | None:
    builder = _LargeBuilder(Source(text, name))

    def derived(loader_class: Any) -> Any:
        class BuildingLoader(loader_class):
            """Builds the value of each list or mapping in a list as soon as the next entry of the list begins."""

            def descend_resolver(self, parent: Any, index: Any) -> None:
                self.depth: int = self.depth + 1
                depth = self.depth
                if depth > MAX_DEPTH:
                    raise RecursionError
                if index.__class__ is int and index:
                    items = parent.value
                    if items[index - 1].id != "scalar":
                        items[index - 1] = builder.built(items[index - 1], depth - 1)

        return BuildingLoader

    try:
        root = composed_by(derived, text)
        if root is None or root.id == "scalar":
            return None
        return LargeDocument(builder.build(root, 0), root, text, name, builder.written)
    except YAMLUnavailable:
        raise
    except (YAMLError, RecursionError, _WasBuilt):
        return None
    except refusals():
        return None


class _WasBuilt(Exception):
    """A node was not kept, or the document cannot be read without keeping nodes."""


def _not_kept(_built: _Built) -> NoReturn:
    raise _WasBuilt


class _Built:
    """The value of a list or mapping in the place of its node; `cost` and `height` are what `Builder` limits."""

    __slots__ = ("cost", "height", "id", "is_used", "value_built")

    start_mark = end_mark = value = tag = flow_style = property(_not_kept)

    def __init__(self, value: Any, cost: int, height: int) -> None:
        self.id = "sequence" if value.__class__ is list else "mapping"
        self.value_built = value
        self.cost = cost
        self.height = height
        self.is_used = False


class _LargeBuilder(Builder):
    """Notes in `written` how scalars that are no text were written. `deepest` is the depth that was reached.

    `merges` has, by the id of a mapping that is being built, what was merged into it, and how that was written.
    """

    __slots__ = ("deepest", "merges", "notes", "written")

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.written: Written = {}
        self.merges: dict[int, tuple[Data, Texts]] = {}
        self.notes: dict[tuple[tuple[str | int, str], ...], Texts] = {}
        self.deepest = 0

    def built(self, node: Any, depth: int) -> _Built:
        """Return the value of a node, to be put in its place. Raises YAMLError."""
        if node.__class__ is _Built:
            return node
        budget, deepest = self.budget, self.deepest
        self.deepest = depth
        value = self.build(node, depth)
        found = _Built(value, budget - self.budget, self.deepest - depth)
        self.deepest = max(deepest, self.deepest)
        return found

    def build(self, node: Any, depth: int) -> Any:
        """Return the value of a node. Raises YAMLError, and _WasBuilt for what is built with all nodes only."""
        if node.__class__ is _Built:
            return self.used(node, depth)
        if node.id != "scalar" and node.end_mark is None:
            raise _WasBuilt  # an alias holds itself
        if depth > self.deepest:
            self.deepest = depth
        value = _build(self, node, depth)
        if value.__class__ is dict:
            merged = self.merges.pop(id(value), _NOTHING) if self.merges else _NOTHING
            if not _TEXTS_AND_PARENTS.issuperset(map(type, value.values())):
                self.note_mapping(node, value, *merged)
        elif value.__class__ is list and not _TEXTS_AND_PARENTS.issuperset(map(type, value)):
            items = enumerate(node.value)
            self.note(value, {at: item.value for at, item in items if value[at].__class__ not in _TEXTS_AND_PARENTS})
        return value

    def used(self, built: _Built, depth: int) -> Any:
        """Return a value that was built; at each further use, by an alias of its list, a copy."""
        self.deepest = max(self.deepest, depth + built.height)
        if self.deepest > MAX_DEPTH:
            raise _WasBuilt
        if built.is_used:
            self.budget -= built.cost
            if self.budget < 0:
                raise _WasBuilt
            return self.copied(built.value_built)
        built.is_used = True
        return built.value_built

    def bare(self, mapping: Any, key_node: Any, value_node: Any, name: str) -> tuple[str, Any]:
        """Return key and value where nothing is after the key. Raises _WasBuilt for {a:1}, which is rare."""
        found, value = super().bare(mapping, key_node, value_node, name)
        if value is not None or found != name:
            raise _WasBuilt
        return found, value

    def note(self, value: Any, texts: Texts) -> None:
        """Note how scalars of a list or mapping were written."""
        if texts:
            # Many mappings have the same numbers: one of the equal notes is kept.
            self.written[id(value)] = value, self.notes.setdefault(tuple(texts.items()), texts)

    def noted(self, value: Any) -> Texts:
        """Return how scalars of a list or mapping were written."""
        return self.written[id(value)][1] if id(value) in self.written else {}

    def note_mapping(self, node: Any, value: Data, merged: Data, merged_texts: Texts) -> None:
        """Note how the scalars of a mapping were written, its own and those that were merged into it."""
        texts: Texts = {}
        for key, scalar in node.value:
            if key.value == "<<" and key.tag in OF_MERGES:
                for name in merged:
                    texts.pop(name, None)
                texts.update(merged_texts)
                continue
            name = self.keys[key.value] if not key.tag and key.value in self.keys else self.key(key)
            texts.pop(name, None)
            if scalar.id == "scalar" and value[name].__class__ not in _TEXTS_AND_PARENTS:
                texts[name] = scalar.value
        self.note(value, texts)

    def merge(self, result: Data, node: Any, depth: int) -> None:
        """Put merged entries into `result`, and note how they were written. Raises YAMLError."""
        all_merged: Data = {}
        texts: Texts = {}
        for merged in node.value if node.id == "sequence" else [node]:
            if merged.id != "mapping":
                raise self.error("<< needs a mapping, or a list of mappings", merged)
            value = self.build(merged, depth + 1)
            for name in value:
                texts.pop(name, None)
            texts.update(self.noted(value))
            all_merged.update(value)
        result.update(all_merged)
        self.merges[id(result)] = all_merged, texts

    def copied(self, value: Any) -> Any:
        """Return a copy of a value, as if it was built again."""
        if value.__class__ is dict:
            copy: Any = {key: self.copied(item) for key, item in value.items()}
        elif value.__class__ is list:
            copy = [self.copied(item) for item in value]
        else:
            return value
        self.note(copy, self.noted(value))
        return copy

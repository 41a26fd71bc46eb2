# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""References to other resources that do not exist, or that run later (behaviour.md 14)."""

from __future__ import annotations

from ..engine.late_calls import senders_in, senders_named
from ..lang.near import NearestNames
from ..manifest.engine_settings import GRAPH
from ..model.errors import InvalidResource
from ..model.property import REFERENCE_PATTERN
from ..model.resource import resource_of
from ..resources.types import TYPE_NAMES, resource_type, type_names
from .placeholders import holds_expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from ..model.errors import Position
    from .declared import Declared
    from .review import Review


class Earlier:
    """What has run before a resource, as far as it is known: manifests that apply one another share it.

    `is_open` is true once something unknown may have run.
    """

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._names = NearestNames()
        self._open_types: set[str] = set()
        self.is_open = False

    def add(self, declared: Declared) -> None:
        """Add a resource by its name and its alias."""
        for name in (declared.name, declared.text("alias")):
            if name:
                if holds_expression(name):
                    self._open_types.add(declared.type.name)
                reference = f"{declared.type.name}#{name}"
                if reference not in self._known:
                    self._known.add(reference)
                    self._names.add(reference)

    def may_hold(self, reference: str) -> bool:
        """Return whether a resource of this reference has run, or may have."""
        return self.is_open or reference in self._known or reference.partition("#")[0] in self._open_types

    def nearest(self, reference: str) -> str:
        """Return the known reference that is most similar to this one, "" when none is."""
        return self._names.find(reference)


class Names:
    """The references to resources of a manifest: its `own`, and the references of manifests `above`, which apply it.

    `above_in_graph` are the references of manifests in graph order. With `applies` there may be more, in manifests that
    its resources apply.
    """

    def __init__(self, own: set[str], above: set[str], above_in_graph: set[str], applies: bool) -> None:
        self.own = own
        self.above = above
        self.above_in_graph = above_in_graph
        self.applies = applies
        self._open_types: set[str] | None = None

    def in_graph(self, reference: str) -> bool:
        """Return whether a reference leads to a resource in graph order, or may."""
        if self.applies or reference in self.own or reference in self.above:
            return True
        if self._open_types is None:
            self._open_types = {known.partition("#")[0] for known in self.own if holds_expression(known)}
        return reference.partition("#")[0] in self._open_types


def names_of(resources: list[Declared]) -> set[str]:
    """Return the references to resources, by name and alias."""
    return {
        f"{declared.type.name}#{name}"
        for declared in resources
        for name in (declared.name, declared.text("alias"))
        if name
    }


def senders_of(declared: Declared) -> set[str]:
    """Return the references to resources that send values to a resource."""
    names = [prop.name for prop in declared.type.late_properties]
    return senders_in([declared.values.get(name) for name in (*names, "meta")])


def check_references(review: Review, declared: Declared, earlier: Earlier, names: Names) -> None:
    """Note references of a resource to resources that have not run before it; `names` are the names of its manifest.

    In graph order a resource that comes later in the list may be required.
    """
    _check_later(review, declared, earlier, names)
    own = names_of([declared])
    in_graph_order = is_in_graph_order(review)
    for property, reference, place in _references(declared):
        if in_graph_order:
            is_known = names.in_graph(reference) and reference not in own
        else:
            is_known = earlier.may_hold(reference) or (reference in names.above_in_graph and reference not in names.own)
        if is_known:
            continue
        about = {"resource": declared.reference, "property": property}
        if reference in own:
            review.error("reference", f"{property} names the resource itself: {reference}", place, **about)
        elif reference in names.own:
            review.error(
                "reference",
                f"{property} points forward: {reference} comes later",
                place,
                advice="resources run in the order in which they are written: put it first",
                **about,
            )
        else:
            where = "in this manifest" if in_graph_order else "comes before"
            review.error(
                "reference",
                f"{property} points nowhere: no {reference} {where}",
                place,
                advice=_advice(reference, earlier),
                **about,
            )


def _check_later(review: Review, declared: Declared, earlier: Earlier, names: Names) -> None:
    """Note references in `meta` to resources that are not managed after the resource."""
    given = declared.values.get("meta")
    meta = given if isinstance(given, dict) else {}
    for key in ("before", "notify"):
        references = meta.get(key)
        for at, reference in enumerate(references if isinstance(references, list) else ()):
            place = declared.origin.value_position(("meta", key, at))
            about = {"resource": declared.reference, "property": f"meta.{key}"}
            if not isinstance(reference, str) or holds_expression(reference):
                continue
            if reference in names_of([declared]):
                review.error("reference", f"meta.{key} names the resource itself: {reference}", place, **about)
                continue
            if reference not in names.own | names.above and not (names.applies and is_in_graph_order(review)):
                advice = _advice(reference, earlier)
                message = f"meta.{key} points nowhere: no {reference} in this manifest"
                review.error("reference", message, place, advice=advice, **about)
                continue
            if key == "notify" and not _is_refreshable(reference.partition("#")[0]):
                message = f"meta.notify names a resource that cannot be refreshed: {reference}"
                advice = "name it in meta.before instead"
                review.warn("reference", message, place, shown=True, advice=advice, **about)
            if is_in_graph_order(review) or (reference in names.above_in_graph and reference not in names.own):
                continue
            if earlier.may_hold(reference):
                message = f"meta.{key} points back: {reference} comes earlier"
                advice = "move one of the two, or set engine: {order: graph}"
                review.error("reference", message, place, advice=advice, **about)


def _is_refreshable(type_name: str) -> bool:
    """Return whether a change of another resource can refresh resources of a type, or of a manifest that they apply."""
    try:
        type = resource_type(type_name)
    except InvalidResource:
        return True  # the type has a finding of its own
    return type is None or type.applies_manifests or any(prop.name == "subscribe" for prop in type.properties)


def is_in_graph_order(review: Review) -> bool:
    """Return whether a manifest runs in graph order, which the original does not know."""
    if review.is_parallel:
        return True
    return not review.upstream and review.at(("ccm", "engine", "order")) == GRAPH


def _advice(reference: str, earlier: Earlier) -> str:
    if holds_expression(reference):
        return "expressions mean nothing here"
    type_name = reference.partition("#")[0]
    if type_name not in TYPE_NAMES and type_name not in type_names():
        return f"there is no type {type_name}; types: {', '.join(type_names())}"
    near = earlier.nearest(reference)
    return f"did you mean {near}?" if near else ""


def _references(declared: Declared) -> Iterator[tuple[str, str, Position | None]]:
    """Yield the valid references of a resource: the property, the reference, its place."""
    for prop in declared.type.properties:
        if prop.pattern != REFERENCE_PATTERN:
            continue
        for at, reference in enumerate(declared.texts(prop.name)):
            type_name, separator, name = reference.partition("#")
            if type_name and separator and name and (prop.when == "never" or not holds_expression(reference)):
                path = (prop.name, at) if prop.name in declared.own else ()
                yield prop.name, reference, declared.origin.value_position(path)
    resource = resource_of(declared.type, declared.values)
    for reference, name in senders_named(resource).items():
        yield name, reference, declared.origin.value_position((name,) if name in declared.own else ())

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values that resources do not send (docs/state.md)."""

from __future__ import annotations

from ..data.environment import nothing_sent
from ..lang.expr import nodes
from ..lang.near import nearest
from ..model.errors import CCMError
from ..resources.types import relations, resource_type
from .syntax import nodes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..model.errors import Position
    from .review import Review

    Place = Callable[[int], "Position | None"]


def check_sent(review: Review, source: str, about: str, place: Place, *, is_early: bool, portable: bool) -> None:
    """Note keys of `sent(reference)` that resources of the type do not have, in an expression that compiles.

    `place` returns the place of an offset in it. If the expression `is_early`, resolved before anything is managed,
    note each call. With `portable`, too: the original has no such call.
    """
    if "sent" not in source:
        return
    for node in nodes_of(source):
        if portable and isinstance(node, nodes.Identifier) and node.name == "sent":
            message = "the function sent is an extension: the original refuses it"
            review.not_portable(message, place(node.at), resource=about)
        if is_early and isinstance(node, nodes.Call):
            _check_early(review, node, about, place(node.at))
        if isinstance(node, nodes.Member) and isinstance(node.property, nodes.Literal):
            reference, key = _sender(node.node), node.property.value
            if reference and isinstance(key, str):
                _check_key(review, reference, key, about, place(node.at))


def _check_early(review: Review, call: nodes.Call, about: str, place: Position | None) -> None:
    if isinstance(call.callee, nodes.Identifier) and call.callee.name == "sent":
        try:
            nothing_sent()
        except CCMError as error:
            error.resource = about
            review.refuse("expression", error, place)


def _sender(node: nodes.Node) -> str:
    """Return the reference in a call of `sent`, "" for anything else, and where it is no plain text."""
    if not isinstance(node, nodes.Call) or not isinstance(node.callee, nodes.Identifier):
        return ""
    given = node.arguments[0] if node.callee.name == "sent" and len(node.arguments) == 1 else None
    return given.value if isinstance(given, nodes.Literal) and isinstance(given.value, str) else ""


def _check_key(review: Review, reference: str, key: str, about: str, place: Position | None) -> None:
    type_name, _hash, _name = reference.partition("#")
    try:
        type = resource_type(type_name)
        known = relations(type) if type else None
    except CCMError:
        return
    if type is None:
        return
    keys = [prop.name for prop in known.sends] if known else []
    if key not in keys:
        near = nearest(key, keys)
        review.error(
            "reference",
            f"{reference} sends no {key}, only {', '.join(keys) or 'nothing'}",
            place,
            resource=about,
            advice=f"did you mean {near}?" if near else "",
        )

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Builtins that run a closure over a list: filter, map, reduce and their kin."""

from __future__ import annotations

from ..go.values import Fault
from .combining import element_code
from .errors import Failure
from .nodes import Builtin, Node
from .operators import add, element, items_of
from .sorting import permutation
from .values import Groups, grow, not_bool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .compiler import Code, Compiler, Frame


class _Parts:
    """Code of the list, of the closure and of an optional third argument; slot of the element; place of the call."""

    __slots__ = ("at", "body", "extra", "mapped", "slot", "source", "strict", "threshold")

    def __init__(self, compiler: Compiler, node: Builtin) -> None:
        arguments = node.arguments
        self.at = node.at
        self.source: Code = compiler.operand(arguments[0])
        self.slot = slot = compiler.slot(3)
        compiler.closures.append(slot)
        self.body: Code = compiler.code(arguments[1]) if len(arguments) > 1 else element_code(slot, node.at)
        self.extra: Code | None = compiler.code(arguments[2]) if len(arguments) > 2 else None
        mapped: Node | None = node.mapped
        self.mapped: Code | None = None if mapped is None else compiler.code(mapped)
        compiler.closures.pop()
        self.strict = node.strict
        self.threshold = node.threshold


def build(compiler: Compiler, node: Builtin) -> Code:
    """Return the code of a builtin with a closure."""
    return _BUILDERS[node.name](_Parts(compiler, node))


def _quantifier(stop: bool, inverted: bool) -> Any:
    """Build the code that ends with ``stop`` at the first element for which the closure says so."""

    def builder(parts: _Parts) -> Code:
        source, body, slot, at = parts.source, parts.body, parts.slot, parts.at
        decisive = stop is not inverted

        def quantifier(frame: Frame) -> bool:
            items = items_of(source(frame), at)
            for frame[slot] in items:
                value = body(frame)
                if value is not True and value is not False:
                    raise not_bool(value, at)
                if value is decisive:
                    return stop
            return not stop

        return quantifier

    return builder


def _matching(parts: _Parts) -> Any:
    """Return a generator over the indexes of the elements for which the closure is true."""
    body, slot, at = parts.body, parts.slot, parts.at

    def matching(frame: Frame, items: list[Any], backwards: bool = False) -> Any:
        indexes = range(len(items))
        for index in reversed(indexes) if backwards else indexes:
            frame[slot] = items[index]
            value = body(frame)
            if value is True:
                yield index
            elif value is not False:
                raise not_bool(value, at)

    return matching


def _one(parts: _Parts) -> Code:
    source, at, matching = parts.source, parts.at, _matching(parts)
    return lambda frame: sum(1 for _match in matching(frame, items_of(source(frame), at))) == 1


def _filter(parts: _Parts) -> Code:
    source, body, slot, at, mapped = parts.source, parts.body, parts.slot, parts.at, parts.mapped

    def filtered(frame: Frame) -> list[Any]:
        found: list[Any] = []
        for item in items_of(source(frame), at):
            frame[slot] = item
            value = body(frame)
            if value is True:
                found.append(element(item, at) if mapped is None else mapped(frame))
            elif value is not False:
                raise not_bool(value, at)
        grow(frame, len(found), at)
        return found

    return filtered


def _map(parts: _Parts) -> Code:
    source, body, slot, at = parts.source, parts.body, parts.slot, parts.at

    def mapped(frame: Frame) -> list[Any]:
        result = []
        items = items_of(source(frame), at)
        for frame[slot + 1], frame[slot] in enumerate(items):
            result.append(body(frame))
        grow(frame, len(result), at)
        return result

    return mapped


def _count(parts: _Parts) -> Code:
    source, at, matching, threshold = parts.source, parts.at, _matching(parts), parts.threshold

    def count(frame: Frame) -> int:
        found = 0
        for _match in matching(frame, items_of(source(frame), at)):
            found += 1
            if found == threshold:
                break
        return found

    return count


def _sum(parts: _Parts) -> Code:
    source, body, slot, at = parts.source, parts.body, parts.slot, parts.at

    def total(frame: Frame) -> Any:
        result: Any = 0
        items = items_of(source(frame), at)
        for frame[slot + 1], frame[slot] in enumerate(items):
            result = add(body(frame), result, at)
        return result

    return total


def _finder(backwards: bool, position: bool) -> Any:
    def builder(parts: _Parts) -> Code:
        source, at, matching = parts.source, parts.at, _matching(parts)
        mapped, strict = parts.mapped, parts.strict

        def find(frame: Frame) -> Any:
            items = items_of(source(frame), at)
            for index in matching(frame, items, backwards):
                if position:
                    return index
                return element(items[index], at) if mapped is None else mapped(frame)
            if strict:
                raise Failure("reflect: slice index out of range", at)
            return None

        return find

    return builder


def _group_by(parts: _Parts) -> Code:
    source, body, slot, at = parts.source, parts.body, parts.slot, parts.at

    def grouped(frame: Frame) -> Groups:
        groups = Groups()
        missing: list[Any] = []
        for item in items_of(source(frame), at):
            frame[slot] = item
            key = body(frame)
            element(item, at)
            try:
                group = groups.find(key, missing)
                if group is missing:
                    groups.put(key, [item])
                else:
                    group.append(item)
            except Fault as fault:
                raise Failure(fault.message, at) from None
        return groups

    return grouped


def _sort_by(parts: _Parts) -> Code:
    source, body, slot, at, extra = parts.source, parts.body, parts.slot, parts.at, parts.extra

    def sorted_(frame: Frame) -> list[Any]:
        items = items_of(source(frame), at)
        order = "asc" if extra is None else extra(frame)
        if not isinstance(order, str):
            raise Failure("sortBy order argument must be a string", at)
        if order not in ("asc", "desc"):
            raise Failure("unknown order, use asc or desc", at)
        keys = []
        for frame[slot] in items:
            keys.append(body(frame))
            element(frame[slot], at)
        try:
            result = [items[index] for index in permutation(keys, order == "desc")]
        except Fault as fault:
            raise Failure(fault.message, at) from None
        grow(frame, len(items), at)
        return result

    return sorted_


def _reduce(parts: _Parts) -> Code:
    source, body, slot, at, extra = parts.source, parts.body, parts.slot, parts.at, parts.extra

    def reduced(frame: Frame) -> Any:
        items = items_of(source(frame), at)
        start = 0
        if extra is None:
            if not items:
                raise Failure("reduce of empty array with no initial value", at)
            total = element(items[0], at)
            start = 1
        else:
            frame[slot : slot + 3] = [items[0] if items else None, 0, None]
            total = extra(frame)
        for index in range(start, len(items)):
            frame[slot : slot + 3] = [items[index], index, total]
            total = body(frame)
        return total

    return reduced


_BUILDERS = {
    "all": _quantifier(stop=False, inverted=False),
    "any": _quantifier(stop=True, inverted=False),
    "none": _quantifier(stop=False, inverted=True),
    "one": _one,
    "filter": _filter,
    "map": _map,
    "count": _count,
    "sum": _sum,
    "find": _finder(backwards=False, position=False),
    "findLast": _finder(backwards=True, position=False),
    "findIndex": _finder(backwards=False, position=True),
    "findLastIndex": _finder(backwards=True, position=True),
    "groupBy": _group_by,
    "sortBy": _sort_by,
    "reduce": _reduce,
}

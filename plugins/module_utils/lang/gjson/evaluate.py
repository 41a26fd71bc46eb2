# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Goes through a document along a GJSON path: wildcards, queries, multipaths, modifiers, pipes."""

from __future__ import annotations

from ..go import json as gojson
from . import modifiers
from .parsing import parse, parse_float
from .path import KeyStep, ListStep, Query, last_name, literal, modifier, selectors, split_pipe
from .result import MISSING, GJSONError, Result, array, mapping, of
from .texts import unquote, valid
from .wildcard import matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

#: How many values a path may look at; paths within paths multiply.
MAX_STEPS = 1_000_000
#: How deep paths may be within paths.
MAX_NESTING = 100


class _Found:
    """Where a walk has got to: the value, and the path to apply to it."""

    __slots__ = ("pipe", "value")

    def __init__(self) -> None:
        self.value = MISSING
        self.pipe: str | None = None


class Search:
    """One path on its way; counts what it looks at."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = 0

    def step(self, count: int = 1) -> None:
        self.steps += count
        if self.steps > MAX_STEPS:
            raise GJSONError("the path takes too long")

    def get(self, node: Result, path: str, depth: int) -> Result:
        """Return what ``path`` finds from ``node``; ``depth`` counts paths within paths."""
        if depth > MAX_NESTING:
            raise GJSONError("the path is nested too deeply")
        while True:
            self.step()
            applied = self.applied(node, path, depth)
            if applied is not None:
                node, rest = applied
                if rest[:1] not in ("|", "."):
                    return node
                path = rest[1:]
                continue
            if len(path) > 1 and path[0] in "[{":
                chosen = selectors(path)
                rest = chosen[1] if chosen else ""
                if chosen and rest[:1] in ("", "|", "."):
                    node = self.multipath(node, path[0], chosen[0], depth)
                    if not rest:
                        return node
                    path = rest[1:]
                    continue
                path = rest
            found = self.walk(node, path, depth)
            if found.pipe is None:
                return found.value
            node, path = found.value, found.pipe

    def applied(self, node: Result, path: str, depth: int) -> tuple[Result, str] | None:
        """Return what the modifier or literal gives that ``path`` begins with, and what follows it; else None."""
        if len(path) < 2 or path[0] not in "@!":
            return None
        if path[0] == "!":
            made = literal(path)
            return None if made is None else (parse(made[0]), made[1])
        named = modifier(path)
        if named is None:
            return None
        name, argument, rest = named
        if name == "dig":
            return self.dig(node, argument, depth), rest
        return modifiers.apply(name, node, argument), rest

    def dig(self, node: Result, path: str, depth: int) -> Result:
        """Return what ``path`` finds from ``node`` and from everything below it."""
        found: list[Result] = []
        waiting = [node]
        while waiting:
            here = waiting.pop()
            hit = self.get(here, path, depth + 1)
            if hit.exists:
                found.append(hit)
            if here.kind in ("object", "array"):
                waiting.extend(item for _key, _written, item in reversed(here.items()))
        return array(found)

    def multipath(self, node: Result, kind: str, chosen: list[tuple[str, str]], depth: int) -> Result:
        """Return the object ``{…}`` or array ``[…]`` of what several paths find from ``node``."""
        found: list[tuple[str, str, Result]] = []
        for name, path in chosen:
            item = self.get(node, path, depth + 1)
            if not item.exists:
                continue
            if kind == "[":
                found.append(("", "", item))
            elif name.startswith('"') and valid(name):
                found.append((unquote(name.strip()), name, item))
            else:
                name = name or last_name(path)
                found.append((name, gojson.string(name), item))
        return mapping(found) if kind == "{" else array([item for _key, _written, item in found])

    def walk(self, node: Result, path: str, depth: int) -> _Found:
        """Follow ``path`` through keys, indices and queries up to its end or its first pipe."""
        found = _Found()
        if path.startswith(".."):
            self.in_list(found, [node] if node.exists else [], path[2:], depth)
        elif node.kind == "object":
            self.in_object(found, node, path, depth)
        elif node.kind == "array":
            self.in_list(found, node.entries(), path, depth)
        return found

    def in_object(self, found: _Found, node: Result, path: str, depth: int) -> bool:
        """Follow ``path`` into an object; True when it led to a value, False when another way may be tried."""
        step = KeyStep(path)
        if step.pipe is not None:
            found.pipe = step.pipe
        if step.wild:
            members = node.items()
            self.step(len(members))
            candidates = [item for key, _written, item in members if matches(key, step.name)]
        else:
            candidates = node.member(step.name)
        for item in candidates:
            if step.rest is None:
                found.value = item
                return True
            if self.descend(found, item, step.rest, depth):
                return True
        return False

    def descend(self, found: _Found, node: Result, path: str, depth: int) -> bool:
        """Follow ``path`` into a value; False for values that hold nothing."""
        self.step()
        if node.kind == "object":
            return self.in_object(found, node, path, depth)
        return node.kind == "array" and self.in_list(found, node.entries(), path, depth)

    def in_list(self, found: _Found, entries: Sequence[Result], path: str, depth: int) -> bool:
        """Follow ``path`` into the entries of an array; True when it led to a value."""
        step = ListStep(path)
        if step.pipe is not None:
            found.pipe = step.pipe
        if step.query is not None:
            return self.select(found, entries, step, step.query, depth)
        if step.each is not None:
            each, pipe = split_pipe(step.each)
            if pipe is not None:
                found.pipe = pipe
            hits = [self.get(item, each, depth + 1) for item in entries]
            found.value = array([item for item in hits if item.exists])
            return True
        if step.count:
            found.value = of(len(entries))
            return True
        if step.index is None or step.index >= len(entries):
            return False
        item = entries[step.index]
        if step.rest is None:
            found.value = item
            return True
        return self.descend(found, item, step.rest, depth)

    def select(self, found: _Found, entries: Sequence[Result], step: ListStep, query: Query, depth: int) -> bool:
        """Follow a step into the first entry, or all, for which its query holds."""
        hits: list[Result] = []
        rest = step.rest
        for item in entries:
            self.step()
            if item.kind in ("object", "array"):
                asked = self.get(item, query.path, depth + 1)
            elif query.path:
                continue
            else:
                asked = item
            if not holds(query, asked):
                continue
            if rest is not None:
                rest, pipe = split_pipe(rest)
                if pipe is not None:
                    found.pipe = pipe
                item = self.get(item, rest, depth + 1)
            if not query.all:
                found.value = item
                return True
            if item.exists:
                hits.append(item)
        if query.all and not found.value.exists:
            found.value = array(hits)
        return False


def holds(query: Query, value: Result) -> bool:
    """Return whether a query's comparison holds for the value that its path found."""
    wanted = query.value
    if wanted.startswith("~"):
        test = _TESTS.get(wanted[1:])
        if test is None:
            return False
        wanted = "true"
        value = of(test(value))
    if not value.exists:
        return False
    if not query.op:
        return True
    if value.kind == "string":
        return _compare_texts(query.op, value.string, wanted)
    if value.kind == "number":
        return _compare(query.op, value.number, parse_float(wanted))
    if value.kind in ("true", "false"):
        return _compare_truth(query.op, value.kind == "true", wanted)
    return False


def _compare_texts(op: str, text: str, wanted: str) -> bool:
    if op in ("%", "!%"):
        return matches(text, wanted) is (op == "%")
    return _compare(op, text, wanted)


def _compare(op: str, value: Any, wanted: Any) -> bool:
    if op == "=":
        return bool(value == wanted)
    if op == "!=":
        return bool(value != wanted)
    if op in ("<", "<="):
        return bool(value < wanted) or (op == "<=" and bool(value == wanted))
    if op in (">", ">="):
        return bool(value > wanted) or (op == ">=" and bool(value == wanted))
    return False


def _compare_truth(op: str, value: bool, wanted: str) -> bool:
    own, other = ("true", "false") if value else ("false", "true")
    if op == "=":
        return wanted == own
    if op == "!=":
        return wanted != own
    if op == (">" if value else "<"):
        return wanted == other
    return op == (">=" if value else "<=")


def _is_one_of(value: Result, words: tuple[str, ...]) -> bool:
    return value.kind == "string" and value.string.lower() in words


_TESTS: dict[str, Callable[[Result], bool]] = {
    "*": lambda value: value.exists,
    "null": lambda value: value.kind in ("missing", "null"),
    "true": lambda value: value.truth(),
    "false": lambda value: (
        value.kind in ("missing", "null", "false")
        or (value.kind == "number" and value.number == 0)
        or _is_one_of(value, ("0", "f", "false"))
    ),
}

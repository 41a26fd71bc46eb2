# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a Jet template has that the original cannot read (decisions.md Q30, Q51, Q52)."""

from __future__ import annotations

from ..lang.jet import nodes
from ..lang.jet.errors import JetError
from ..lang.jet.parser import Parser
from .template_meanings import Dot, Fields, Meaning, Wrapped, global_meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable

    from .template_meanings import Note, Variables

_LOOKUP = "the original takes one argument of lookup in Jet, and no default"


def note_jet_differences(text: str, left: str, right: str, note: Note, *, is_scaffold: bool = False) -> None:
    """Call `note` for what the original cannot read in a template, of a scaffold or of `jet()`.

    Empty delimiters are the language's own. A text that is no template has nothing to note.
    """
    try:
        found = Parser(text, "/input", left or "{{", right or "}}", lambda word, path: None).parse()
        _Template(note).statements(found, Dot("NAME") if is_scaffold else Fields())
    except (JetError, RecursionError):
        return


class _Template:
    """Reads one template; what its variables mean is what they were given last, in the order of the text."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._variables: Variables = {}
        self._dot: Meaning | None = None
        self._line = 0

    def statements(self, found: Iterable[nodes.Node] | None, dot: Meaning | None) -> None:
        """Read statements in which `.` means this."""
        outer, self._dot = self._dot, dot
        for node in found or ():
            self._line = node.line or self._line
            self._statement(node, dot)
            self._dot = dot
        self._dot = outer

    def _statement(self, node: nodes.Node, dot: Meaning | None) -> None:
        if isinstance(node, nodes.Action):
            if node.assignment is not None:
                self._meaning(node.assignment)
            self._pipeline(node.pipeline)
        elif isinstance(node, nodes.If):
            for branch in node.branches:
                self._line = branch.line or self._line
                self._all(branch.head.assignment, branch.head.value)
                self.statements(branch.body, dot)
            self.statements(node.otherwise, dot)
        elif isinstance(node, nodes.Range):
            self._range(node, dot)
        elif isinstance(node, nodes.Try):
            self.statements(node.body, dot)
            self.statements(node.catch.body if node.catch else None, dot)
        elif isinstance(node, (nodes.Block, nodes.Yield)):
            self._all(node.context, *(value for _name, value in node.parameters))
            if isinstance(node, nodes.Block):
                self.statements(node.body, None if node.context else dot)
            self.statements(node.content, None)
        elif isinstance(node, nodes.Include):
            self._all(node.name, node.context)
        elif isinstance(node, nodes.Return):
            self._all(node.value)

    def _range(self, node: nodes.Range, dot: Meaning | None) -> None:
        over = self._meaning(node.head.value)
        if isinstance(over, Wrapped):
            over.range(self._say(node.head.value))
        element = over.element() if over is not None else None
        targets = node.head.assignment.targets if node.head.assignment else []
        for at, target in enumerate(targets):
            # The first is the index.
            self._set(target, element if at else None)
        self.statements(node.body, dot if targets else element)
        self.statements(node.otherwise, dot)

    def _pipeline(self, commands: list[nodes.Command]) -> None:
        for at, command in enumerate(commands):
            self._meaning(command.base)
            given = command.arguments
            self._all(*(given.values if given else ()))
            is_piped = at > 0 and not (given and given.has_slot)
            self._check_call(command.base, len(given.values if given else ()) + is_piped)

    def _all(self, *expressions: nodes.Expression | None) -> None:
        for expression in expressions:
            if expression is not None:
                self._meaning(expression)

    def _meaning(self, node: nodes.Expression) -> Meaning | None:
        """Return what an expression means, None for anything, after reading all of it."""
        if isinstance(node, nodes.Field):
            return self._members(self._dot, node.names, node)
        if isinstance(node, nodes.Chain):
            return self._members(self._meaning(node.base), node.names, node)
        if isinstance(node, nodes.Identifier):
            if node.name == ".":
                return self._dot
            known = self._variables
            return known[node.name] if node.name in known else global_meaning(node.name)
        if isinstance(node, nodes.Index):
            return self._index(node)
        if isinstance(node, nodes.Call):
            found = self._meaning(node.base)
            self._all(*node.arguments.values)
            self._check_call(node.base, len(node.arguments.values))
            # Of a method without arguments, like Interface, its result.
            return found if not node.arguments.values else None
        if isinstance(node, nodes.Assignment):
            meanings = [self._meaning(value) for value in node.values]
            for at, target in enumerate(node.targets):
                self._set(target, meanings[at] if at < len(meanings) else None)
            return None
        self._all(*_below(node))
        return None

    def _index(self, node: nodes.Index) -> Meaning | None:
        above = self._meaning(node.base)
        self._meaning(node.index)
        if above is None:
            return None
        key = node.index.value if isinstance(node.index, nodes.Literal) else None
        return above.member(key, self._say(node)) if isinstance(key, str) else above.element()

    def _members(self, found: Meaning | None, names: list[str], node: nodes.Expression) -> Meaning | None:
        for name in names:
            found = found.member(name, self._say(node)) if found is not None else None
        return found

    def _set(self, target: nodes.Expression, meaning: Meaning | None) -> None:
        if isinstance(target, nodes.Identifier):
            self._variables[target.name] = meaning

    def _check_call(self, base: nodes.Expression, count: int) -> None:
        if isinstance(base, nodes.Identifier) and base.name == "lookup" and count > 1:
            self._say(base)(_LOOKUP)

    def _say(self, node: nodes.Expression) -> Callable[[str], None]:
        line, words = self._line, str(node)
        return lambda message: self._note(line, words, message)


def _below(node: nodes.Expression) -> Iterable[nodes.Expression]:
    """Return the operands of an operator."""
    if isinstance(node, nodes.Sequence):
        return [node.first, *(operand for _kind, _symbol, operand in node.rest)]
    if isinstance(node, (nodes.Sign, nodes.Not)):
        return [node.operand]
    if isinstance(node, nodes.Ternary):
        return [node.condition, node.yes, node.no]
    if isinstance(node, nodes.Slice):
        return [part for part in (node.base, node.start, node.end) if part is not None]
    return ()

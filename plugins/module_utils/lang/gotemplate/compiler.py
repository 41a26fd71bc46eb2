# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The nodes of a template compiled into closures."""

from __future__ import annotations

from ..go.fmt import GoFormatError, sorted_keys, sprint
from ..go.kinds import is_true, plain
from ..go.printf import verbose
from ..go.quoting import quote
from ..go.values import Uint8
from .arguments import failing
from .frame import CONTEXT, DEPTH, DOLLAR, FIND, WRITE
from .nodes import Action, Branch, Call, Jump, Text
from .pipelines import Known, Pipelines, then
from .place import Place, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, Sequence

    from .frame import Code, Frame
    from .function import Functions
    from .nodes import Nodes, Pipe

    Finder = Callable[[str], "Body | None"]

#: What a statement gives that leaves or restarts the loop around it; what others give means nothing.
BREAK = object()
CONTINUE = object()

_PLAIN_TRUTH = (bool, str, int, dict, list)


class TooDeep(Exception):
    """Templates called within each other until Python had enough: how many, and where the last one was called."""

    def __init__(self, depth: int, place: Place) -> None:
        super().__init__(depth, place)
        self.depth = depth
        self.place = place


class Body:
    """A template ready to be executed: compiled when it is needed first."""

    def __init__(self, source: Source, nodes: Nodes, functions: Functions) -> None:
        self._source = source
        self._nodes = nodes
        self._functions = functions
        self._code: Code | None = None
        self._variables: list[None] = []

    def execute(self, write: Any, context: Any, depth: int, find: Finder, dot: Any) -> None:
        """Write what the template makes of ``dot``; frame.py says what the others are. Raises TemplateFault."""
        code = self._code
        if code is None:
            compiler = _Compiler(self._source, self._functions)
            code = self._code = compiler.statements(self._nodes)[0]
            self._variables = [None] * (compiler.size - DOLLAR - 1)
        code([write, context, depth, find, dot, *self._variables], dot)


class _Compiler(Pipelines):
    def statements(self, nodes: Nodes) -> tuple[Code, bool]:
        """Return what executes nodes one after the other, and whether ``break`` or ``continue`` may end that."""
        compiled = [self.statement(node) for node in nodes]
        codes = [code for code, _jumps in compiled]
        jumps = any(jumps for _code, jumps in compiled)
        return (_until_jump(codes) if jumps else _sequence(codes)), jumps

    def statement(self, node: Any) -> tuple[Code, bool]:
        if isinstance(node, Text):
            return _text(node.content), False
        if isinstance(node, Action):
            return self.action(node), False
        if isinstance(node, Call):
            return self.template(node), False
        if isinstance(node, Jump):
            jump = BREAK if node.word == "break" else CONTINUE
            return (lambda frame, dot: jump), True
        return self.ranged(node) if node.word == "range" else self.chosen(node)

    def action(self, node: Action) -> Code:
        code = self.pipe(node.pipe)
        if node.pipe.declared:
            return code
        place = Place(self.source, node.pipe)

        def write(frame: Frame, dot: Any) -> None:
            value = code(frame, dot)
            frame[WRITE](value if value.__class__ is str else _shown(value, place))

        return write

    def template(self, node: Call) -> Code:
        self.at = node
        place, name = self.here(), node.name
        code: Code = _nothing if node.pipe is None else self.pipe(node.pipe)

        def call(frame: Frame, dot: Any) -> None:
            find = frame[FIND]
            body = find(name)
            if body is None:
                raise place.fault(f"template {quote(name)} not defined")
            depth = frame[DEPTH] + 1
            try:
                body.execute(frame[WRITE], frame[CONTEXT], depth, find, code(frame, dot))
            except RecursionError:
                raise TooDeep(depth, place) from None

        return call

    # Branches

    def chosen(self, node: Branch) -> tuple[Code, bool]:
        """Return what executes the first arm of ``if`` or ``with`` whose pipeline is true."""
        known = len(self.known)
        arms: list[tuple[Code, Code]] = []
        jumps = False
        origin = self.dot_origin
        for pipe, nodes in node.arms:
            condition = self.pipe(pipe)
            inside = len(self.known)
            self.dot_origin = None if node.word == "with" else origin
            body, leaves = self.statements(nodes)
            self.dot_origin = origin
            del self.known[inside:]
            arms.append((condition, body))
            jumps = jumps or leaves
        otherwise, leaves = self.statements(node.otherwise or [])
        del self.known[known:]
        if node.word == "with":
            return _with(arms, otherwise), jumps or leaves
        return _if(arms, otherwise), jumps or leaves

    def ranged(self, node: Branch) -> tuple[Code, bool]:
        """Return what executes the body of ``range`` for each element, or the nodes below ``else``."""
        known, (pipe, nodes) = len(self.known), node.arms[0]
        elements, holder = self.result(pipe), self.slot()
        place = self.here()
        for variable in pipe.declared if pipe.assigns else ():
            if self.find(variable.names[0]) is None:
                elements = then(elements, failing(place, "undefined variable: " + variable.names[0]))
        slots = self.loop_variables(pipe, holder)
        origin, self.dot_origin = self.dot_origin, holder
        inside = len(self.known)
        body = self.statements(nodes)[0]
        del self.known[inside:]
        self.dot_origin = origin
        otherwise, leaves = self.statements(node.otherwise or [])
        del self.known[known:]
        return _range(elements, holder, slots, body, otherwise, place), leaves

    def loop_variables(self, pipe: Pipe, holder: int) -> list[int]:
        """Return the places of the variables that ``range`` sets: the index's, if there is one, and the element's."""
        found = []
        for variable in pipe.declared:
            known = self.find(variable.names[0]) if pipe.assigns else Known(variable.names[0], self.slot(), holder)
            if known is not None:
                found.append(known)
        for number, known in enumerate(reversed(found)):
            known.origin = None if number else holder
        if not pipe.assigns:
            self.known += found
        return [known.slot for known in found]


def _nothing(frame: Frame, dot: Any) -> None:
    return None


def _text(content: str) -> Code:
    return lambda frame, dot: frame[WRITE](content)


def _shown(value: Any, place: Place) -> str:
    """Return a value as an action prints it."""
    if value is None:
        return "<no value>"
    try:
        return sprint(value)
    except GoFormatError as error:
        raise place.fault(str(error)) from None


def _sequence(codes: Sequence[Code]) -> Code:
    if len(codes) == 1:
        return codes[0]

    def run(frame: Frame, dot: Any) -> None:
        for code in codes:
            code(frame, dot)

    return run


def _until_jump(codes: Sequence[Code]) -> Code:
    def run(frame: Frame, dot: Any) -> Any:
        for code in codes:
            jump = code(frame, dot)
            if jump is BREAK or jump is CONTINUE:
                return jump
        return None

    return run


def _if(arms: Sequence[tuple[Code, Code]], otherwise: Code) -> Code:
    def run(frame: Frame, dot: Any) -> Any:
        for condition, body in arms:
            value = condition(frame, dot)
            if value if value.__class__ in _PLAIN_TRUTH else is_true(value):
                return body(frame, dot)
        return otherwise(frame, dot)

    return run


def _with(arms: Sequence[tuple[Code, Code]], otherwise: Code) -> Code:
    def run(frame: Frame, dot: Any) -> Any:
        for condition, body in arms:
            value = condition(frame, dot)
            if is_true(value):
                return body(frame, value)
        return otherwise(frame, dot)

    return run


def _pairs(value: Any, place: Place, variables: int) -> Iterable[tuple[Any, Any]]:
    """Return what ``range`` goes through: indexes or keys, and elements."""
    if value is None:
        return ()
    if isinstance(value, (list, tuple)):
        return enumerate(value)
    if hasattr(value, "keys"):
        return [(key, value[key]) for key in sorted_keys(value)]
    if isinstance(value, bytes):
        return enumerate(map(Uint8, value))
    kind, number = plain(value)
    if kind not in ("int", "uint"):
        raise place.fault("range can't iterate over " + verbose(value))
    if variables > 1:
        raise place.fault(f"can't use {verbose(value)} to iterate over more than one variable")
    return ((None, value.__class__(each)) for each in range(number))


def _range(elements: Code, holder: int, slots: Sequence[int], body: Code, otherwise: Code, place: Place) -> Code:
    element_slot = slots[-1] if slots else None
    index_slot = slots[0] if len(slots) > 1 else None

    def run(frame: Frame, dot: Any) -> Any:
        frame[holder] = value = elements(frame, dot)
        for slot in slots:
            frame[slot] = value
        empty = True
        for index, element in _pairs(value, place, len(slots)):
            empty = False
            if element_slot is not None:
                frame[element_slot] = element
                if index_slot is not None:
                    frame[index_slot] = index
            if body(frame, element) is BREAK:
                break
        if empty and otherwise(frame, dot) is CONTINUE:
            return CONTINUE
        return None

    return run

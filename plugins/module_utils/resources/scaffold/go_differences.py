# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a Go template of a scaffold has that the original cannot read (decisions.md Q30, Q51)."""

from __future__ import annotations

from ...data.template_meanings import Dot, Fields, Meaning, Wrapped
from ...lang.gotemplate import nodes
from ...lang.gotemplate.errors import TemplateFault
from ...lang.gotemplate.template import parse
from .go_parser import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Sequence

    from ...data.template_meanings import Note, Variables


def note_go_differences(text: str, left: str, right: str, note: Note) -> None:
    """Call `note` for what the original cannot read in a template; what it defines for others is not read.

    Empty delimiters are the language's own. A text that is no template has nothing to note.
    """
    dot = Dot(".NAME.Interface")
    try:
        found = parse(text, "template", Known(), left, right).nodes()
        _Template(text, dot, note).statements(found, dot)
    except (TemplateFault, RecursionError):
        return


class _Template:
    """Reads one template; what its variables mean is what they were given last, in the order of the text."""

    def __init__(self, text: str, dot: Meaning, note: Note) -> None:
        self._text = text
        self._note = note
        self._variables: Variables = {"$": dot}
        self._dot: Meaning | None = dot

    def statements(self, found: Sequence[nodes.Node] | None, dot: Meaning | None) -> None:
        """Read statements in which `.` means this."""
        outer, self._dot = self._dot, dot
        for node in found or ():
            self._dot = dot
            if isinstance(node, nodes.Action):
                self._pipe(node.pipe)
            elif isinstance(node, nodes.Branch):
                self._branch(node, dot)
            elif isinstance(node, nodes.Call) and node.pipe is not None:
                self._pipe(node.pipe)
        self._dot = outer

    def _branch(self, node: nodes.Branch, dot: Meaning | None) -> None:
        for pipe, body in node.arms:
            self._dot = dot
            found = self._pipe(pipe)
            inner = dot if node.word == "if" else found
            if node.word == "range":
                inner = self._element(pipe, found)
            self.statements(body, inner)
        self.statements(node.otherwise, dot)

    def _element(self, pipe: nodes.Pipe, over: Meaning | None) -> Meaning | None:
        if isinstance(over, Wrapped):
            over.range(self._say(pipe))
        element = over.element() if over is not None else None
        for variable in pipe.declared:
            is_last = variable is pipe.declared[-1]
            self._variables[variable.names[0]] = element if is_last else None
        return element

    def _pipe(self, pipe: nodes.Pipe) -> Meaning | None:
        """Return what a pipeline means, None for anything, after reading all of it."""
        found = None
        for command in pipe.commands:
            found = self._command(command)
        if len(pipe.commands) > 1:
            found = None
        for variable in pipe.declared:
            self._variables[variable.names[0]] = found
        return found

    def _command(self, command: nodes.Command) -> Meaning | None:
        meanings = [self._operand(operand) for operand in command.operands]
        first = command.operands[0]
        if isinstance(first, nodes.Identifier) and first.name == "index" and len(meanings) > 1:
            return self._index(command.operands, meanings[1])
        return meanings[0] if len(meanings) == 1 else None

    def _index(self, operands: list[nodes.Node], found: Meaning | None) -> Meaning | None:
        """Return what `index` finds: it looks into a wrapped value."""
        if isinstance(found, Wrapped):
            found = found.inside()
        for operand in operands[2:]:
            if found is None or isinstance(found, Fields):
                return None
            key = operand.value if isinstance(operand, nodes.Constant) else None
            # It takes keys of maps and numbers of lists, and no names of fields.
            found = Meaning((*found.keys, key)) if isinstance(key, str) else found.element()
        return found

    def _operand(self, node: nodes.Node) -> Meaning | None:
        if isinstance(node, nodes.Dot):
            return self._dot
        if isinstance(node, nodes.Field):
            return self._members(self._dot, node.names, node)
        if isinstance(node, nodes.Variable):
            return self._members(self._variables.get(node.names[0]), node.names[1:], node)
        if isinstance(node, nodes.Chain):
            return self._members(self._operand(node.node), node.names, node)
        return self._pipe(node) if isinstance(node, nodes.Pipe) else None

    def _members(self, found: Meaning | None, names: list[str], node: nodes.Node) -> Meaning | None:
        for name in names:
            found = found.member(name, self._say(node)) if found is not None else None
        return found

    def _say(self, node: nodes.Node) -> Callable[[str], None]:
        line = self._text.count("\n", 0, node.at) + 1
        return lambda message: self._note(line, node.text(), message)

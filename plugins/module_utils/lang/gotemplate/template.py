# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Templates of Go's text/template: parse once, render with the data of the moment.

template = parse("{{ range .users }}{{ .name | upper }} {{ end }}", "motd", {"upper": Function(str.upper, "string")})
template.render({"users": [{"name": "ann"}]})
"""

from __future__ import annotations

from .builtins import BUILTINS
from .compiler import Body, TooDeep
from .errors import TemplateFault
from .parser import parse as parse_trees
from .place import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping

    from .function import Function, Functions
    from .nodes import Nodes

LEFT = "{{"
RIGHT = "}}"


class _Known:
    """Functions handed in, and behind them the builtin ones."""

    __slots__ = ("_given",)

    def __init__(self, given: Functions) -> None:
        self._given = given

    def __contains__(self, name: object) -> bool:
        return name in self._given or name in BUILTINS

    def __getitem__(self, name: str) -> Function:
        return self._given[name] if name in self._given else BUILTINS[name]


class Template:
    """A parsed template, with the templates that its text defines."""

    def __init__(self, name: str, text: str, trees: Mapping[str, Nodes], functions: Functions) -> None:
        self.name = name
        self._text = text
        self._trees = trees
        self._functions = functions
        self._bodies: dict[str, Body] = {}

    def nodes(self) -> Nodes:
        """Return the nodes of the text, without the nodes of templates that it defines."""
        return self._trees.get(self.name, [])

    def _body(self, name: str) -> Body | None:
        body = self._bodies.get(name)
        if body is None and name in self._trees:
            source = Source(name, self.name, self._text)
            body = self._bodies[name] = Body(source, self._trees[name], self._functions)
        return body

    def render(self, data: Any, context: Any = None) -> str:
        """Return the text that the template makes of ``data``, its dot (values.py says what values there are).

        ``context`` is handed to functions declared ``with_context``. Raises TemplateFault, also for templates that call
        each other too deeply.
        """
        out: list[str] = []
        body = self._body(self.name)
        try:
            if body is not None:
                body.execute(out.append, context, 0, self._body, data)
        except TooDeep as error:
            raise error.place.fault(f"exceeded maximum template depth ({error.depth})") from None
        except RecursionError:
            raise TemplateFault(f"template: {self.name}: values or calls are nested too deeply") from None
        return "".join(out)


def parse(
    text: str,
    name: str,
    functions: Functions | None = None,
    left: str = LEFT,
    right: str = RIGHT,
) -> Template:
    """Return the template that ``text`` is, to be called ``name`` in messages.

    ``functions`` come beside the builtin ones and before them; ``left`` and ``right`` are the delimiters of actions, ""
    for the usual ones. Raises TemplateFault: ``template: NAME:LINE: REASON``.
    """
    known = BUILTINS if functions is None else _Known(functions)
    return Template(name, text, parse_trees(name, text, known, left or LEFT, right or RIGHT), known)

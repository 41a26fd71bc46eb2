# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Jinja2 as a language of scaffolds, an addition to the original, if the package is installed."""

from __future__ import annotations

import re

from ...data.functions import Functions
from ...host.errors import HostError
from ...lang.expr.errors import ExprFunctionError
from ...model.errors import CCMError, ResourceFailed, TemplateError
from .sandbox import NeedsCopies, new_language, own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from jinja2 import Environment, Template, nodes

    from ...model.environment import ExpressionEnvironment
    from ...model.values import Data, Value
    from .engines import TreeFunctions
    from .sandbox import Copies

# The functions of scaffolds, and their required arguments; `data` may be any value, the others are text.
_PARAMETERS = {"write": ("name", "content"), "render": ("name", "data")}
#: What Jinja2 reads as the end of a line; it gives a line feed for each.
_LINE_END = re.compile("\r\n|\r|\n")
# The exceptions of Python for an operation of a template that a value does not support.
_MISTAKES = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


def _same(text: str) -> str:
    return text


class _TemplateText(str):
    """The text of a template: its lines end only where Jinja2 3 ends lines.

    Releases before 3 take each line end of Unicode for one, such as a form feed, and give a line feed for it.
    """

    __slots__ = ()
    __str__ = _same

    def splitlines(self, keepends: bool = False) -> list[str]:
        """Return the lines, without their ends."""
        lines = _LINE_END.split(self)
        return lines if lines[-1] else lines[:-1]


class JinjaEngine:
    """Templates as in Ansible: nothing is escaped, an undefined value is an error, all line ends are kept.

    A template may change the lists and maps that it sees: then these are copies, made for this template only (Q82).
    """

    def __init__(self, environment: ExpressionEnvironment, left: str, right: str, functions: TreeFunctions) -> None:
        try:
            import jinja2
        except ImportError:
            raise ResourceFailed(
                "the engine jinja2 needs the Python package jinja2, which is not installed on this machine",
                property="engine",
                value="jinja2",
                advice="install python3-jinja2, or with pip jinja2 where ccm is in a virtual environment,"
                " or write the templates for the engine jet or go",
            ) from None
        #: Copies of what the template sees, by the originals; None while it sees the originals.
        self._copies: Copies | None = None
        #: Texts of templates that change something: each is begun twice only once, however often it is rendered.
        self._changing: set[str] = set()
        self._jinja = new_language(left, right, lambda: self._copies is not None)
        self._failures = (jinja2.TemplateError, CCMError, HostError, ExprFunctionError, *_MISTAKES)
        self._jinja.loader = jinja2.FunctionLoader(_no_other)
        for name, call in Functions(environment).named().items():
            self._jinja.globals[name] = self._function(name, call)
        for name, parameters in _PARAMETERS.items():
            self._jinja.globals[name] = _with_parameters(name, parameters, functions[name])
        self._variables: Data = environment.variables()

    def render(self, text: str, name: str, data: Value = None) -> str:
        """Return the result of a template.

        `data` that is a mapping gives its variables, other data is called `data`.
        """
        if not _is_template(self._jinja, text):
            return text
        variables = self._variables
        if data is not None:
            variables = data if isinstance(data, dict) else {"data": data}
        copies_of_caller = self._copies
        try:
            template = self._compiled(text, name)
            if text not in self._changing:
                self._copies = None
                try:
                    return template.render(variables)
                except NeedsCopies:
                    self._changing.add(text)
            copies: Copies = {}
            self._copies = copies
            return template.render(own(variables, copies))
        except self._failures as error:
            line = getattr(error, "lineno", None) or _line(error, name)
            raise TemplateError(f"template {name}{f':{line}' if line else ''}: {error}", value=name) from None
        finally:
            self._copies = copies_of_caller

    def _compiled(self, text: str, name: str) -> Template:
        tree = self._jinja.parse(_TemplateText(text), name, name)
        if "\r" in text:
            _restore_line_ends(tree, text)
        code = self._jinja.compile(tree, name, name)
        return self._jinja.template_class.from_code(self._jinja, code, self._jinja.make_globals(None))

    def _function(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of expressions, which checks its arguments itself, in order and without names."""

        def checked(*given: Any, **named: Any) -> Any:
            if named:
                problem = f"{name} takes its arguments in order, without names like {next(iter(named))}="
                raise ExprFunctionError(problem)
            result = call(*given)
            copies = self._copies
            if copies is None or any(result is value for value in given):
                return result
            return own(result, copies)

        return checked


def _is_template(language: Environment, text: str) -> bool:
    """Return whether a text has the begin of an expression, a block or a comment: any other text stays as it is.

    One with a NUL is a binary file, such as an image, which has the begin of one by chance (Q82).
    """
    if "\0" in text:
        return False
    begins = language.variable_start_string, language.block_start_string, language.comment_start_string
    return any(begin in text for begin in begins)


def _restore_line_ends(tree: nodes.Template, text: str) -> None:
    """Give each line outside of expressions and blocks the end that it has in the text of the template."""
    from jinja2.nodes import TemplateData

    ends = _LINE_END.findall(text)
    for part in tree.find_all(TemplateData):
        lines = part.data.split("\n")
        first = part.lineno - 1
        part.data = "".join(
            line + (ends[min(first + at, len(ends) - 1)] if at < len(lines) - 1 else "")
            for at, line in enumerate(lines)
        )


def _with_parameters(name: str, parameters: tuple[str, ...], call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of scaffolds that reports missing arguments in words."""
    usage = f"{name}({', '.join(parameters)})"

    def checked(*given: Any, **named: Any) -> Any:
        values = {**dict(zip(parameters, given)), **named}
        if len(given) + len(named) != len(parameters) or values.keys() != set(parameters):
            raise ExprFunctionError(f"{name} requires {len(parameters)} arguments: {usage}")
        for parameter in parameters:
            if parameter != "data" and not isinstance(values[parameter], str):
                raise ExprFunctionError(f"{parameter} of {usage} must be text")
        return call(**values)

    return checked


def _no_other(name: str) -> str:
    raise ExprFunctionError(f'include, import and extends find no other templates here: use render("{name}", data)')


def jinja_parser(left: str, right: str) -> Callable[[str, str], str]:
    """Return a function that returns the error in a text with a name, "" for a template or without Jinja2."""
    try:
        import jinja2
    except ImportError:
        return lambda text, name: ""
    language = new_language(left, right)

    def fault(text: str, name: str) -> str:
        if not _is_template(language, text):
            return ""
        try:
            language.parse(text, name)
        except jinja2.TemplateSyntaxError as error:
            return f"template: {name}:{error.lineno}: {error.message}"
        return ""

    return fault


def _line(error: BaseException, name: str) -> int:
    """Return the line of the template at which it failed, 0 when that is unknown."""
    line, step = 0, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == name:
            line = step.tb_lineno
        step = step.tb_next
    return line

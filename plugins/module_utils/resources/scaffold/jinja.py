# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Jinja2 as a language of scaffolds, an addition to the original, if the package is installed."""

from __future__ import annotations

from ...data.functions import Functions
from ...host.errors import HostError
from ...lang.expr.program import ExprFunctionError
from ...model.errors import CCMError, ResourceFailed, TemplateError
from .engines import Engine
from .sandbox import new_language

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from ...model.environment import ExpressionEnvironment
    from ...model.values import Data, Value
    from .engines import TreeFunctions

# The functions of scaffolds, and their required arguments; `data` may be any value, the others are text.
_PARAMETERS = {"write": ("name", "content"), "render": ("name", "data")}
# The exceptions of Python for an operation of a template that a value does not support.
_MISTAKES = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


class JinjaEngine(Engine):
    """Templates as in Ansible: nothing is escaped, an undefined value is an error, last newlines are kept."""

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
        self._jinja = new_language(left, right)
        self._failures = (jinja2.TemplateError, CCMError, HostError, ExprFunctionError, *_MISTAKES)
        self._jinja.loader = jinja2.FunctionLoader(_no_other)
        for name, call in Functions(environment).named().items():
            self._jinja.globals[name] = _without_names(name, call)
        for name, parameters in _PARAMETERS.items():
            self._jinja.globals[name] = _with_parameters(name, parameters, functions[name])
        self._variables: Data = environment.variables()

    def render(self, text: str, name: str, data: Value = None) -> str:
        """Return the result of a template.

        `data` that is a mapping gives its variables, other data is called `data`.
        """
        variables = self._variables
        if data is not None:
            variables = data if isinstance(data, dict) else {"data": data}
        try:
            code = self._jinja.compile(text, name, name)
            template = self._jinja.template_class.from_code(self._jinja, code, self._jinja.make_globals(None))
            return template.render(variables)
        except self._failures as error:
            line = getattr(error, "lineno", None) or _line(error, name)
            raise TemplateError(f"template {name}{f':{line}' if line else ''}: {error}", value=name) from None


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


def _without_names(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of expressions, which checks its arguments itself, in order and without names."""

    def checked(*given: Any, **named: Any) -> Any:
        if named:
            raise ExprFunctionError(f"{name} takes its arguments in order, without names like {next(iter(named))}=")
        return call(*given)

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

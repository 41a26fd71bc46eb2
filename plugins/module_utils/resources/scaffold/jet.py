# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Jet as a language of scaffolds."""

from __future__ import annotations

from ...data.functions import Functions
from ...data.jet import Context, jet_functions
from ...host.errors import HostError
from ...lang.jet.template import JetError, TemplateSet
from ...lang.jet.values import VarMap
from ...model.errors import CCMError, TemplateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...lang.jet.calls import Arguments
    from ...lang.jet.template import Template
    from ...model.environment import ExpressionEnvironment
    from ...model.values import Value
    from .engines import TreeFunctions


class JetEngine:
    """Templates with facts, data and environ as variables; each can find only itself, no other."""

    def __init__(self, environment: ExpressionEnvironment, left: str, right: str, functions: TreeFunctions) -> None:
        named = {**jet_functions(Functions(environment)), **_tree_functions(functions)}
        self._templates = TemplateSet(None, named, left, right)
        self._parsed: dict[tuple[str, str], Template] = {}
        self._variables = Context(environment).variables()

    def render(self, text: str, name: str, data: Value = None) -> str:
        """Return the result of a template; only with the variables themselves as `data` it sees them by their names."""
        dot = self._variables if data is None else data
        try:
            return self._template(text, name).render(dot if isinstance(dot, VarMap) else None, dot)
        except JetError as error:
            raise TemplateError(str(error), value=name) from None

    def _template(self, text: str, name: str) -> Template:
        found = self._parsed.get((name, text))
        if found is None:
            try:
                found = self._parsed[name, text] = self._templates.alone(text, name)
            except JetError as error:
                message = f"parsing template {name} failed: {error}"
                raise TemplateError(message, value=name, advice=error.advice) from None
        return found


def _tree_functions(functions: TreeFunctions) -> dict[str, Callable[[Arguments], Value]]:
    def write(arguments: Arguments) -> Value:
        arguments.require("write", 2, 2)
        return _call("write", functions["write"], arguments.string(0), arguments.string(1))

    def render(arguments: Arguments) -> Value:
        arguments.require("render", 2, 2)
        return _call("render", functions["render"], arguments.string(0), arguments.plain(1))

    return {"write": write, "render": render}


def _call(name: str, call: Callable[..., Value], *given: Value) -> Value:
    try:
        return call(*given)
    except (CCMError, HostError) as error:
        raise JetError(f"{name}: {error}") from None

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Evaluation of expressions: imported with the first one, so that runs without any never load the language."""

from __future__ import annotations

from ..lang.expr.catalogue import BUILTINS
from ..lang.expr.errors import CompileError, ExprError
from ..lang.expr.program import Environment as Declared
from ..lang.expr.program import compile_expression
from ..lang.go.values import Int64, Uint8
from ..lang.near import nearest
from ..model.errors import TemplateError
from .functions import FUNCTIONS, LOOKUP, Functions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..lang.expr.program import Program
    from ..model.environment import ExpressionEnvironment
    from ..model.values import Value

_UNKNOWN = "unknown name "
_VARIABLES = {"Facts": "map", "Data": "map", "Environ": "map[string]string"}
_ALL = Declared(_VARIABLES, FUNCTIONS)
_ONLY_LOOKUP = Declared(_VARIABLES, LOOKUP)


def compiled(expression: str, as_bool: bool = False, *, only_lookup: bool = False) -> Program:
    """Return the program of an expression, for which no environment is needed. Raises CompileError.

    With `as_bool` it must give a boolean, with `only_lookup` it has no function but `lookup`.
    """
    return compile_expression(expression, _ONLY_LOOKUP if only_lookup else _ALL, as_bool)


def advice_for(error: CompileError, expression: str, *, only_lookup: bool = False) -> str:
    """Return what to do about the error of an expression, "" where its text says it; see `compiled`."""
    if error.message == "invalid char escape":
        return r"write \\ for a backslash in quotes, like \\d, or put the text in backquotes: `\d`"
    if expression.lstrip().startswith(("{{", "${")):
        return "write the expression alone, without {{ }} or ${ } around it"
    if error.message.startswith(_UNKNOWN):
        declared = _ONLY_LOOKUP if only_lookup else _ALL
        known = {name.casefold(): name for name in (*BUILTINS, *declared.functions, *declared.variables)}
        near = known.get(nearest(error.message[len(_UNKNOWN) :].casefold(), sorted(known)))
        return f"did you mean {near}?" if near else ""
    return ""


class Evaluator:
    """The language with the variables and functions of one environment."""

    def __init__(self, environment: ExpressionEnvironment, sent: Callable[..., Value]) -> None:
        self._declared = _ONLY_LOOKUP if environment.only_lookup else _ALL
        self._variables = {"Facts": environment.facts, "Data": environment.data, "Environ": environment.environ}
        self._functions = {**Functions(environment).named(), "sent": sent}

    def evaluate(self, expression: str, as_bool: bool) -> Value:
        """See `ExpressionEnvironment.evaluate`."""
        try:
            value = compile_expression(expression, self._declared, as_bool).run(self._variables, self._functions)
        except CompileError as error:
            message = f"expr compile error for '{expression}': {error}"
            advice = advice_for(error, expression, only_lookup=self._declared is _ONLY_LOOKUP)
            raise TemplateError(message, value=expression, advice=advice) from None
        except ExprError as error:
            raise TemplateError(str(error), value=expression) from None
        # Inside an expression an integer has Go's width; outside it is a plain int.
        return int(value) if type(value) in (Int64, Uint8) else value

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Expressions of expr-lang v1.17: compile once, run with the variables and functions of the moment.

environment = Environment({"Facts": "map", "value": "string"}, {"lookup": Function(variadic=True)})
program = compile_expression("upper(Facts.os)", environment)
program.run({"Facts": {"os": "linux"}}, {"lookup": find})
"""

from __future__ import annotations

from ..go.values import type_name
from .checker import Checker
from .compiler import FIRST_SLOT, Compiler
from .errors import CompileError, Failure, RunError, compile_error, run_error
from .kinds import Function, Kind, named
from .optimizer import optimize
from .parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Mapping

#: Compiled expressions kept for one set of declarations.
MAX_PROGRAMS = 1024
#: Sets of declarations with compiled expressions.
MAX_ENVIRONMENTS = 32

_tables: dict[Any, dict[tuple[str, bool], Program]] = {}


class Environment:
    """What expressions may name: variables (name to kind) and functions.

    Kinds: any, bool, int, int64, float, string, list, []string, map, map[string]string, duration, time. A map that is
    missing at run time is nil and empty. ``name`` is the name of the whole environment (``$env``) in messages; a name
    with ``map[`` at its beginning makes ``$env`` a map. Environments that declare the same share compiled expressions:
    one may be made for every evaluation. Raises KeyError for an unknown kind.
    """

    __slots__ = ("functions", "kinds", "name", "programs", "signatures", "variables")

    def __init__(
        self,
        variables: Mapping[str, str],
        functions: Mapping[str, Function] | None = None,
        name: str = "*templates.Env",
    ) -> None:
        self.variables = dict(variables)
        self.functions = dict(functions or {})
        self.name = name
        self.kinds: dict[str, Kind] = {name: named(kind) for name, kind in self.variables.items()}
        self.signatures = {name: function.signature for name, function in self.functions.items()}
        declared = tuple(
            (name, function.call, function.parameters, function.result, function.variadic)
            for name, function in self.functions.items()
        )
        key = (name, tuple(self.variables.items()), declared)
        table = _tables.get(key)
        if table is None:
            if len(_tables) >= MAX_ENVIRONMENTS:
                _tables.clear()
            table = _tables[key] = {}
        self.programs = table


class Program:
    """A compiled expression; ``source`` is its text. It holds no state of a run and may be run from several threads."""

    __slots__ = ("_callables", "_code", "_slots", "as_bool", "source")

    def __init__(
        self, source: str, code: Callable[[list[Any]], Any], slots: int, callables: dict[str, Any], as_bool: bool
    ) -> None:
        self.source = source
        self.as_bool = as_bool
        self._code = code
        self._slots = [None] * slots
        self._callables = callables

    def run(self, variables: dict[str, Any], functions: Mapping[str, Callable[..., Any]] | None = None) -> Any:
        """Return the value of the expression.

        ``variables`` holds the declared variables by name (a missing one is nil), ``functions`` the callables that the
        environment only declared. Raises RunError.
        """
        if functions is None:
            functions = self._callables
        elif self._callables:
            functions = dict(self._callables, **functions)
        try:
            value = self._code([variables, functions, 0, *self._slots])
            if self.as_bool and value is not True:
                return _truth(value)
        except Failure as failure:
            raise run_error(self.source, failure) from failure.__cause__
        except RecursionError:
            raise RunError("expression is nested too deeply") from None
        except MemoryError:
            raise RunError("memory budget exceeded") from None
        return value


def _truth(value: Any) -> bool:
    if value is False or value is None:
        return False
    raise Failure(f"invalid operation: bool({type_name(value)})")


def compile_expression(text: str, environment: Environment, as_bool: bool = False) -> Program:
    """Return the program for ``text``; a hit of the cache costs one look-up.

    ``as_bool``: the result must be a bool, nil counts as false. Raises CompileError.
    """
    key = (text, as_bool)
    program = environment.programs.get(key)
    if program is None:
        program = _compile(text, environment, as_bool)
        programs = environment.programs
        if len(programs) >= MAX_PROGRAMS:
            del programs[next(iter(programs))]
        programs[key] = program
    return program


def _compile(text: str, environment: Environment, as_bool: bool) -> Program:
    kinds, signatures, name = environment.kinds, environment.signatures, environment.name
    try:
        node = parse(text, kinds.keys() | signatures.keys())
        kind = Checker(kinds, signatures, name).check(node)
        if as_bool and kind.sort != "bool" and not kind.unknown:
            raise CompileError("expected bool, but got " + kind.name)
        compiler = Compiler(kinds, signatures, name)
        code = compiler.code(optimize(node))
    except Failure as failure:
        raise compile_error(text, failure) from None
    except RecursionError:
        raise CompileError("expression is nested too deeply") from None
    callables = {name: function.call for name, function in environment.functions.items() if function.call}
    return Program(text, code, compiler.slots - FIRST_SLOT, callables, as_bool)


__all__ = ["Environment", "Function", "Program", "compile_expression"]

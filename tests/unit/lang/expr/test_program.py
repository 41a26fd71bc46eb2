# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Environments, declared functions, the cache of programs, the cost of an import."""

from __future__ import annotations

import subprocess
import sys

import pytest
from ccm.lang.expr import program as programs
from ccm.lang.expr.errors import CompileError, ExprFunctionError, RunError
from ccm.lang.expr.program import Environment, Function, compile_expression
from ccm.lang.go.values import Int64


def fail(*given):
    raise ExprFunctionError("no such key")


ENVIRONMENT = Environment({"Data": "map"}, {"lookup": Function(), "isIP": Function(None, ["string"], "bool")})


def run(text, **functions):
    return compile_expression(text, ENVIRONMENT).run({"Data": {"x": 1}}, functions)


def test_a_function_is_given_at_run_time():
    program = compile_expression("lookup('a', Data.x) + 1", ENVIRONMENT)
    assert program.run({"Data": {"x": 1}}, {"lookup": lambda key, default: default}) == 2
    assert program.run({"Data": {}}, {"lookup": lambda key, default: 41}) == 42


def test_a_function_can_be_declared_with_its_callable():
    environment = Environment({}, {"twice": Function(lambda value: value * 2, ["int"], "int")})
    assert compile_expression("twice(2) + 1", environment).run({}) == 5


def test_a_function_fails_with_its_own_message_and_the_position():
    with pytest.raises(RunError) as caught:
        run("1 + lookup('a')", lookup=fail)
    assert str(caught.value) == "no such key (1:5)\n | 1 + lookup('a')\n | ....^"


def test_a_missing_function():
    with pytest.raises(RunError, match="lookup function not available"):
        run("lookup('a')")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("isIP(1)", "cannot use int as argument (type string) to call isIP "),
        ("isIP()", "not enough arguments to call isIP"),
        ("isIP('a', 'b')", "too many arguments to call isIP"),
        ("isIP('a') + 1", "invalid operation: + (mismatched types bool and int)"),
    ],
)
def test_a_signature_is_checked(text, message):
    with pytest.raises(CompileError) as caught:
        compile_expression(text, ENVIRONMENT)
    assert caught.value.message == message


def test_a_signature_is_checked_at_run_time():
    with pytest.raises(RunError, match=r"interface conversion: interface \{\} is int, not string"):
        run("isIP(Data.x)", isIP=lambda value: True)


def test_an_integer_from_lookup_keeps_its_go_type():
    with pytest.raises(RunError, match=r"invalid operation: int64 \+ string"):
        run("lookup('a') + 'x'", lookup=lambda key: Int64(1))
    assert run("lookup('a') + 1", lookup=lambda key: Int64(1)) == 2


def test_a_declared_name_hides_a_builtin():
    environment = Environment({"len": "int"}, {"upper": Function(lambda text: "mine", ["string"], "string")})
    assert compile_expression("[len, upper('x'), ::upper('x'), 'x' | upper()]", environment).run({"len": 3}) == [
        3,
        "mine",
        "X",
        "mine",
    ]


def test_environments_with_equal_declarations_share_programs():
    one, other = (Environment({"Data": "map"}, {"lookup": Function()}) for _copy in range(2))
    assert compile_expression("Data.x", one) is compile_expression("Data.x", other)
    assert compile_expression("Data.x", one) is not compile_expression("Data.x", one, as_bool=True)
    assert compile_expression("Data.x", one) is not compile_expression("Data.x", Environment({"Data": "any"}))


def test_the_cache_is_bounded():
    environment = Environment({"only_here": "int"})
    for number in range(programs.MAX_PROGRAMS + 10):
        compile_expression(str(number), environment)
    assert len(environment.programs) == programs.MAX_PROGRAMS
    for number in range(programs.MAX_ENVIRONMENTS + 10):
        Environment({f"v{number}": "int"})
    assert len(programs._tables) <= programs.MAX_ENVIRONMENTS


def test_a_map_for_an_environment():
    environment = Environment({"value": "string"}, name="map[string]interface {}")
    assert compile_expression("$env.value + string($env?.nope)", environment).run({"value": "x"}) == "x<nil>"


def test_an_unknown_type():
    with pytest.raises(KeyError):
        Environment({"x": "complex"})


@pytest.mark.starts_processes
def test_only_required_modules_are_imported():
    script = (
        "import sys\n"
        "from ccm.lang.expr.program import Environment, compile_expression\n"
        "compile_expression('1 + 1', Environment({})).run({})\n"
        "print(' '.join(sorted(name for name in sys.modules)))"
    )
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    families = {"strings", "numbers", "lists", "conversions", "sorting", "bits", "dates", "times", "closures", "zones"}
    assert not {f"ccm.lang.expr.{family}" for family in families} & set(loaded)
    assert not {"typing", "json", "datetime", "struct"} & set(loaded) - _loaded_at_start()


def _loaded_at_start():
    listing = subprocess.run(
        [sys.executable, "-c", "import sys; print(' '.join(sys.modules))"], capture_output=True, text=True, check=True
    )
    return set(listing.stdout.split())

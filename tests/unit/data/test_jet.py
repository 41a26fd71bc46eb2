# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""An environment in Jet templates: calls of its functions with a wrong number of arguments, and its context."""

from __future__ import annotations

import pytest
from ccm.data.environment import Environment
from ccm.data.jet import FUNCTION_NAMES, Context, jet_functions
from ccm.lang.jet.errors import JetError
from ccm.lang.jet.template import parse


@pytest.mark.parametrize("name", ["lookup", "file", "template", "registrations", "kvGet"])
def test_the_number_of_arguments(name):
    functions = jet_functions(None)
    with pytest.raises(JetError, match=f"unexpected number of arguments in a call to {name}"):
        parse(f"[[ {name}() ]]", "input", functions, "[[", "]]", None).render({}, {})


def test_the_names_of_the_functions():
    assert set(FUNCTION_NAMES) == set(jet_functions(None))


def test_a_field_accepts_only_its_type():
    with pytest.raises(JetError) as caught:
        parse("{{ .Facts = 1 }}", "input").render({}, Context(Environment({}, {}, {})))
    message = "value of type float64 is not assignable to type map[string]interface {}"
    assert str(caught.value) == f'Jet Runtime Error ("/input":1): {message}'


def of_context(text):
    context = Context(Environment({"b": 1, "a": 2}, {"list": [1.5, None]}, {"HOME": "/root"}, "/srv"))
    return parse(text, "input").render(context.variables(), context)


@pytest.mark.parametrize(
    ("text", "lead", "end"), [("json(.)", "", ""), (". | writeJson", "", "\n"), ('map("x", .) | json', '{"x":', "}")]
)
def test_the_context_as_json(text, lead, end):
    fields = '{"facts":{"a":2,"b":1},"data":{"list":[1.5,null]},"environ":{"HOME":"/root"}}'
    assert of_context("{{ " + text + " }}") == lead + fields + end


def test_the_context_has_the_length_and_dump_of_the_original():
    assert of_context("{{ len(.) }}") == "10"
    assert of_context('{{ dump(".") }}') == (
        '\t.:=&templates.Env{Facts:map[string]interface {}{"a":2, "b":1}, '
        'Data:map[string]interface {}{"list":[]interface {}{1.5, interface {}(nil)}}, '
        'Environ:map[string]string{"HOME":"/root"}, WorkingDir:"/srv", '
        "RegistrationsFunc:(func(string, string, string, string) (interface {}, error))(nil), "
        "KVGetFunc:(func(string, string) (string, error))(nil), DefaultOnMissing:false, RestrictFunctions:false, "
        "envJSON:json.RawMessage(nil), mu:sync.Mutex{_:sync.noCopy{}, mu:sync.Mutex{state:0, sema:0x0}}} "
        "// *templates.Env\n"
    )

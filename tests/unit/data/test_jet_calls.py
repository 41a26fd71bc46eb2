# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of an environment's functions in Jet templates, with too few or too many arguments."""

from __future__ import annotations

import pytest
from ccm.data.environment import Environment
from ccm.data.jet import Context, jet_functions
from ccm.lang.jet.errors import JetError
from ccm.lang.jet.template import parse


@pytest.mark.parametrize("name", ["lookup", "file", "template", "registrations", "kvGet"])
def test_the_number_of_arguments(name):
    functions = jet_functions(None)
    with pytest.raises(JetError, match=f"unexpected number of arguments in a call to {name}"):
        parse(f"[[ {name}() ]]", "input", functions, "[[", "]]", None).render({}, {})


def test_a_field_takes_only_what_it_is_made_for():
    with pytest.raises(JetError) as caught:
        parse("{{ .Facts = 1 }}", "input").render({}, Context(Environment({}, {}, {})))
    said = "value of type float64 is not assignable to type map[string]interface {}"
    assert str(caught.value) == f'Jet Runtime Error ("/input":1): {said}'

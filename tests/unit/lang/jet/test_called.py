# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that templates of Jet call and that do not exist."""

from __future__ import annotations

import pytest
from ccm.lang.jet.template import jet_parser

FAULT = jet_parser("[[", "]]", ("lookup",))


@pytest.mark.parametrize(
    ("text", "line", "name", "meant"),
    [
        ("[[ upcase(data.a) ]]", 1, "upcase", "upper"),
        ("[[ x(1) ]]\n[[ x(1) ]]", 1, "x", ""),
        ("[[ upper(1) ]]\n[[ if true ]]\n[[ 'a' | uper ]][[ end ]]", 3, "uper", "upper"),
        ("[[ upcase: 1 ]]", 1, "upcase", "upper"),
        ("[[ lookup('a') ]]\n\n[[ lookp('a') ]]", 3, "lookp", "lookup"),
        ("[[ range i, x := data.list ]]\n[[ i(x) ]][[ lookp('a') ]][[ end ]]", 2, "lookp", "lookup"),
        ("[[ if 1 + fo(2) > 3 ? true : false ]][[ end ]]", 1, "fo", ""),
        ("[[ if data.a ]][[ else if b(2) ]][[ end ]]", 1, "b", ""),
        ("[[ try ]][[ a(1) ]][[ catch e ]]\n[[ b(e) ]][[ end ]]", 2, "b", ""),
        ("[[ v = uppr(1) ]]", 1, "uppr", "upper"),
        ("[[ block b(a=x(1)) ]][[ end ]]", 1, "x", ""),
        ("[[ include x(1) ]]", 1, "x", ""),
    ],
)
def test_an_unknown_function(text, line, name, meant):
    advice = f', did you mean "{meant}"?' if meant else ""
    assert FAULT(text, "m") == f'template: /m:{line}: function "{name}" not defined{advice}'


@pytest.mark.parametrize(
    "text",
    [
        "[[ len(data.x) | dump ]][[ 'a' | raw ]][[ lookup('a') ]]",
        "[[ f := upper ]][[ f('a') ]]",
        "[[ try ]][[ foo(1) ]][[ end ]]",
        "[[ if isset(foo) ]][[ foo(1) ]][[ end ]]",
        "[[ block b(x=1) ]][[ x(1) ]][[ end ]]",
        "[[ data.f(1) ]] [[ foo ]] [[ .x ]] [[ yield content ]]",
    ],
)
def test_a_template_without_unknown_functions(text):
    assert FAULT(text, "m") == ""

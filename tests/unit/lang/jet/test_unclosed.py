# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Statements of Jet that no end closes."""

from __future__ import annotations

import pytest
from ccm.lang.jet.errors import SyntaxFault
from ccm.lang.jet.template import jet_parser, parse


@pytest.mark.parametrize(
    ("text", "word", "line"),
    [
        ("a\n[[ if .x ]]\nb\n", "if", 2),
        ("a\n[[ if .x ]]\nb[[ else ]]\n", "if", 2),
        ("a\n[[ if .x ]]\nb[[ else if .y ]]\n", "if", 2),
        ("[[ if .x ]]\n[[ range .y ]]\n[[ if .x ]][[ end ]]\n", "range", 2),
        ("[[ range .y ]][[ end ]]\n[[ range .y ]][[ else ]]\n", "range", 2),
        ("\n[[ try ]]\n", "try", 2),
        ("\n[[ try ]]\n[[ catch e ]]\n", "catch", 3),
        ("\n[[ block x() ]]\n", "block", 2),
        ("\n[[ block x() ]]\n[[ content ]]", "block", 2),
        ("\n[[ yield x() content ]]\n", "yield", 2),
    ],
)
def test_the_innermost_open_statement_is_named(text, word, line):
    advice = f"write [[ end ]] for the {word} in line {line}"
    assert jet_parser("[[", "]]", ())(text, "m") == f"template: /m:{line}: unexpected EOF: {advice}"
    with pytest.raises(SyntaxFault, match=r"unexpected EOF$") as refused:
        parse(text, "m", None, "[[", "]]")
    assert refused.value.advice == advice


def test_the_delimiters_are_those_of_the_template():
    with pytest.raises(SyntaxFault) as refused:
        parse("{{ if .x }}", "m")
    assert refused.value.advice == "write {{ end }} for the if in line 1"

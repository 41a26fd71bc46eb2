# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Patterns of file names: the cases of Go's tests, and others."""

from __future__ import annotations

import pytest
from ccm.lang.globs import GlobError, matches

MATCHES = """
abc abc yes | * abc yes | *c abc yes | a* a yes | a* abc yes | a* ab/c no | a*/b abc/b yes | a*/b a/c/b no
a*b*c*d*e* axbxcxdxe yes | a*b?c*x abxbbxdbxebxczzx yes | a*b?c*x abxbbxdbxebxczzy no | ab[c] abc yes
ab[b-d] abc yes | ab[e-g] abc no | ab[^c] abc no | ab[^e-g] abc yes | a\\*b a*b yes | a\\*b ab no | a?b a☺b yes
a[^a]b a☺b yes | a???b a☺b no | [a-é]* ä yes | *[a-é] A no | a?b a/b no | a*b a/b no | [\\]a] ] yes | [\\-] - yes
[x\\-] x yes | [x\\-] z no | [\\-x] a no | *x xxx yes | \\? ? yes | \\? x no
[^] a bad | []a] ] bad | [-] - bad | [x-] x bad | [-x] x bad | [ a bad | [^bc a bad | a[ a bad | a[ ab bad
a\\ b bad | [a- x bad | x[ no bad | [a\\ a bad
"""
CASES = [case.split() for line in MATCHES.strip().splitlines() for case in line.split(" | ")]
CASES += [("", "", "yes"), ("", "a", "no"), ("*", "", "yes"), ("?", "", "no"), ("*" * 40 + "b", "a" * 200, "no")]


@pytest.mark.parametrize(("pattern", "name", "wanted"), CASES)
def test_names_match_as_in_go(pattern, name, wanted):
    if wanted == "bad":
        with pytest.raises(GlobError, match="syntax error in pattern"):
            matches(pattern, name)
    else:
        assert matches(pattern, name) is (wanted == "yes")

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Matching, replacing and splitting as in Go, in linear time."""

from __future__ import annotations

import random
import re
import tracemalloc

import pytest
from ccm.lang.go.regexp import automaton, backward, program
from ccm.lang.go.regexp.program import Regexp, compile_regexp
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bench.growth import HARD_PATTERNS
from tests.bench.regexps import LARGE_PATTERNS, WORDS

NONE = (-1, -1)

FIND_ALL = [
    ("", "ab", [((0, 0),), ((1, 1),), ((2, 2),)]),
    ("a*", "baac", [((0, 0),), ((1, 3),), ((4, 4),)]),
    ("a*?", "aa", [((0, 0),), ((1, 1),), ((2, 2),)]),
    ("a|ab", "ab", [((0, 1),)]),
    ("(a|ab)(c|bcd)", "abcd", [((0, 4), (0, 1), (1, 4))]),
    ("(a+)(b?)|(c)", "aabc", [((0, 3), (0, 2), (2, 3), NONE), ((3, 4), NONE, NONE, (3, 4))]),
    ("(a)*", "aab", [((0, 2), (1, 2)), ((3, 3), NONE)]),
    ("(a*)*", "b", [((0, 0), (0, 0)), ((1, 1), (1, 1))]),
    ("(a*)+", "b", [((0, 0), (0, 0)), ((1, 1), (1, 1))]),
    ("(a|b)??c", "ac", [((0, 2), (0, 1))]),
    ("(a){0}b", "ab", [((1, 2), NONE)]),
    ("a{2,3}", "aaaaaa", [((0, 3),), ((3, 6),)]),
    ("a{2,3}?", "aaaa", [((0, 2),), ((2, 4),)]),
    ("^a", "aa", [((0, 1),)]),
    (r"\Aa|b", "aab", [((0, 1),), ((2, 3),)]),
    ("(?m)^", "a\nb\n", [((0, 0),), ((2, 2),), ((4, 4),)]),
    ("(?m)$", "a\nb", [((1, 1),), ((3, 3),)]),
    ("a$", "a\n", []),
    (r"\bfoo\b", "foo food foo", [((0, 3),), ((9, 12),)]),
    (r"\B", "ab", [((1, 1),)]),
    (r"\B", "", [((0, 0),)]),
    (r"\b", "éa", [((1, 1),), ((2, 2),)]),
    ("é+", "aéé日é", [((1, 3),), ((4, 5),)]),
    ("foo", "foofoo", [((0, 3),), ((3, 6),)]),
    ("x.", "axxxb", [((1, 3),), ((3, 5),)]),
]


@pytest.mark.parametrize(("pattern", "text", "expected"), FIND_ALL)
def test_find_all(pattern: str, text: str, expected: list[object]) -> None:
    found = compile_regexp(pattern)
    assert found.find_all(text) == expected
    assert found.find(text) == (expected[0] if expected else None)
    assert found.search(text) == bool(expected)


def test_find_all_stops_at_n() -> None:
    found = compile_regexp("a").find_all
    assert [len(found("aaa", n)) for n in (-1, 0, 1, 2, 9)] == [3, 0, 1, 2, 3]


def test_find_from_a_position_uses_the_text_before_it() -> None:
    assert compile_regexp(r"\bb").find("ab b", 1) == ((3, 4),)
    assert compile_regexp("^b").find("ab", 1) is None
    assert compile_regexp("(?m)^b").find("a\nb", 2) == ((2, 3),)
    assert compile_regexp("a").find("aXa", 1) == ((2, 3),)


@pytest.mark.parametrize(
    ("pattern", "text", "template", "expected"),
    [
        ("a(x*)b", "-ab-axxb-", "T", "-T-T-"),
        ("a(x*)b", "-ab-axxb-", "$1", "--xx-"),
        ("a(x*)b", "-ab-axxb-", "$1W", "---"),
        ("a(x*)b", "-ab-axxb-", "${1}W", "-W-xxW-"),
        ("(?P<n>a)(b)?", "a", "${n}$2|$9|$$|$", "a||$|$"),
        ("(?P<n>a)", "a", "$n-${n-$é", "a-${n-"),
        ("(a)", "a", "$01 $0 ${0}", " a a"),
        ("(?P<n>a)|(?P<n>b)", "ab", "<$n>", "<a><b>"),
        ("a*", "baac", "x", "xbxcx"),
        ("", "ab", "-", "-a-b-"),
        ("q", "abc", "x", "abc"),
    ],
)
def test_replace_all(pattern: str, text: str, template: str, expected: str) -> None:
    assert compile_regexp(pattern).replace_all(text, template) == expected


def test_replace_all_literally() -> None:
    assert compile_regexp("(a)").replace_all("ba", "$1$$", literal=True) == "b$1$$"


@pytest.mark.parametrize(
    ("pattern", "text", "n", "expected"),
    [
        ("a*", "abaabaccadaaae", 5, ["", "b", "b", "c", "cadaaae"]),
        (",", "a,b,c", -1, ["a", "b", "c"]),
        (",", "a,b,c", 2, ["a", "b,c"]),
        (",", "a,b,c", 1, ["a,b,c"]),
        (",", "a,b,c", 0, []),
        (",", ",a,", -1, ["", "a", ""]),
        (",", "", -1, [""]),
        ("", "", -1, []),
        ("", "abc", -1, ["a", "b", "c"]),
        ("z", "abc", -1, ["abc"]),
    ],
)
def test_split(pattern: str, text: str, n: int, expected: list[str]) -> None:
    assert compile_regexp(pattern).split(text, n) == expected


def _expressions() -> st.SearchStrategy[str]:
    """Generate expressions with the same meaning for Python's `re`: no loops around possibly empty matches."""
    atoms = st.sampled_from(["a", "b", "c", ".", "[ab]", "[^a]", "(?:a|bc)", "(a)", "(b|ab)", r"\w", r"\b", "(a+?)"])
    counts = st.sampled_from(["", "", "", "?", "??", "{2}", "{1,2}?"])
    loops = st.sampled_from(["a*", "b+?", "[ab]+", "(?:ab)*", "(c)+", ".*?"])
    pieces = st.tuples(atoms, counts).map(lambda pair: pair[0] + (pair[1] if pair[0] != r"\b" else "")) | loops
    return st.lists(pieces, min_size=1, max_size=5).map("".join)


@settings(deadline=None, derandomize=True, max_examples=400)
@given(st.lists(_expressions(), min_size=1, max_size=3).map("|".join), st.text(alphabet="abc \n", max_size=12))
def test_results_equal_those_of_re(pattern: str, text: str) -> None:
    expected = re.compile(pattern).search(text)
    found = Regexp(pattern)
    spans = found.find(text)
    assert found.search(text) == (expected is not None)
    if expected is None:
        assert spans is None
    else:
        assert spans == tuple(expected.span(i) for i in range(found.group_count + 1))


@settings(deadline=None, derandomize=True, max_examples=100)
@given(_expressions(), st.text(alphabet="abc \n", max_size=20))
def test_dropped_states_do_not_change_results(pattern: str, text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(automaton, "MAX_BYTES", 1)
        patch.setattr(backward, "_SIZES", (1, 2))
        forgetful = Regexp(pattern).find_all(text)
    assert forgetful == Regexp(pattern).find_all(text)


def work_of(expression: Regexp) -> int:
    """Return how many instructions both automata have looked at."""
    return expression.forward.work + expression.backward.work


@pytest.mark.parametrize(("pattern", "unit"), HARD_PATTERNS)
def test_work_is_linear_in_the_text(pattern: str, unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even without kept states, a character needs at most two evaluations of each instruction."""
    monkeypatch.setattr(automaton, "MAX_BYTES", 0)
    hard = Regexp(pattern)
    text = (unit * 50_000)[:5_000]
    assert not hard.search(text)
    assert hard.forward.work <= 2 * (len(text) + 1) * len(hard.forward.code.ops)


@pytest.mark.parametrize(("pattern", "unit"), HARD_PATTERNS)
def test_states_are_built_once(pattern: str, unit: str) -> None:
    """In a long text of repeated parts, nearly each character uses a known transition."""
    hard = Regexp(pattern)
    text = (unit * 50_000)[:50_000]
    assert not hard.search(text)
    assert hard.find(text) is None
    assert work_of(hard) <= len(text)


@pytest.mark.parametrize("name", sorted(LARGE_PATTERNS))
def test_large_expressions_need_little_work(name: str) -> None:
    """Few instructions for each character, where thousands are possible, and all matches with their groups."""
    pattern, text, count = LARGE_PATTERNS[name]
    large = Regexp(pattern)
    assert large.search(text)
    matches = large.find_all(text)
    assert len(matches) == count
    assert work_of(large) <= 2_000_000


def test_groups_of_large_expressions() -> None:
    pattern, text, _count = LARGE_PATTERNS["(a?){200}a{200}"]
    assert Regexp(pattern).find(text) == ((0, 200), (0, 0))
    pattern, text, _count = LARGE_PATTERNS["500 groups"]
    for match in Regexp(pattern).find_all(text):
        start, end = match[0]
        taken = [number for number, span in enumerate(match) if span != NONE]
        assert taken == [0, int(text[start + 1 : end - 1]) + 1]
        assert match[taken[1]] == (start, end)


def test_long_matches_are_read_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a match has more states than are kept, its groups are found in parts whose states are made again."""
    text = "".join(random.Random(1).choices("ab", k=3_000)) + "c"
    pattern = "([ab]{12})a([ab]*)(c)"
    expected = Regexp(pattern).find(text)
    assert expected == tuple(re.compile(pattern).search(text).span(number) for number in range(4))
    monkeypatch.setattr(automaton, "MAX_BYTES", 100_000)
    small = Regexp(pattern)
    assert small.find(text) == expected
    assert small.backward.forgotten > 2


MEMORY = [
    # Each character is a class of its own; nearly each place of the text has a state of its own, in both directions.
    ("[^x]*y|.z", "".join(map(chr, range(0x100, 0xD000))) * 3),
    ("(a|b)*a(a|b){20}c", "".join(random.Random(2).choices("ab", k=20_000))),
    ("([ab]{20})a(?:a|b)*(c)", "".join(random.Random(3).choices("ab", k=20_000)) + "c"),
    ("|".join(f"({word})" for word in WORDS), " ".join(WORDS)),
]


@pytest.mark.parametrize(("pattern", "text"), MEMORY, ids=["characters", "forward", "backward", "words"])
def test_memory_for_states_is_bounded(pattern: str, text: str) -> None:
    """The states of an expression take at most 10 MiB, however long texts are (Q109)."""
    wide = Regexp(pattern)
    wide.search("")
    _made = wide.backward
    tracemalloc.start()
    try:
        match = wide.find(text)
        while match is not None:
            match = wide.find(text, match[0][1])
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10 * 1024 * 1024
    assert wide.forward.forgotten + wide.backward.forgotten


def test_programs_are_cached_and_the_cache_is_bounded() -> None:
    assert compile_regexp("cached") is compile_regexp("cached")
    for i in range(2 * program.MAX_CACHED):
        compile_regexp(f"pattern{i}")
    assert len(program._cache) <= program.MAX_CACHED

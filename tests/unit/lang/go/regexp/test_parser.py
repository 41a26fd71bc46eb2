# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Parsing of regular expressions: Go's error messages, character classes, flags, limits."""

# ruff: noqa: RUF001 - look-alike letters are what is tested

from __future__ import annotations

import pytest
from ccm.lang.go.regexp import errors
from ccm.lang.go.regexp.errors import RegexpError
from ccm.lang.go.regexp.program import compile_regexp, quote_meta
from hypothesis import given, settings
from hypothesis import strategies as st

ERRORS = [
    ("[a", errors.MISSING_BRACKET, "[a"),
    ("x[^", errors.MISSING_BRACKET, "[^"),
    ("[[:alpha:]", errors.MISSING_BRACKET, "[[:alpha:]"),
    ("[z-a]", errors.INVALID_CLASS_RANGE, "z-a"),
    ("[a-\\d]", errors.INVALID_ESCAPE, "\\d"),
    ("[[:foo:]]", errors.INVALID_CLASS_RANGE, "[:foo:]"),
    ("\\p{Foo}", errors.INVALID_CLASS_RANGE, "\\p{Foo}"),
    ("\\p{Greek", errors.INVALID_CLASS_RANGE, "\\p{Greek"),
    ("\\pX", errors.INVALID_CLASS_RANGE, "\\pX"),
    ("\\p", errors.INVALID_CLASS_RANGE, "\\p"),
    ("(a", errors.MISSING_PAREN, "(a"),
    ("a)b", errors.UNEXPECTED_PAREN, "a)b"),
    ("\\", errors.TRAILING_BACKSLASH, ""),
    ("a\\8b", errors.INVALID_ESCAPE, "\\8"),
    ("\\q", errors.INVALID_ESCAPE, "\\q"),
    ("\\1", errors.INVALID_ESCAPE, "\\1"),
    ("\\Z", errors.INVALID_ESCAPE, "\\Z"),
    ("\\C", errors.INVALID_ESCAPE, "\\C"),
    ("\\x1", errors.INVALID_ESCAPE, "\\x1"),
    ("\\xg", errors.INVALID_ESCAPE, "\\xg"),
    ("\\x{}", errors.INVALID_ESCAPE, "\\x{}"),
    ("\\x{110000}", errors.INVALID_ESCAPE, "\\x{110000"),
    ("*a", errors.MISSING_REPEAT_ARGUMENT, "*"),
    ("a|+?", errors.MISSING_REPEAT_ARGUMENT, "+?"),
    ("({2}", errors.MISSING_REPEAT_ARGUMENT, "{2}"),
    ("a**", errors.INVALID_REPEAT_OPERATOR, "**"),
    ("a{2}{3}?", errors.INVALID_REPEAT_OPERATOR, "{2}{3}?"),
    ("a{1001}", errors.INVALID_REPEAT_COUNT, "{1001}"),
    ("a{3,2}", errors.INVALID_REPEAT_COUNT, "{3,2}"),
    ("a{99999999999999999999}", errors.INVALID_REPEAT_COUNT, "{99999999999999999999}"),
    ("((a{100}){11})", errors.INVALID_REPEAT_COUNT, "{11}"),
    ("(?P<n", errors.INVALID_NAMED_CAPTURE, "(?P<n"),
    ("(?<a-b>c)", errors.INVALID_NAMED_CAPTURE, "(?<a-b>"),
    ("(?P=n)", errors.INVALID_PERL_SYNTAX, "(?P"),
    ("(?=a)", errors.INVALID_PERL_SYNTAX, "(?="),
    ("(?<=a)", errors.INVALID_NAMED_CAPTURE, "(?<=a)"),
    ("(?i", errors.INVALID_PERL_SYNTAX, "(?i"),
    ("(?i-)", errors.INVALID_PERL_SYNTAX, "(?i-)"),
    ("a\udcffb", errors.INVALID_UTF8, "\udcffb"),
]


@pytest.mark.parametrize(("pattern", "code", "expression"), ERRORS, ids=[ascii(row[0]) for row in ERRORS])
def test_error(pattern: str, code: str, expression: str) -> None:
    with pytest.raises(RegexpError) as caught:
        compile_regexp(pattern)
    assert (caught.value.code, caught.value.expression) == (code, expression)


def test_error_text_is_that_of_go() -> None:
    with pytest.raises(RegexpError) as caught:
        compile_regexp("[a")
    assert str(caught.value) == "error parsing regexp: missing closing ]: `[a`"


# pattern: characters that match, characters that do not match
MEMBERS = [
    (r"\d", "09", "a٣"),
    (r"\D", "aé\n", "5"),
    (r"\s", "\t\n\f\r ", "\v\xa0a"),
    (r"\w", "aZ_7", "é-"),
    (r"(?i)\w", "ſK", "é"),
    (r"[[:space:]]", "\v ", "a"),
    (r"[[:^alpha:]]", "1é", "aZ"),
    (r"[[:word:]-]", "_a-", "+"),
    (r"[]a]", "]a", "["),
    (r"[^]a]", "b\n", "]a"),
    (r"[a-]", "a-", "b"),
    (r"[\]\-\\]", "]-\\", "a"),
    (r"[\x41-\x{44}]", "AD", "E"),
    (r"\101", "A", "1"),
    (r".", "aé日", "\n"),
    (r"(?s).", "\n", ""),
    (r"[^\x00-\x{10FFFF}]", "", "a\n"),
    (r"\pL", "aé日", "1 "),
    (r"\PL", "1 ", "aé"),
    (r"\p{Lu}", "AÉ", "aé"),
    (r"(?i)\p{Lu}", "Aa", "1"),
    (r"\p{^Lu}", "a1", "A"),
    (r"[\pN_]", "5٣_", "a"),
    (r"\p{Any}", "a\n", ""),
    (r"\p{ASCII}", "a~", "é"),
    (r"\p{Assigned}", "aé", "\u0378"),
    (r"\p{Letter}", "aé", "1"),
    (r"\p{lowercase_letter}", "a", "A"),
    (r"\p{Latin}", "aé", "αя"),
    (r"\p{Greek}", "αΩ", "aя"),
    (r"\p{greek}", "α", "a"),
    (r"\p{Cyrillic}", "яЖ", "aα"),
    (r"\p{Armenian}", "Աա", "a"),
    (r"\p{Hebrew}", "א", "a"),
    (r"\p{Arabic}", "ع", "א"),
    (r"\p{Devanagari}", "क", "a"),
    (r"\p{Thai}", "ก", "a"),
    (r"\p{Georgian}", "ა", "a"),
    (r"\p{Hangul}", "한", "日"),
    (r"\p{Hiragana}", "あ", "ア"),
    (r"\p{Katakana}", "ア", "あ"),
    (r"\p{Han}", "日𠀀", "あ"),
    (r"\p{Yi}", "ꀀ", "a"),
    (r"\p{Old_Italic}", "𐌀", "a"),
    (r"(?i)k", "kK\u212a", "j"),
    (r"(?i)σ", "σςΣ", "s"),
    (r"(?i)[à-ç]", "ÀÇå\u212b", "a"),
    (r"(?i)ß", "ßẞ", "s"),
    (r"(?i)ı", "ı", "iI"),
    (r"(?i)[^k]", "j", "kK\u212a"),
]


@pytest.mark.parametrize(("pattern", "members", "others"), MEMBERS, ids=[ascii(row[0]) for row in MEMBERS])
def test_character_class(pattern: str, members: str, others: str) -> None:
    program = compile_regexp(rf"\A(?:{pattern})\z")
    assert [char for char in members if not program.search(char)] == []
    assert [char for char in others if program.search(char)] == []


@pytest.mark.parametrize(
    ("pattern", "text", "span"),
    [
        ("a{,2}", "a{,2}", (0, 5)),
        ("a{02}", "a{02}", (0, 5)),
        ("a{", "a{", (0, 2)),
        ("a{1,1000}", "aaa", (0, 3)),
        (r"\Qa.b\E+", "a.bb", (0, 4)),
        (r"\Q[", "[", (0, 1)),
        ("(?i)a(?-i)b", "Ab", (0, 2)),
        ("(?i:a)b", "AbB", (0, 2)),
        ("((?i)a)B", "AB", (0, 2)),
        ("(?U)a+", "aaa", (0, 1)),
        ("(?U)a+?", "aaa", (0, 3)),
        ("(?m)^b$", "a\nb\nc", (2, 3)),
        ("(?sm-i:^b.)", "a\nb\nc", (2, 4)),
    ],
)
def test_syntax(pattern: str, text: str, span: tuple[int, int]) -> None:
    found = compile_regexp(pattern).find(text)
    assert found is not None
    assert found[0] == span


def test_groups_are_counted_and_named() -> None:
    program = compile_regexp("(?P<one>a)(b)(?<three>c)(?:d){0}")
    assert program.group_count == 3
    assert program.group_names == ("", "one", "", "three")


def test_nesting_is_limited_as_in_go() -> None:
    assert compile_regexp("(" * 999 + "a" + ")" * 999).search("a")
    for deep in ("(" * 1000 + "a" + ")" * 1000, "(?:" * 5000 + "a" + ")*" * 5000):
        with pytest.raises(RegexpError) as caught:
            compile_regexp(deep)
        assert caught.value.code == errors.NESTS_TOO_DEEPLY


@pytest.mark.parametrize("pattern", [f"(?:{'ab' * 500}){{200}}", "a" * 100_001], ids=["repeated", "long"])
def test_size_is_limited(pattern: str) -> None:
    with pytest.raises(RegexpError) as caught:
        compile_regexp(pattern)
    assert caught.value.code == errors.TOO_LARGE


def test_memory_for_sets_is_limited() -> None:
    with pytest.raises(RegexpError) as caught:
        compile_regexp("".join(rf"[\pL{chr(0x2000 + i)}]" for i in range(2000)))
    assert caught.value.code == errors.TOO_LARGE


@settings(deadline=None, derandomize=True)
@given(st.text(alphabet=st.sampled_from("ab01,-^$.|?*+()[]{}\\<>:PQEdpLxisUé\n"), max_size=30))
def test_any_text_compiles_or_is_a_regexp_error(pattern: str) -> None:
    try:
        program = compile_regexp(pattern)
    except RegexpError as problem:
        assert problem.expression in pattern
    else:
        program.find_all("ab01\n")


@settings(deadline=None, derandomize=True)
@given(st.text())
def test_quoted_text_matches_itself(text: str) -> None:
    found = compile_regexp(quote_meta(text)).find(text)
    assert found is not None
    assert found == ((0, len(text)),)


def test_quote_meta() -> None:
    assert quote_meta("a.b[c]-é{}^$|?*+()\\") == "a\\.b\\[c\\]-é\\{\\}\\^\\$\\|\\?\\*\\+\\(\\)\\\\"

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import shlex

import pytest
from ccm.lang import shellwords
from ccm.lang.shellquotes import quote
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" \t\n", []),
        ("echo hello\\ world", ["echo", "hello world"]),
        ("a 'b c' \"d \\$e \\x\"", ["a", "b c", "d $e \\x"]),
        ("a\"\"b ''", ["ab", ""]),
        ("a\\\nb", ["ab"]),
        ("\\\n", []),
        ('"a\\\nb"', ["ab"]),
        ("echo $HOME * #x ; |", ["echo", "$HOME", "*", "#x", ";", "|"]),
        ("a\rb\u00a0c", ["a\rb\u00a0c"]),
    ],
)
def test_split(text: str, words: list[str]) -> None:
    assert shellwords.split(text) == words


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\\", "Unterminated backslash-escape"),
        ("a 'b", "Unterminated single-quoted string"),
        ('a "b', "Unterminated double-quoted string"),
        ('a "b\\', "Unterminated double-quoted string"),
    ],
)
def test_errors_of_split(text: str, message: str) -> None:
    with pytest.raises(shellwords.ShellWordsError) as caught:
        shellwords.split(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("word", "quoted"), [("", "''"), ("a/b-c.d", "a/b-c.d"), ("it's", "'it'\\''s'"), ("a\n", "'a\n'"), ("é", "'é'")]
)
def test_quote(word: str, quoted: str) -> None:
    assert quote(word) == quoted


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_quoted_text_is_split_back(words: list[str]) -> None:
    text = " ".join(map(quote, words))
    assert shellwords.split(text) == words == shlex.split(text)

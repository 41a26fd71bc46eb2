# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The known word that is nearest to another word: the results of difflib, without a comparison of all names."""

from __future__ import annotations

import difflib
import random

import pytest
from ccm.lang.near import NearestNames, nearest

WORDS = ["owner", "group", "mode", "content", "contents", "ensure", "health_checks", "require", "a", ""]


@pytest.mark.parametrize("cutoff", [0.5, 0.6, 0.7, 0.9])
def test_the_result_is_that_of_difflib(cutoff):
    drawn = random.Random(3)
    for _round in range(2000):
        word = list(drawn.choice(WORDS))
        for _change in range(drawn.randrange(4)):
            word.insert(drawn.randrange(len(word) + 1), drawn.choice("aoen_"))
            del word[drawn.randrange(len(word))]
        word = "".join(word)
        wanted = difflib.get_close_matches(word, WORDS, 1, cutoff)
        assert nearest(word, WORDS, cutoff) == (wanted[0] if wanted else ""), word


def test_a_result_is_cached(monkeypatch):
    assert nearest("onwer", WORDS) == "owner"
    monkeypatch.setattr(difflib, "get_close_matches", None)
    assert nearest("onwer", WORDS) == "owner"


def test_cached_results_are_bounded(monkeypatch):
    monkeypatch.setattr("ccm.lang.near._answers", answers := {})
    monkeypatch.setattr("ccm.lang.near._MOST", 5)
    for number in range(12):
        nearest(f"owner{number}", WORDS)
        assert len(answers) <= 5


def names(*texts):
    known = NearestNames()
    for text in texts:
        known.add(text)
    return known


@pytest.mark.parametrize(
    "slip",
    [
        "file#/etc/service/f0421.cnf",
        "file#/etc/service/f0421.conff",
        "file#/etc/servise/f0421.conf",
        "file#/etc/service/f04x1.conf",
        "file#/etc/service/0421.conf",
        "file#/etc/srv/f0421.conf",
        "ile#/etc/service/f0421.conf",
    ],
)
def test_one_typing_error_among_many_similar_names(slip):
    known = names("file#/etc/service/f0421.conf", "file#/etc/service/g0421.cnf2")
    for number in range(1000, 1400):
        known.add(f"file#/etc/service/f{number}.conf")
    assert known.find(slip) == "file#/etc/service/f0421.conf"


def test_no_name_is_near():
    assert names().find("file#/x") == ""
    assert names("exec#reload").find("package#zsh") == ""
    assert names("").find("") == ""

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tools that compare results find differences."""

from __future__ import annotations

import configparser
import json
import math

import pytest

from tests.conformance import compare, vectors
from tests.tools import messages
from tests.tools.pip_conf import pip_conf

from .sizes import excess


@pytest.mark.parametrize(
    ("want", "got"),
    [
        (1, 1),
        (2.0, 2.0),
        ([1, [2.5, None]], [1, [2.5, None]]),
        ({"$map": [[1, "a"], [None, "b"]]}, {"$map": [[None, "b"], [1, "a"]]}),
        ({"any": True, "has": ["no", "candidate"]}, "there is no installation candidate"),
        ({"errors": {"any": True, "has": ["down"]}}, {"errors": ["a", "is down"]}),
    ],
)
def test_equal_values(want, got):
    assert compare.same(want, got)


@pytest.mark.parametrize(
    ("want", "got"),
    [
        (1, 1.0),
        (1, True),
        (0, None),
        (0.0, -0.0),
        ("1", 1),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ({"a": 1}, {"a": 1, "b": None}),
        ({"$map": [[1, "a"]]}, {"1": "a"}),
        ({"any": True, "has": ["candidate"]}, "nothing"),
        ({"any": True, "has": []}, None),
    ],
)
def test_different_values(want, got):
    assert not compare.same(want, got)


def test_order_matters_unless_the_vector_disables_it():
    want, got = {"value": ["a", "b"], "kind": "list"}, {"value": ["b", "a"], "kind": "list"}
    assert not compare.same(want, got)
    assert compare.same(want, got, unordered=True)
    assert not compare.same(want, {"value": ["a", "a"], "kind": "list"}, unordered=True)


def test_values_are_written_like_in_the_recordings():
    value = [math.inf, -math.inf, math.nan, b"hi", {1: "a"}, {"k": (1, 2.0)}, "h\udcc3"]
    wanted = [{"$float": "+Inf"}, {"$float": "-Inf"}, {"$float": "NaN"}, {"$bytes": "aGk="}]
    wanted += [{"$map": [[1, "a"]]}, {"k": [1, 2.0]}, "h\ufffd"]
    assert compare.encode(value) == wanted
    with pytest.raises(TypeError):
        compare.encode(object())


def test_kinds():
    names = {"int64": "integer", "uint8": "integer", "float64": "float", "[]interface {}": "list", "nil": "nil"}
    names |= {"map[string]string": "map", "time.Duration": "duration", "time.Month": "integer", "string": "string"}
    assert {name: compare.kind(name) for name in names} == names


@pytest.mark.parametrize(
    ("vector", "text", "right"),
    [
        ({"error": "bad (1:2)\n | x\n | ^", "error_exact": True}, "bad (1:2)\n | other", True),
        ({"error": "bad (1:2)\n | x\n | ^", "error_exact": True}, "bad (1:3)\n | x\n | ^", False),
        ({"error": "recorded", "error_exact": False}, "ours", True),
        ({"error": "recorded", "error_exact": False, "error_has": ["name"]}, "ours", False),
        ({"error": {"any": True, "has": ["x"]}, "error_exact": False}, "y", False),
        ({"want": 1}, "an error", False),
    ],
)
def test_errors(vector, text, right):
    found = compare.verdict({"input": {}, **vector}, refused=text)
    assert (found is None) == right


def test_a_value_in_place_of_an_error_fails():
    assert compare.verdict({"input": {}, "error": "bad", "error_exact": False}, got="fine")


def write_vectors(tmp_path, *lines):
    text = "".join(json.dumps(line) + "\n" for line in ({"_doc": "about"}, *lines))
    (tmp_path / "shellwords.jsonl").write_text(text, encoding="utf-8")
    return str(tmp_path)


def test_the_runner_counts_and_fails(tmp_path, capsys):
    right = {"id": "s.1", "input": {"command": "a b"}, "want": ["a", "b"]}
    wrong = {"id": "s.2", "input": {"command": "a b"}, "want": ["a b"]}
    assert vectors.main([write_vectors(tmp_path, right)]) == 0
    assert capsys.readouterr().out == "shellwords: 1 passed, 0 failed\n"
    assert vectors.main([write_vectors(tmp_path, right, wrong)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("shellwords: 1 passed, 1 failed\n  s.2\n")
    assert '["a b"]' in out


def test_an_unknown_kind_fails(tmp_path, capsys):
    (tmp_path / "unheard.jsonl").write_text('{"id": "u.1", "input": {}, "want": 1}\n', encoding="utf-8")
    assert vectors.main([str(tmp_path)]) == 1
    assert "unheard: cannot be asked" in capsys.readouterr().out


def test_the_temporary_directory_has_the_length_of_the_recorded_one(tmp_path):
    world = vectors.World(tmp_path)
    world.close()
    assert len(world.scratch) == len(vectors.RECORDED_DIR)
    assert world.there(world.here({"a": ["/srv/ccm-test/x"]})) == {"a": ["/srv/ccm-test/x"]}


def test_pip_uses_the_settings_of_the_machine():
    listing = ":env:.timeout='5'\nglobal.timeout='60'\nglobal.find-links='a\\nb'\ninstall.no-deps='true'\n"
    parsed = configparser.ConfigParser()
    parsed.read_string(pip_conf(listing))
    assert parsed["global"]["timeout"] == "5"
    assert parsed["global"]["find-links"] == "a\nb"
    assert parsed["install"]["no-deps"] == "true"


def messages_in(text):
    """Return the messages that are found in a module with the statement `text` in the function `say`."""
    survey = messages.Survey.__new__(messages.Survey)
    survey.read([messages.Source(messages.PLUGINS / "module_utils/x.py", text)])
    return [message.template for message in survey.messages()]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("def f(path):\n    raise ValueError(f'cannot read {path}: {path.name}')", ["cannot read {path}: {name}"]),
        ("def f(a):\n    raise ValueError('not ' + ('one' if a else 'two'))", ["not one", "not two"]),
        ("def f(a):\n    why = 'too large' if a else ''\n    raise ValueError(why)", ["too large"]),
        ("class E(Exception): pass\ndef f(): raise E('no luck')", ["no luck"]),
        (
            "class E(Exception):\n    def __init__(self, op): super().__init__(f'{op}: refused')\nraise E('open')",
            ["open: refused"],
        ),
        ("def g(a) -> ValueError:\n    return ValueError(f'bad {a}')\nraise g('luck')", ["bad {a}", "bad luck"]),
        ("def g(log, a): log.warn(f'mind {a}')\ng(1, 'the gap')", ["mind {a}", "mind the gap"]),
        ("f(advice='try again')", ["try again"]),
        ("Step('a', 'Would have run', 'Run')", ["Would have run"]),
        ("print('nothing that a log says')", []),
    ],
)
def test_messages_are_read_from_the_source(text, wanted):
    assert messages_in(text) == wanted


def test_the_keys_of_maps_are_no_messages():
    text = "class A:\n  def get(self, key):\n    raise ValueError(key)\n"
    text += "  def b(self, c):\n    c.get('no')\n    self.get('yes')"
    assert "yes" in messages_in(text)
    assert "no" not in messages_in(text)


def test_a_message_without_a_test_is_reported(tmp_path, monkeypatch, capsys):
    survey = messages.Survey.__new__(messages.Survey)
    text = "raise ValueError('too big')\nraise ValueError('too small')"
    survey.read([messages.Source(messages.PLUGINS / "module_utils/x.py", text)])
    monkeypatch.setattr(messages, "Survey", lambda: survey)
    monkeypatch.setattr(messages.os, "geteuid", lambda: 0)
    monkeypatch.setattr(messages, "may_mount", lambda: True)
    met = [tmp_path / "unit", tmp_path / "vectors"]
    met[0].write_text("x: too big\n", encoding="utf-8")
    met[1].write_text("", encoding="utf-8")
    assert messages.main(met) == 1
    place, said = "plugins/module_utils/x.py:2", "no unit test or vector provokes this message, add one that does"
    assert capsys.readouterr().out == f"{place}: {said}: too small\n2 messages, 1 of them provoked\n"
    met[1].write_text("x: too small\n", encoding="utf-8")
    assert messages.main(met) == 0


def test_sizes_have_room_above_their_budgets():
    budgets = {"exec": 1000, "file": 1000, "": 500}
    assert excess({"exec": 1100, "file": 1}, budgets, "SHIPPED") == []
    assert excess({"exec": 1101, "web": 551}, budgets, "SHIPPED") == [
        "exec has 1,101 bytes, more than 10% above its budget of 1,000: import less, or raise it in SHIPPED in"
        " tests/unit/sizes.py, with the reason in the commit",
        "web has 551 bytes, more than 10% above its budget of 500: import less, or raise it in SHIPPED in"
        " tests/unit/sizes.py, with the reason in the commit",
    ]

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm hiera facts` and `ccm hiera parse`."""

from __future__ import annotations

import json

import pytest
import yaml


@pytest.fixture
def data(tmp_path):
    (tmp_path / "d.yaml").write_text(
        "hierarchy: {order: ['env:{{ Facts.env }}']}\n"
        "data: {b: 1, a: {y: [1, x], x: 2.5}, t: 'é <x>', n: null}\n"
        "overrides: {'env:prod': {b: 2}}\n"
    )


def test_facts_of_hierarchies(ccm, tmp_path, monkeypatch):
    (tmp_path / "f.yaml").write_text("a: file\nb: file\nhost: {info: x}\n")
    monkeypatch.setenv("FROM_ENV", "a=b=c")
    facts = json.loads(ccm("hiera", "facts", "a=1", "--facts", "f.yaml", "-E").out)
    assert (facts["a"], facts["b"], facts["host"], facts["FROM_ENV"]) == ("1", "file", {"info": "x"}, "a=b=c")
    assert ccm("hiera", "facts", "--query", "a", "a=x:y").out == "x:y\n"
    assert ccm("hiera", "facts", "--query", "none").out == "\n"


@pytest.mark.parametrize("name", ["parse", "resolve"])
def test_hierarchy_data_as_json(ccm, data, name):
    ran = ccm("hiera", name, "d.yaml", "env=prod")
    assert ran.out == (
        '{\n  "a": {\n    "x": 2.5,\n    "y": [\n      1,\n      "x"\n    ]\n  },\n  "b": 2,\n  "n": null,\n'
        '  "t": "é \\u003cx\\u003e"\n}\n'
    )


def test_hierarchy_data_in_other_formats(ccm, data, tmp_path, monkeypatch):
    (tmp_path / "o.json").write_text('{"a": {"y": [9]}, "b": 7}')
    words = ("hiera", "parse", "d.yaml")
    assert yaml.safe_load(ccm(*words, "--yaml").out)["a"] == {"x": 2.5, "y": [1, "x"]}
    assert ccm(*words, "--env").out == 'HIERA_A={"x":2.5,"y":[1,"x"]}\nHIERA_B=1\nHIERA_N=null\nHIERA_T=é <x>\n'
    assert ccm(*words, "--env", "--env-prefix", "X", "--query", "a.y").out == 'X_VALUE=[1,"x"]\n'
    assert ccm(*words, "--query", "a.x").out == "2.5\n"
    assert ccm(*words, "--query", "none").out == "null\n"
    over = json.loads(ccm(*words, "--data-file", "o.json", "-D", "b=x").out)
    assert (over["a"]["y"], over["b"]) == ([1, "x", 9], "x")
    monkeypatch.setenv("HIERA_INPUT", "d.yaml")
    assert json.loads(ccm("hiera", "parse").out)["b"] == 1


def test_hierarchies_that_cannot_be_resolved(ccm, tmp_path):
    (tmp_path / "bad.yaml").write_text("hierarchy: []\n")
    assert "required argument 'input' not provided" in ccm("hiera", "parse").err
    for source, text in (("none.yaml", "file not found"), ("bad.yaml", "hierarchy section is required")):
        ran = ccm("hiera", "parse", source)
        assert ran.status == 1
        assert ran.err.startswith("ccm: error: ")
        assert text in ran.err

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands that only look: status, facts and hiera."""

from __future__ import annotations

import json

import pytest
import yaml
from ccm.cli import facts


@pytest.fixture
def data(tmp_path):
    (tmp_path / "d.yaml").write_text(
        "hierarchy: {order: ['env:{{ Facts.env }}']}\n"
        "data: {b: 1, a: {y: [1, x], x: 2.5}, t: 'é <x>', n: null}\n"
        "overrides: {'env:prod': {b: 2}}\n"
    )


def test_status_of_a_file(ccm, tmp_path, me):
    (tmp_path / "a").write_text("x\n")
    (tmp_path / "a").chmod(0o600)
    wanted = {
        "name": str(tmp_path / "a"),
        "owner": me[0],
        "group": me[1],
        "mode": "0600",
        "provider": "posix",
        "size": 2,
    }
    shown = json.loads(ccm("status", "file", "a", "--json").out)
    assert wanted.items() <= shown.items()
    assert {**yaml.safe_load(ccm("info", "file", tmp_path / "a").out), "mtime": ""} == {**shown, "mtime": ""}
    assert json.loads(ccm("status", "file", "none", "--json").out)["mode"] == ""


def test_status_of_what_has_none(ccm):
    for type in ("exec", "archive"):
        ran = ccm("status", type, "x")
        assert (ran.status, ran.err) == (0, "")
        assert ran.out.startswith("Status for 'exec' and 'archive' resources is not supported yet due to them ")
    for type in ("apply", "scaffold"):
        ran = ccm("status", type, "x")
        assert (ran.status, ran.err) == (1, f"ccm: error: could not get status: unsupported resource type {type}\n")
    assert ccm("status", "user", "x").err == (
        "ccm: error: enum value must be one of apply,archive,exec,file,package,scaffold,service, got 'user'\n"
    )


def test_facts_are_shown_in_order(ccm):
    facts = json.loads(ccm("facts").out)
    assert list(facts) == ["cpu", "host", "memory", "network", "partition"]
    assert list(facts["host"]["info"])[:3] == ["hostname", "uptime", "bootTime"]
    assert list(yaml.safe_load(ccm("facts", "--yaml").out)) == list(facts)


def test_facts_by_path(ccm):
    assert ccm("facts", "host.info.os").out == '"linux"\n'
    assert ccm("facts", "host.info.os", "--yaml").out == "linux\n\n"
    assert json.loads(ccm("facts", "host.info|@keys").out)[0] == "hostname"
    for path in ("!nonsense", "@pretty:" + "[" * 100_000, "host|" * 100_000 + "@keys"):
        ran = ccm("facts", path)
        assert ran.status == 0 or ran.err.startswith("ccm: error: ")
    ran = ccm("facts", '!{"a"')
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith('ccm: error: query !{"a" has no result: Expecting ')
    ran = ccm("facts", "no.such")
    assert (ran.status, ran.out, ran.err) == (1, "", "ccm: error: no fact matches no.such\n")


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


def test_hierarchy_data_otherwise(ccm, data, tmp_path, monkeypatch):
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


def test_all_facts_in_yaml_have_no_fractions_of_nothing(ccm, monkeypatch):
    monkeypatch.setattr(facts, "facts_of_machine", lambda log: lambda: {"load": 1.5, "used": [0.0, {"x": 2.0}]})
    assert ccm("facts", "--yaml").out == "load: 1.5\nused:\n- 0\n- x: 2\n\n"
    assert ccm("facts", "--yaml", "used").out == "- 0\n- x: 2\n\n"

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm facts`."""

from __future__ import annotations

import json

import yaml
from ccm.cli import facts


def test_facts_are_sorted(ccm):
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


def test_whole_floats_in_yaml_have_no_fraction(ccm, monkeypatch):
    monkeypatch.setattr(facts, "facts_of_machine", lambda log: lambda: {"load": 1.5, "used": [0.0, {"x": 2.0}]})
    assert ccm("facts", "--yaml").out == "load: 1.5\nused:\n- 0\n- x: 2\n\n"
    assert ccm("facts", "--yaml", "used").out == "- 0\n- x: 2\n\n"

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys

import pytest
from ccm.host.facts import fields
from ccm.host.facts.system import Facts, system_facts

from tests.unit.layout import ROOT

VECTORS = str(ROOT / "tests/conformance/vectors/facts.json")


class Gatherers:
    """Two fact families that count how often they are gathered."""

    def __init__(self):
        self.calls = []

    def facts(self):
        return Facts.gathered_by({"host": self.host, "cpu": self.cpu})

    def host(self):
        self.calls.append("host")
        return {"info": fields.HostInfo(hostname="web1", os="linux", platformFamily="debian")}

    def cpu(self):
        self.calls.append("cpu")
        return {"info": [fields.Processor(cpu=0, modelName="X", flags=["fpu"])]}


@pytest.fixture
def gatherers():
    return Gatherers()


WHOLE = {
    "host": {"info": {"hostname": "web1", "os": "linux", "platformFamily": "debian"}},
    "cpu": {"info": [{"cpu": 0, "modelName": "X", "flags": ["fpu"]}]},
}


@pytest.mark.parametrize(
    "look",
    [
        len,
        list,
        bool,
        lambda facts: "host" in facts,
        lambda facts: facts.keys(),
        lambda facts: facts.get("none"),
        lambda facts: facts.copy(),
        copy.copy,
        lambda facts: facts.plain(),
        lambda facts: Facts(facts, {"host": {}}, lambda below, above: below),
        lambda facts: facts.clear(),
    ],
)
def test_accesses_that_gather_no_family(gatherers, look):
    look(gatherers.facts())
    assert gatherers.calls == []


@pytest.mark.parametrize(
    "look",
    [
        lambda facts: facts["host"],
        lambda facts: facts.get("host"),
        lambda facts: facts.setdefault("host", 1),
        lambda facts: facts.pop("host"),
        lambda facts: facts.copy()["host"],
        lambda facts: facts.plain()["host"],
        lambda facts: Facts(facts, {"role": "web"})["host"],
        lambda facts: Facts({}, facts)["host"],
    ],
)
def test_accesses_that_gather_their_family_once(gatherers, look):
    facts = gatherers.facts()
    assert look(facts) == WHOLE["host"]
    facts.get("host")
    assert gatherers.calls == ["host"]


@pytest.mark.parametrize(
    "whole",
    [
        dict,
        lambda facts: {**facts},
        lambda facts: dict(facts.items()),
        lambda facts: dict(zip(facts, facts.values(), strict=True)),
        lambda facts: json.loads(json.dumps(facts)),
        lambda facts: json.loads(json.dumps(facts, indent=2)),
        copy.deepcopy,
        lambda facts: pickle.loads(pickle.dumps(facts)),
        lambda facts: dict(facts.copy()),
        lambda facts: facts | {},
        lambda facts: {} | facts,
        lambda facts: facts.plain(),
        lambda facts: eval(repr(facts)),
    ],
)
def test_accesses_that_gather_all_families(gatherers, whole):
    assert whole(gatherers.facts()) == WHOLE
    assert gatherers.calls == ["host", "cpu"]


def test_equality_gathers_both_sides(gatherers):
    assert gatherers.facts() == gatherers.facts()
    assert gatherers.facts() != {"host": {}}
    assert dict(WHOLE) == gatherers.facts()


def test_a_missing_key(gatherers):
    with pytest.raises(KeyError):
        gatherers.facts()["nope"]
    with pytest.raises(KeyError):
        gatherers.facts().pop("nope")


def test_changes_are_kept(gatherers):
    facts = gatherers.facts()
    facts["host"] = 1
    facts.update({"role": "web"}, x=2)
    del facts["x"]
    assert (facts["host"], facts["role"]) == (1, "web")
    assert facts.pop("host") == 1
    assert facts.popitem() == ("role", "web")
    assert list(facts) == ["cpu"]
    facts.clear()
    assert facts == {}


def test_an_overlay_is_merged_when_it_is_accessed(gatherers):
    merged = []

    def merge(below, above):
        merged.append(above)
        return {**below, **above}

    facts = Facts(gatherers.facts(), {"role": "web", "host": {"site": "x"}}, merge)
    assert list(facts) == ["host", "cpu", "role"]
    assert facts["role"] == "web"
    assert gatherers.calls == merged == []
    assert facts["host"] == {**WHOLE["host"], "site": "x"}
    assert facts["host"]["site"] == "x"
    assert gatherers.calls == ["host"]
    assert merged == [{"site": "x"}]


def test_an_overlay_without_merging_replaces(gatherers):
    facts = Facts(gatherers.facts(), {"host": 1})
    assert facts["host"] == 1
    assert gatherers.calls == []


def test_facts_over_facts_over_facts(gatherers):
    def merge(below, above):
        return {**below, **above}

    facts = Facts(Facts(gatherers.facts(), {"host": {"a": 1}}, merge), Facts({"host": {"b": 2}, "z": 3}), merge)
    assert facts == {**WHOLE, "host": {**WHOLE["host"], "a": 1, "b": 2}, "z": 3}
    assert gatherers.calls == ["host", "cpu"]


def test_field_names_select_values(gatherers):
    info = gatherers.facts()["host"]["info"]
    assert info["OS"] == info.get("OS") == info["os"] == "linux"
    assert info["PlatformFamily"] == "debian"
    assert "OS" in info
    assert "Os" not in info
    assert "HostID" not in info
    assert info.get("HostID", "x") == "x"
    for absent in ("HostID", "Os", "nope"):
        with pytest.raises(KeyError, match=absent):
            info[absent]


def test_field_names_are_not_listed(gatherers):
    info = gatherers.facts()["host"]["info"]
    assert list(info) == ["hostname", "os", "platformFamily"]
    assert json.dumps(info) == '{"hostname": "web1", "os": "linux", "platformFamily": "debian"}'
    assert info == WHOLE["host"]["info"]
    assert len(info) == 3


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda info: info.copy(), lambda info: pickle.loads(pickle.dumps(info))]
)
def test_field_names_exist_in_copies(gatherers, copied):
    assert copied(gatherers.facts()["host"]["info"])["OS"] == "linux"


def test_a_given_key_overrides_a_field_name(gatherers):
    info = gatherers.facts()["host"]["info"]
    info["OS"] = "mine"
    assert (info["OS"], info["os"]) == ("mine", "linux")


def test_the_plain_form_has_only_json_names(gatherers):
    plain = gatherers.facts().plain()
    assert plain["host"]["info"].__class__ is dict
    assert plain["cpu"]["info"][0].__class__ is dict
    assert "OS" not in plain["host"]["info"]
    assert plain == WHOLE


STRUCTS = {
    "host.info": fields.HostInfo,
    "network.interfaces[]": fields.Interface,
    "network.interfaces[].addrs[]": fields.InterfaceAddress,
    "partition.partitions[]": fields.Partition,
    "partition.usage[]": fields.Usage,
    "cpu.info[]": fields.Processor,
    "memory.virtual": fields.VirtualMemory,
    "memory.swap.info": fields.SwapMemory,
    "memory.swap.devices[]": fields.SwapDevice,
}


@pytest.fixture(scope="module")
def recorded():
    with open(VECTORS, encoding="utf-8") as file:
        return json.load(file)


def test_the_recorded_field_names(recorded):
    want = {
        path: [(field["go_field"], field["json"]) for field in struct["fields"]]
        for path, struct in recorded["go_types"].items()
    }
    assert {path: list(struct.GO_NAMES.items()) for path, struct in STRUCTS.items()} == want


def shape_errors(value, shape, path):
    """Return the paths where a value has other keys, another order of keys, or another type than the recorded one."""
    if isinstance(shape, dict):
        if not isinstance(value, dict) or list(value) != list(shape):
            yield f"{path}: {value!r}"
            return
        for key in shape:
            yield from shape_errors(value[key], shape[key], f"{path}.{key}")
    elif isinstance(shape, list):
        if value is not None and not isinstance(value, list):
            yield f"{path}: {value!r}"
        for entry in value or ():
            yield from shape_errors(entry, shape[0], path + "[]")
    else:
        kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "null": (type(None), list)}
        percentage = path.endswith("Percent") and isinstance(value, float)
        if not (percentage or isinstance(value, kinds[shape])):
            yield f"{path}: {value!r} is no {shape}"


def test_this_host_has_the_recorded_structure(recorded):
    facts = system_facts()
    assert list(facts) == ["cpu", "host", "memory", "network", "partition"]
    assert list(shape_errors(facts, recorded["json_shape"], "")) == []
    assert facts["host"]["info"]["OS"] == "linux"
    assert facts["memory"]["virtual"]["total"] > 0
    assert facts["host"]["info"]["procs"] > 0
    assert any(interface["Name"] == "lo" for interface in facts["network"]["interfaces"])
    json.dumps(facts)


def test_a_host_without_proc_sys_and_etc(monkeypatch, tmp_path):
    for tree in ("PROC", "SYS", "ETC", "DEV", "ROOT"):
        monkeypatch.setenv("HOST_" + tree, str(tmp_path / "nothing"))
    facts = dict(system_facts())
    assert facts["cpu"] == {"info": None}
    assert facts["memory"]["virtual"] is None
    assert facts["partition"] == {"partitions": [], "usage": []}
    assert facts["host"]["info"]["platform"] == ""


@pytest.mark.starts_processes
def test_gathering_imports_no_large_module():
    code = (
        "import sys; before = set(sys.modules); from ccm.host.facts.system import system_facts; dict(system_facts());"
        "print(*sorted((set(sys.modules) - before) & {'ctypes', 'subprocess', 'platform', 'socket', 'typing', 'enum'}))"
    )
    run = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, text=True)
    assert run.stdout.strip() == ""

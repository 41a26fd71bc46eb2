# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import copy

import pytest
from ccm.data.merge import deep_merge, merge_values, shallow_merge
from ccm.host.facts.fields import HostInfo
from ccm.host.facts.system import Facts
from hypothesis import given
from hypothesis import strategies as st

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=3)
KEYS = st.sampled_from("abc")
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner), max_leaves=8)
MAPS = st.dictionaries(KEYS, VALUES)


@pytest.mark.parametrize(
    ("base", "over", "merged"),
    [
        ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        ({"a": 1}, {"a": None}, {"a": None}),
        ({"a": {"x": 1, "y": 1}}, {"a": {"y": 2}}, {"a": {"x": 1, "y": 2}}),
        ({"a": [1, 2]}, {"a": [2, 3]}, {"a": [1, 2, 2, 3]}),
        ({"a": [1]}, {"a": 1}, {"a": 1}),
        ({"a": {"x": 1}}, {"a": [1]}, {"a": [1]}),
        ({"a": 1}, {"a": {"x": 1}}, {"a": {"x": 1}}),
    ],
)
def test_deep_merge(base, over, merged):
    assert deep_merge(base, over) == merged


def test_keys_of_the_base_keep_their_position():
    assert list(deep_merge({"z": 1, "a": 1}, {"b": 1, "a": 2, "z": 2})) == ["z", "a", "b"]


def test_shallow_merge_replaces_whole_keys():
    assert shallow_merge({"a": {"x": 1}, "b": 1}, {"a": {"y": 1}}) == {"a": {"y": 1}, "b": 1}


@given(MAPS, MAPS)
def test_merging_does_not_change_its_arguments(base, over):
    before = copy.deepcopy((base, over))
    deep_merge(base, over)
    shallow_merge(base, over)
    assert (base, over) == before


@given(MAPS)
def test_merging_with_an_empty_mapping_changes_nothing(data):
    assert deep_merge(data, {}) == data
    assert deep_merge({}, data) == data


@given(MAPS, MAPS)
def test_every_key_is_kept_and_scalars_of_the_second_override(base, over):
    merged = deep_merge(base, over)
    assert merged.keys() == base.keys() | over.keys()
    for key, value in over.items():
        if not isinstance(value, (dict, list)):
            assert merged[key] == value


def test_facts_keep_their_field_names_and_are_not_gathered():
    looked = []
    gathered = Facts.gathered_by(
        {"host": lambda: {"info": HostInfo(os="linux", hostname="here")}, "cpu": lambda: looked.append("cpu")}
    )
    merged = deep_merge(gathered, {"host": {"info": {"hostname": "there"}}})
    info = merged["host"]["info"]
    assert (info["OS"], info["Hostname"], dict(info)) == ("linux", "there", {"os": "linux", "hostname": "there"})
    assert looked == []


def test_a_given_key_with_the_name_of_a_go_field_is_separate():
    assert dict(merge_values(HostInfo(os="linux"), {"OS": "mine"})) == {"os": "linux", "OS": "mine"}

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resources of types of other packages mean the same in groups as without."""

from __future__ import annotations

import pytest
from ccm.testing import RecordedLog
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.resources.site import Site

from .slot_type import SlotProvider
from .slots import run

NAMES = "abcdef"


@pytest.fixture(scope="module", autouse=True)
def _package(tmp_path_factory):
    """Install the type in this module's tests."""
    site = Site(tmp_path_factory.mktemp("package"), None)
    site.add("ccm-slot", {"slot": "tests.unit.manifest.slot_type:TYPE"})
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(site.directory))
        yield


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """The directory of the slots."""
    return tmp_path_factory.mktemp("slots")


def both(directory, resources, **more):
    """Return what is seen with groups, which must be what is seen without them, in both orders."""
    order = {"order": "graph"}
    grouped = run(directory, resources, **more)
    batches = list(SlotProvider.batches)
    assert run(directory, resources, engine={"autogroup": False}, **more) == grouped
    in_graph = run(directory, resources, engine=order, **more)
    in_graph_batches = list(SlotProvider.batches)
    assert run(directory, resources, engine={**order, "autogroup": False}, **more) == in_graph
    assert in_graph == grouped
    return grouped, batches, in_graph_batches


def test_members_of_a_group_have_resolved_values(directory):
    late = {"content": "{{ Data.word }}", "colour": "${ Data.red }"}
    resources = [(f"{directory}/{at}", {**late, "words": ["a"] * at}) for at in (1, 2)]
    ((first, files), (second, _files)), batches, in_graph = both(directory, resources)
    assert files == {"1": "hello red a", "2": "hello red a a"}
    assert batches == in_graph == [2]
    event, differences = first[f"{directory}/2"]
    assert (event["changed"], event["error"], event["properties"]["content"]) == (True, [], "hello")
    assert [shown["before"] for shown in differences] == [""]
    assert [event["changed"] for event, _differences in second.values()] == [False, False]


#: What a resource says of another one before it, which is at OTHER.
OF_EARLIER = [
    {"content": "{{ sent('slot#OTHER').content }}"},
    {"content": "got {{ sent('slot#' + 'OTHER').content }}"},
    {"content": "{{ sent('slot#OTHER').nothing }}"},
    {"require": ["slot#OTHER"]},
    {"subscribe": ["slot#OTHER"]},
    {"content": "{{ file('OTHER') }}"},
]
OF_LATER = [{"before": ["slot#OTHER"]}, {"notify": ["slot#OTHER"]}]
METAS = [
    {"timeout": "50s"},
    {"retry": 1},
    {"noop": True},
    {"sema": ["x:1"]},
    {"poll": "10s"},
    {"autogroup": False},
    {"autoedge": False},
    {"limit": "5/m"},
]
CONTROLS = [{"if": "Data.word == 'hello'"}, {"if": "false"}, {"unless": "true"}, {"if": "Data.word + 1"}]
CONTENTS = [
    *["plain"] * 5,
    "other",
    "refused",
    "lost",
    "impossible",
    "{{ Data.word }}",
    "x ${ Data.word }",
    "{{ Data.missing }}",
    "{{ lookup('data.missing') }}",
    "{{ lookup('data.word') | upper() }}",
    "{{ Data.empty }}",
    "{{ Data.dash }}",
    "{{ upper( }}",
]


def with_other(value, other):
    """Return a value with the name of another resource in it."""
    if isinstance(value, dict):
        return {key: with_other(entry, other) for key, entry in value.items()}
    if isinstance(value, list):
        return [with_other(entry, other) for entry in value]
    return value.replace("OTHER", other) if isinstance(value, str) else value


@pytest.mark.parametrize("content", ["plain", "refused", "lost", "impossible", "{{ Data.missing }}"])
@pytest.mark.parametrize(
    "second",
    [
        *OF_EARLIER,
        *({"control": each} for each in CONTROLS),
        *({"meta": each} for each in METAS),
        {"content": "refused", "meta": {"retry": 1}},
        {"content": "stuck", "meta": {"retry": 1}},
        {"content": "derived"},
        {"content": "unsplit"},
        {"content": "broken"},
        {"content": "unsure"},
    ],
    ids=str,
)
def test_what_a_member_says_means_the_same_in_a_group(directory, second, content):
    first, last = f"{directory}/a", f"{directory}/c"
    middle = {"content": "plain", **with_other(second, first)}
    resources = [(first, {"content": content}), (f"{directory}/b", middle), (last, {"content": "plain"})]
    for found in ({}, {"b": "plain"}, {"a": "old", "c": "plain"}):
        both(directory, resources, found=found)


@pytest.mark.parametrize("content", ["plain", "refused"])
@pytest.mark.parametrize("meta", OF_LATER, ids=str)
def test_what_a_member_says_of_a_later_one_means_the_same(directory, meta, content):
    resources = [(f"{directory}/{name}", {"content": "plain"}) for name in "abc"]
    resources[0] = (resources[0][0], {"content": content, "meta": with_other(meta, resources[1][0])})
    for found in ({}, {"b": "plain"}, {"c": "plain"}):
        both(directory, resources, found=found)


@pytest.mark.parametrize("content", ["plain", "refused", "{{ Data.word }}"])
@pytest.mark.parametrize("said", [{"meta": {"reverse": True}}, {"subscribe": ["slot#OTHER"]}], ids=str)
def test_state_between_runs_is_the_same(directory, said, content):
    first, reverse = f"{directory}/a", {"meta": {"reverse": True}}
    middle = {"content": content, **with_other(said, first)}
    resources = [(first, {"content": content, **reverse}), (f"{directory}/b", middle), (f"{directory}/c", middle)]
    for found in ({}, {"b": "old", "c": "hello"}):
        (*_runs, (_events, undone)), batches, _in_graph = both(directory, resources, found=found, keeps=True)
        assert batches or "subscribe" in said
        if "meta" in said:
            assert undone == found


@pytest.mark.parametrize("content", ["broken", "told"])
def test_the_log_of_a_batch_that_fails_has_no_secret(directory, content):
    resources = [(f"{directory}/{name}", {"content": content, "token": "canary-5d"}) for name in "ab"]
    log = RecordedLog()
    _first, (_second, files) = run(directory, resources, log=log)
    assert files == {"a": content, "b": content}
    (failed,) = (dict(fields) for _level, message, fields in log.lines if message.startswith("Batch failed"))
    beginning = "act_on_batch of the provider shelf of the package ccm-slot 1.0.0 raised KeyError in line "
    assert failed["reason"].startswith({"broken": beginning, "told": "not with REDACTED"}[content])
    assert "canary" not in failed["reason"]


@st.composite
def resources_of(draw, directory):
    """Make a list of resources: their names and properties."""
    made = []
    names = [f"{directory}/{name}" for name in NAMES[: draw(st.integers(2, len(NAMES)))]]
    rarely = st.sampled_from([False, False, False, True])
    for at, name in enumerate(names):
        given = {"content": draw(st.sampled_from(CONTENTS)), "ensure": "present"}
        if draw(rarely):
            given["ensure"] = "absent"
        if draw(rarely):
            given["colour"] = draw(st.sampled_from(["red", "{{ Data.red }}", "{{ Data.green }}"]))
        if draw(rarely):
            given["words"] = draw(st.sampled_from([["a"], ["{{ Data.word }}"], ["b", "{{ Data.upper }}"]]))
        if draw(rarely):
            given["control"] = draw(st.sampled_from(CONTROLS))
        meta = draw(st.sampled_from(METAS)) if draw(rarely) else {}
        if at and draw(rarely):
            other, properties = draw(st.sampled_from(made))
            # What reads a file comes before what removes it in graph order.
            usable = OF_EARLIER if properties["ensure"] == "present" else OF_EARLIER[:-1]
            given.update(with_other(draw(st.sampled_from(usable)), other))
        if name != names[-1] and draw(rarely):
            meta = {**meta, **with_other(draw(st.sampled_from(OF_LATER)), draw(st.sampled_from(names[at + 1 :])))}
        made.append((name, {**given, **({"meta": meta} if meta else {})}))
    return made


@given(data=st.data(), found=st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["plain", "hello", "old"])))
def test_random_manifests_mean_the_same_in_groups(directory, data, found):
    both(directory, data.draw(resources_of(directory)), found=found)

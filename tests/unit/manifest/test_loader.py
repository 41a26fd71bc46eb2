# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Loading a manifest: its data, manifests that it applies, and what is refused before anything runs."""

from __future__ import annotations

import time

import pytest
from ccm.manifest.loader import ChildDocuments, Inputs
from ccm.manifest.reader import read_manifest
from ccm.model.errors import CCMError, TemplateError

from tests.patience import wait_until

#: A file whose last change was longer ago than that many ns is read once.
SETTLED = 20_000_000


DATA = [
    # (data of the parent, data of the resource, data of the child, data that the child uses)
    ("{a: 1}", None, "{a: 2, b: 3}", "map[a:1 b:3]"),
    ("{a: 1}", "{a: 4}", "{a: 2, b: 3}", "map[a:4 b:3]"),
    ("{a: 1}", "{}", "{a: 2}", "map[a:2]"),
    ("{a: 1}", "{c: '${ Data.a }'}", "{a: 2}", "map[a:2 c:1]"),
    ("{l: [1]}", None, "{l: [2]}", "map[l:[2 1]]"),
    ("{}", None, "{a: 2}", "map[a:2]"),
]


@pytest.mark.starts_processes
@pytest.mark.parametrize(("parents", "given", "own", "wanted"), DATA)
def test_data_is_either_given_or_inherited(run, parents, given, own, wanted):
    properties = f"{{data: {given}}}" if given else "{}"
    run.has("m.yaml", [f"- apply: [{{child.yaml: {properties}}}]"], data=parents)
    run.has("child.yaml", ["- exec: [{see: {command: \"test '{{ Data }}' = '" + wanted + "'\"}}]"], data=own)
    assert not run.apply()["exec#see"].failed


@pytest.mark.starts_processes
def test_data_that_a_child_requires_can_come_from_its_parent(run):
    run.has("m.yaml", ["- apply: [{child.yaml: {data: {port: 1}}}]", "- apply: [{again.yaml: {data: {}}}]"])
    for name in ("child.yaml", "again.yaml"):
        run.has(name, [run.touches(name[:1])], data='\n  port: "" # @require')
    run.apply()
    assert not run.events["apply#child.yaml"].failed
    assert run.events["apply#again.yaml"].errors == ['key "port" is required but has no value']


@pytest.mark.starts_processes
def test_a_child_that_the_run_changes_is_read_again(run):
    run.has("m.yaml", ["- apply: [{child.yaml: {}}]", "- exec: [{cp new.yaml child.yaml: {cwd: HERE}}]"])
    text = (run.directory / "m.yaml").read_text().replace("HERE", str(run.directory))
    (run.directory / "m.yaml").write_text(f"{text}    - apply: [{{child.yaml: {{}}}}]\n")
    run.has("child.yaml", [run.touches("a")])
    run.has("new.yaml", [run.touches("b")])
    wait_until(lambda: time.time_ns() - (run.directory / "child.yaml").stat().st_ctime_ns > SETTLED)
    run.apply()
    assert run.existing_files() == ["a", "b"]


@pytest.mark.parametrize(
    ("resources", "message", "advice"),
    [
        ("[{fle: {name: /x}}]", "invalid manifest resource 1: invalid resource: unknown resource type fle", "file?"),
        ("[{zzzzz: {}}]", "invalid manifest resource 1: invalid resource: unknown resource type zzzzz", "types: apply"),
        ("[a]", "invalid manifest resource 1: must be a mapping from a type to its resources", ""),
        ("[{}]", "jsonschema validation failed: at '/ccm/resources/0': names no type", "types: apply, archive"),
        ("[]", "manifest must contain resources", ""),
        ("[{exec: {name: ls}}, {exec: {name: ''}}]", "invalid manifest resource 2: name is required", ""),
        ("[{exec: {name: ls, meta: {poll: often}}}]", 'invalid manifest resource 1: poll "often": ', "write a dura"),
    ],
)
def test_what_is_no_resource_is_refused_with_its_number(resources, message, advice):
    with pytest.raises(CCMError) as refused:
        read_manifest(f"ccm: {{resources: {resources}}}".encode(), "m.yaml", "", Inputs(facts={}, environ={}))
    assert refused.value.message.startswith(message)
    assert advice in refused.value.advice
    assert refused.value.position is not None


def test_a_fault_of_meta_names_its_field():
    resources = "[{exec: {name: ls, meta: {burst: 2}}}]"
    with pytest.raises(CCMError) as refused:
        read_manifest(f"ccm: {{resources: {resources}}}".encode(), "m.yaml", "", Inputs(facts={}, environ={}))
    assert (refused.value.property, refused.value.resource) == ("meta.burst", "exec#ls")
    assert refused.value.position.column == len("ccm: {resources: [{exec: {name: ls, meta: {burst: ") + 1


def test_a_fault_of_a_message_has_its_place():
    text = b"ccm: {post_message: '{{ 1 + }}', resources: [{exec: {name: ls}}]}"
    with pytest.raises(TemplateError, match=r"^invalid post_message template: ") as refused:
        read_manifest(text, "m.yaml", "", Inputs(facts={}, environ={}))
    assert str(refused.value.position) == "m.yaml:1:21"


def test_all_resources_are_resolved_before_one_is_validated():
    """What cannot be resolved is the first error, however far below it is."""
    text = b"ccm: {resources: [{exec: [{'': {}}, {b: {timeout: '{{ nothing( }}'}}]}]}"
    with pytest.raises(TemplateError, match="resolving field Timeout"):
        read_manifest(text, "m.yaml", "", Inputs(facts={}, environ={}))


def test_a_document_that_is_the_same_is_read_once(tmp_path):
    path, documents = tmp_path / "m.yaml", ChildDocuments()
    path.write_text("a: 1\n")
    wait_until(lambda: time.time_ns() - path.stat().st_ctime_ns > SETTLED)
    first = documents.document_in(str(path), "m.yaml")
    assert documents.document_in(str(path), "m.yaml") is first
    path.write_text("a: 2\n")
    assert documents.document_in(str(path), "m.yaml").value == {"a": 2}

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A manifest that was read: its file, its declarations, and what it says of the run."""

from __future__ import annotations

import pytest
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import read_manifest

from tests.unit.manifest.runs import GRAPH, loaded


def read(text, name="m.yaml", directory="/site", **inputs):
    return read_manifest(text.encode(), name, directory, Inputs(facts={}, environ={}, **inputs))


def with_engine(engine, more=""):
    return f"ccm: {{resources: [{{exec: {{name: ls}}}}], engine: {engine}{more}}}"


@pytest.mark.parametrize(
    ("name", "directory", "path"),
    [
        ("m.yaml", "/site", "/site/m.yaml"),
        ("dir/m.yaml", "/site/dir", "/site/dir/m.yaml"),
        ("/site/m.yaml", "/site", "/site/m.yaml"),
        ("m.yaml", "", "m.yaml"),
    ],
)
def test_the_file_is_beside_the_directory_of_its_names(name, directory, path):
    assert read(with_engine("{}"), name, directory).path == path


def test_each_resource_is_known_by_how_it_was_written():
    manifest = read("data: {n: ls}\nccm: {resources: [{exec: [{'{{ Data.n }}': {}}, {pwd: {}}]}]}\n")
    assert [(resource.reference, written) for resource, written in manifest.declared] == [
        ("exec#ls", "exec#{{ Data.n }}"),
        ("exec#pwd", "exec#pwd"),
    ]


def test_resources_of_a_template_are_written_by_it(tmp_path):
    (tmp_path / "list.jet").write_text("- exec: {name: ls}\n")
    manifest = read("ccm: {resources_jet_file: list.jet}", directory=str(tmp_path))
    [(resource, written)] = manifest.declared
    assert (resource.reference, written) == ("exec#ls", "list.jet")
    assert (manifest.literal, manifest.files) == ("", (f"{tmp_path}/list.jet",))


@pytest.mark.parametrize("text", ["{{ 1 }}", "${ 1 }", "plain"])
def test_only_a_text_without_expressions_is_literal(text):
    written = f"ccm: {{resources: [{{exec: {{name: '{text}'}}}}]}}"
    assert read(written).literal == (written if text == "plain" else "")


@pytest.mark.parametrize(
    ("engine", "autogroup", "fails", "is_grouped"),
    [
        ("{}", True, False, True),
        ("{autogroup: true}", True, False, True),
        ("{autogroup: false}", True, False, False),
        ("{}", False, False, False),
        ("{}", True, True, False),
    ],
)
def test_packages_are_managed_together_unless_something_is_against_it(engine, autogroup, fails, is_grouped):
    text = with_engine(engine, ", fail_on_error: true" if fails else "")
    assert read(text, autogroup=autogroup).is_grouped is is_grouped


def test_the_time_without_changes_is_that_of_the_engine():
    assert read(with_engine("{converged: 2s}")).converged == 2_000_000_000
    assert (read(with_engine("{}")).converged, read("ccm: {resources: [{exec: {name: ls}}]}").converged) == (0, 0)


def test_manifests_that_the_graph_knows_are_read(tmp_path):
    (tmp_path / "child.yaml").write_text("ccm: {resources: [{exec: {name: ls}}]}\n")
    resources = "- apply: {name: child.yaml}\n- apply: {name: none.yaml}\n- exec: {name: pwd}"
    assert loaded(resources, tmp_path, engine=GRAPH).read == {"child.yaml"}
    assert loaded(resources, tmp_path).read == frozenset()

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The declarations of a manifest, and of manifests that it applies: which resources are still declared."""

from __future__ import annotations

import json
import os

import pytest

from tests.unit.undoing import NOOP, Site, write_child


@pytest.fixture
def site(ccm, tmp_path, me):
    return Site(ccm, tmp_path, me)


def test_a_control_that_is_false_undoes_nothing(site):
    site.apply(site.file("a", control={"if": "true"}))
    site.apply(site.file("a", control={"if": "false"}))
    assert site.path("a").exists()


def test_other_facts_undo_nothing(site):
    resource = site.file("{{ Facts.name }}")
    site.apply(resource, words=["--fact", "name=a"])
    site.apply(resource, words=["--fact", "name=b"])
    assert sorted(site.snapshot()) == [str(site.path("a")), str(site.path("b"))]
    site.apply(*NOOP, words=["--fact", "name=b"])
    assert site.snapshot() == {}


def test_a_resource_that_is_written_otherwise_is_the_same(site):
    site.apply(site.file("a"))
    site.apply(site.file("{{ Facts.name }}"), words=["--fact", "name=a"])
    site.apply(words=["--fact", "name=b"])
    assert site.path("a").exists()


def test_resources_of_a_template_are_undone_with_it(site):
    template = site.manifest.parent / "r.jet"
    resource = json.dumps(site.file("[[ Facts.name ]]"))
    template.write_text(f"[{resource}]\n")
    site.manifest.write_text(json.dumps({"ccm": {"resources_jet_file": "r.jet"}}))
    site.apply(words=["--fact", "name=a"])
    site.apply(words=["--fact", "name=b"])
    assert site.path("a").exists()
    site.apply(*NOOP)
    assert site.snapshot() == {}


def test_resources_of_an_applied_manifest(site):
    child = site.manifest.parent / "child.yaml"
    child.write_text(json.dumps({"ccm": {"resources": [site.file("a"), site.file("b")]}}))
    applied = {"apply": [{"child.yaml": {}}]}
    site.apply(applied)
    child.write_text(json.dumps({"ccm": {"resources": [site.file("b")]}}))
    site.apply({"apply": [{"child.yaml": {"control": {"if": "false"}}}]})
    assert site.path("a").exists()
    site.apply(applied)
    assert list(site.snapshot()) == [str(site.path("b"))]
    site.apply(*NOOP)
    assert site.snapshot() == {}


@pytest.mark.starts_processes
def test_a_run_that_ends_early_undoes_nothing(site):
    site.apply(site.file("a"))
    failing = ({"exec": [{"false": {}}]}, {"exec": [{"true": {}}]})
    site.apply(*failing, fail_on_error=True)
    assert site.path("a").exists()


def test_a_resource_that_moved_to_another_manifest_is_not_undone(site):
    site.path("a").write_text("old\n")
    before = site.snapshot()
    site.apply(site.file("a"))
    write_child(site, "child.yaml", site.file("a"))
    site.apply({"apply": [{"child.yaml": {}}]})
    assert site.path("a").read_text() == "new\n"
    os.rename(site.manifest.parent / "child.yaml", site.manifest.parent / "kid.yaml")
    site.apply({"apply": [{"kid.yaml": {}}]})
    assert site.path("a").read_text() == "new\n"
    write_child(site, "kid.yaml")
    site.apply()
    assert site.snapshot() == before


def test_a_resource_that_moved_and_changed_is_undone_to_what_was_first(site):
    site.path("a").write_text("old\n")
    before = site.snapshot()
    site.apply(site.file("a"))
    write_child(site, "child.yaml", site.file("a", content="newer\n"))
    site.apply({"apply": [{"child.yaml": {}}]})
    assert site.path("a").read_text() == "newer\n"
    site.apply(*NOOP)
    assert site.snapshot() == before


def test_a_path_that_another_resource_manages_now_is_not_undone(site, tmp_path):
    site.apply(site.file("s", ensure="directory"), site.file("s/a"))
    (tmp_path / "source").mkdir()
    (tmp_path / "source/a").write_text("new\n")
    site.apply({"scaffold": [{str(site.path("s")): {"ensure": "present", "source": str(tmp_path / "source")}}]})
    assert site.path("s/a").read_text() == "new\n"


@pytest.mark.parametrize("mode", ["noop", "health_check_only"])
def test_a_manifest_that_changes_nothing_undoes_nothing(site, mode):
    write_child(site, "child.yaml", site.file("a"))
    site.apply({"apply": [{"child.yaml": {}}]})
    write_child(site, "child.yaml")
    site.apply({"apply": [{"child.yaml": {mode: True}}]})
    assert site.path("a").exists()
    site.apply({"apply": [{"child.yaml": {}}]})
    assert site.snapshot() == {}


def test_a_child_of_another_release_is_the_same(site):
    engine = {"engine": {"state": "release"}}
    applied = {"apply": [{"child.yaml": {}}]}
    site.manifest = site.manifest.parent / "one/m.yaml"
    site.manifest.parent.mkdir()
    write_child(site, "child.yaml", site.file("a"))
    site.apply(applied, **engine)
    site.manifest = site.manifest.parent.parent / "two/m.yaml"
    site.manifest.parent.mkdir()
    write_child(site, "child.yaml")
    site.apply(applied, **engine)
    assert site.snapshot() == {}

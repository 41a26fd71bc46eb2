# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The declarations of a manifest, and of manifests that it applies: which resources are still declared.

What resources leave is found when they are declared no more, and only then.
"""

from __future__ import annotations

import json
import os
import shutil

import pytest

from tests.patience import LIMIT, PATIENCE
from tests.seed import chance
from tests.unit.engine.state import left_behind
from tests.unit.stored import replace_words
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


@pytest.fixture
def leaving(ccm, tmp_path, me):
    return left_behind.Site(ccm, tmp_path, me)


#: CCM_REMOVALS is the number of random removals.
REMOVALS = int(os.environ.get("CCM_REMOVALS", "40"))


@pytest.mark.starts_processes
def test_what_was_removed_on_purpose_is_no_orphan(leaving):
    leaving.apply(leaving.file("a"), left_behind.NOOP)
    leaving.apply(leaving.file("a", ensure="absent"), left_behind.NOOP)
    leaving.apply(left_behind.NOOP)
    leaving.path("a").touch()
    assert leaving.orphans() == []


@pytest.mark.starts_processes
def test_what_is_undone_is_no_orphan(leaving):
    leaving.path("a").write_text("old")
    leaving.apply(leaving.file("a", content="new", meta={"reverse": True}), left_behind.NOOP)
    leaving.apply(left_behind.NOOP)
    assert leaving.path("a").read_text() == "old"
    assert leaving.orphans() == []


def test_a_control_that_is_false_makes_no_orphan(leaving):
    leaving.apply(leaving.file("a", control={"if": "true"}))
    leaving.apply(leaving.file("a", control={"if": "false"}))
    assert leaving.orphans() == []


@pytest.mark.starts_processes
def test_resources_of_applied_manifests(leaving):
    leaving.path("child.yaml").write_text(json.dumps({"ccm": {"resources": [leaving.file("a"), leaving.file("b")]}}))
    leaving.apply({"apply": [{"child.yaml": {}}]}, left_behind.NOOP)
    leaving.path("child.yaml").write_text(json.dumps({"ccm": {"resources": [leaving.file("b")]}}))
    assert leaving.orphans() == [f"apply#child.yaml > file#{leaving.path('a')}"]
    leaving.apply({"apply": [{"child.yaml": {"control": {"if": "false"}}}]})
    # What a manifest that is not applied has is not known.
    assert leaving.orphans() == []
    leaving.apply(left_behind.NOOP)
    assert len(leaving.orphans()) == 2


@pytest.mark.starts_processes
def test_a_resource_that_moved_to_another_manifest_is_no_orphan(leaving):
    leaving.apply(leaving.file("a"), left_behind.NOOP)
    leaving.path("child.yaml").write_text(json.dumps({"ccm": {"resources": [leaving.file("a")]}}))
    leaving.apply({"apply": [{"child.yaml": {}}]})
    assert leaving.orphans() == []


@pytest.mark.starts_processes
def test_a_type_that_is_gone_is_an_error(leaving):
    leaving.apply(leaving.file("a"), left_behind.NOOP)
    (state,) = leaving.path("home/state/manifests").glob("*/state")
    about = [f"file#{leaving.path('a')}", str(leaving.path("a"))]
    replace_words(state, lambda words: [words[0], "gone#a", "state", *words[3:]] if words[1:3] == about else words)
    leaving.path("m.yaml").write_text(json.dumps({"ccm": {"resources": [left_behind.NOOP]}}))
    done = leaving.ccm("orphans", "m.yaml")
    assert (done.status, done.err) == (1, "ccm: error: there is no type gone any more\n")


@pytest.mark.starts_processes
@pytest.mark.soak
@pytest.mark.timeout(LIMIT + PATIENCE * REMOVALS)
def test_random_removals(leaving, me):
    """Resources leave the manifest, and some of what they made is removed by hand: all others are named."""
    drawn = chance("removals")
    leaving.path("source").mkdir()
    leaving.path("source/one").write_text("one\n")
    wrong = []
    for round in range(REMOVALS):
        root = leaving.path(str(round))
        root.mkdir()
        kinds = {
            "file": leaving.file,
            "directory": lambda path: leaving.file(path, ensure="directory"),
            "absent": lambda path: leaving.file(path, ensure="absent"),
            "scaffold": lambda path: {
                "scaffold": [{str(path): {"ensure": "present", "source": str(leaving.path("source"))}}]
            },
            "exec": lambda path: {"exec": [{f"make {path}": {"command": f"touch {path}", "creates": str(path)}}]},
            "command": lambda path: {"exec": [{f"echo {path}": {}}]},
        }
        resources = {root / str(at): drawn.choice(list(kinds)) for at in range(drawn.randint(1, 8))}
        declared = dict(resources)
        leaving.apply(*(kinds[kind](path) for path, kind in declared.items()), left_behind.NOOP)
        for _step in range(drawn.randint(1, 3)):
            for path in [path for path in declared if drawn.random() < 0.4]:
                del declared[path]
            leaving.apply(*(kinds[kind](path) for path, kind in declared.items()), left_behind.NOOP)
        for path in resources:
            if drawn.random() < 0.3:
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        expected = sorted(
            f"{'exec#make ' if kind == 'exec' else 'scaffold#' if kind == 'scaffold' else 'file#'}{path}"
            for path, kind in resources.items()
            if path not in declared and path.exists() and kind not in ("absent", "command")
        )
        if leaving.orphans() != expected:
            wrong.append((round, leaving.orphans(), expected))
        shutil.rmtree(leaving.path("home"))
        shutil.rmtree(root)
    assert wrong == []

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What resources leave: it is found when they are declared no more, and only then."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from tests.patience import LIMIT, PATIENCE
from tests.seed import chance
from tests.unit.engine.state.left_behind import NOOP, Site


@pytest.fixture
def site(ccm, tmp_path, me):
    return Site(ccm, tmp_path, me)


#: CCM_REMOVALS is the number of random removals.
REMOVALS = int(os.environ.get("CCM_REMOVALS", "40"))


@pytest.mark.starts_processes
def test_what_was_removed_on_purpose_is_no_orphan(site):
    site.apply(site.file("a"), NOOP)
    site.apply(site.file("a", ensure="absent"), NOOP)
    site.apply(NOOP)
    site.path("a").touch()
    assert site.orphans() == []


@pytest.mark.starts_processes
def test_what_is_undone_is_no_orphan(site):
    site.path("a").write_text("old")
    site.apply(site.file("a", content="new", meta={"reverse": True}), NOOP)
    site.apply(NOOP)
    assert site.path("a").read_text() == "old"
    assert site.orphans() == []


def test_a_control_that_is_false_makes_no_orphan(site):
    site.apply(site.file("a", control={"if": "true"}))
    site.apply(site.file("a", control={"if": "false"}))
    assert site.orphans() == []


@pytest.mark.starts_processes
def test_resources_of_applied_manifests(site):
    site.path("child.yaml").write_text(json.dumps({"ccm": {"resources": [site.file("a"), site.file("b")]}}))
    site.apply({"apply": [{"child.yaml": {}}]}, NOOP)
    site.path("child.yaml").write_text(json.dumps({"ccm": {"resources": [site.file("b")]}}))
    assert site.orphans() == [f"apply#child.yaml > file#{site.path('a')}"]
    site.apply({"apply": [{"child.yaml": {"control": {"if": "false"}}}]})
    # What a manifest that is not applied has is not known.
    assert site.orphans() == []
    site.apply(NOOP)
    assert len(site.orphans()) == 2


@pytest.mark.starts_processes
def test_a_resource_that_moved_to_another_manifest_is_no_orphan(site):
    site.apply(site.file("a"), NOOP)
    site.path("child.yaml").write_text(json.dumps({"ccm": {"resources": [site.file("a")]}}))
    site.apply({"apply": [{"child.yaml": {}}]})
    assert site.orphans() == []


@pytest.mark.starts_processes
def test_a_type_that_is_gone_is_an_error(site):
    site.apply(site.file("a"), NOOP)
    (state,) = site.path("home/state/manifests").glob("*/state")
    state.write_text(state.read_text().replace(f"file#{site.path('a')}\t{site.path('a')}", "gone#a\tstate"))
    site.path("m.yaml").write_text(json.dumps({"ccm": {"resources": [NOOP]}}))
    done = site.ccm("orphans", "m.yaml")
    assert (done.status, done.err) == (1, "ccm: error: there is no type gone any more\n")


@pytest.mark.starts_processes
@pytest.mark.soak
@pytest.mark.timeout(LIMIT + PATIENCE * REMOVALS)
def test_random_removals(site, me):
    """Resources leave the manifest, and some of what they made is removed by hand: all others are named."""
    drawn = chance("removals")
    site.path("source").mkdir()
    site.path("source/one").write_text("one\n")
    wrong = []
    for round in range(REMOVALS):
        root = site.path(str(round))
        root.mkdir()
        kinds = {
            "file": site.file,
            "directory": lambda path: site.file(path, ensure="directory"),
            "absent": lambda path: site.file(path, ensure="absent"),
            "scaffold": lambda path: {
                "scaffold": [{str(path): {"ensure": "present", "source": str(site.path("source"))}}]
            },
            "exec": lambda path: {"exec": [{f"make {path}": {"command": f"touch {path}", "creates": str(path)}}]},
            "command": lambda path: {"exec": [{f"echo {path}": {}}]},
        }
        resources = {root / str(at): drawn.choice(list(kinds)) for at in range(drawn.randint(1, 8))}
        declared = dict(resources)
        site.apply(*(kinds[kind](path) for path, kind in declared.items()), NOOP)
        for _step in range(drawn.randint(1, 3)):
            for path in [path for path in declared if drawn.random() < 0.4]:
                del declared[path]
            site.apply(*(kinds[kind](path) for path, kind in declared.items()), NOOP)
        for path in resources:
            if drawn.random() < 0.3:
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        expected = sorted(
            f"{'exec#make ' if kind == 'exec' else 'scaffold#' if kind == 'scaffold' else 'file#'}{path}"
            for path, kind in resources.items()
            if path not in declared and path.exists() and kind not in ("absent", "command")
        )
        if site.orphans() != expected:
            wrong.append((round, site.orphans(), expected))
        shutil.rmtree(site.path("home"))
        shutil.rmtree(root)
    assert wrong == []

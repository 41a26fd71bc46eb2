# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Symbolic links in manifests, in plans, in `ccm undo`, `ccm ensure`, `ccm lint` and `ccm watch`."""

from __future__ import annotations

import json
import os

import pytest

from tests.patience import wait_until
from tests.unit.undoing import REVERSE, Site


@pytest.fixture
def site(ccm, tmp_path, me):
    return Site(ccm, tmp_path, me)


def link(site, name="a", target="new", **more):
    return {"file": {"name": str(site.path(name)), "ensure": "link", "target": target, **more}}


@pytest.fixture
def manifest(tmp_path):
    """Write the resources of a manifest."""

    def write(*resources, **ccm):
        (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": list(resources), **ccm}}), encoding="utf-8")
        return "m.yaml"

    return write


def test_a_plan_shows_both_targets(ccm, site, manifest):
    name = manifest(link(site))
    shown = ccm("plan", name).out
    assert "Would have created link -> new" in shown
    assert "target: new" in shown
    assert "mode" not in shown
    site.path("a").symlink_to("old")
    shown = ccm("plan", name).out
    assert "would update (target)" in shown
    assert "target: old" in shown
    assert "target: new" in shown
    site.path("a").unlink()
    site.path("a").write_text("x", encoding="utf-8")
    shown = ccm("plan", name).out
    assert "Would have created link -> new in place of a file" in shown
    assert "ensure: link" in shown


def before_nothing(path):
    return


def before_file(path):
    path.write_text("old\n", encoding="utf-8")


def before_link(path):
    path.symlink_to("old")


def before_directory(path):
    path.mkdir()
    (path / "below").mkdir()
    (path / "below/file").write_text("x", encoding="utf-8")


@pytest.mark.parametrize("prepare", [before_nothing, before_file, before_link, before_directory])
def test_what_a_link_replaced_comes_back(site, prepare):
    prepare(site.path("a"))
    before = site.snapshot()
    site.apply({"file": {**link(site, force=True)["file"], **REVERSE}})
    assert os.readlink(site.path("a")) == "new"
    assert site.undo().out.endswith("1 of 1 changes undone\n")
    assert site.snapshot() == before


def test_the_command_makes_a_link_without_a_mode(ccm, site):
    path = str(site.path("a"))
    ran = ccm("ensure", "file", path, "link", "--target", "../x")
    assert (ran.status, os.readlink(path)) == (0, "../x"), ran.err
    ran = ccm("ensure", "file", path, "link", "--target", "../x", "--mode", "0600")
    assert "'mode' cannot be used with 'ensure: link'" in ran.out + ran.err


@pytest.mark.parametrize("word", [[], ["present"], ["directory"]])
def test_a_target_without_the_word_link_is_answered_with_the_whole_command(ccm, site, word):
    path = str(site.path("a b"))
    ran = ccm("ensure", "file", path, *word, "--target", "new")
    got = word[0] if word else "present"
    assert (ran.status, ran.err) == (
        1,
        f"ccm: error: file#{path}: invalid resource: 'target' is only valid with 'ensure: link', got 'ensure: {got}'\n"
        f"  ccm ensure file '{path}' link --target new\n",
    )
    assert ccm("ensure", "file", path, "absent", "--target", "new").status == 0


def test_a_default_that_is_not_for_links_is_taken_back_as_the_advice_says(ccm, site, manifest):
    own = {"ensure": "link", "target": "new"}
    names = {"mode": "0644", "content": "x", "source": "m.yaml"}
    for name, value in names.items():
        refused = ccm("plan", manifest({"file": [{"defaults": {name: value}}, {str(site.path("a")): own}]}))
        assert (refused.status, f"'{name}' cannot be used with 'ensure: link'" in refused.err) == (1, True)
        assert f"leave it out; where defaults of a list give it, write {name}: null" in refused.err
        taken_back = {**own, name: None}
        planned = ccm("plan", manifest({"file": [{"defaults": {name: value}}, {str(site.path("a")): taken_back}]}))
        assert "Would have created link -> new" in planned.out, planned.err


def test_lint_names_what_the_original_refuses(ccm, site, manifest, tmp_path):
    name = manifest(link(site))
    assert json.loads(ccm("lint", name, "--json").out)["findings"] == []
    found = json.loads(ccm("lint", name, "--json", "--upstream").out)["findings"]
    about_links = {each["property"]: (each["level"], each["message"]) for each in found if "link" in each["message"]}
    assert about_links == {
        "ensure": ("error", "the original has no links, and refuses ensure: link"),
        "target": ("error", "the original does not know target, for it has no links"),
    }
    text = (tmp_path / name).read_text(encoding="utf-8")
    for each in found:
        assert text[each["column"] - 1 :].startswith(f'"{each["property"] or "file"}"')


def test_a_link_comes_after_the_directory_above_and_before_what_is_reached_through_it(ccm, site, manifest):
    name = manifest(
        {"file": {"name": str(site.path("d/l/f")), "content": "x"}},
        link(site, "d/l", "real"),
        {"file": {"name": str(site.path("d/real")), "ensure": "directory"}},
        {"file": {"name": str(site.path("d")), "ensure": "directory"}},
        engine={"order": "graph"},
    )
    shown = ccm("apply", name, "--noop").out
    order = [shown.index(f"file#{site.path(each)} ") for each in ("d", "d/l", "d/l/f")]
    assert order == sorted(order)


def test_a_link_sends_its_target(ccm, site, manifest, tmp_path):
    name = manifest(
        {"file": {**link(site)["file"], "alias": "current"}},
        {"file": {"name": str(tmp_path / "note"), "content": "{{ sent('file#current').target }}"}},
    )
    ran = ccm("apply", name)
    assert ran.status == 0, ran.err + ran.out
    assert (tmp_path / "note").read_text(encoding="utf-8") == "new"


@pytest.mark.starts_processes
def test_watch_repairs_a_link_and_not_what_it_leads_to(watching, tmp_path):
    path = tmp_path / "a"
    watching.write({"file": [{str(path): {"ensure": "link", "target": "new"}}]})
    with watching.started():
        path.unlink()
        wait_until(lambda: os.path.islink(path))
        path.unlink()
        path.symlink_to("other")
        wait_until(lambda: os.path.islink(path) and os.readlink(path) == "new")
        (tmp_path / "new").write_text("x", encoding="utf-8")
        watching.rest()
    assert watching.count(" changed ") == 3

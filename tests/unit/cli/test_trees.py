# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of directories in manifests: plans, undo, `ccm ensure`, lint, sent values and `ccm watch`."""

from __future__ import annotations

import json
import os

import pytest

from tests.patience import wait_until
from tests.unit.undoing import REVERSE, Site


@pytest.fixture
def site(ccm, tmp_path, me):
    source = tmp_path / "source"
    (source / "d").mkdir(parents=True)
    (source / "d/f").write_text("new\n", encoding="utf-8")
    (source / "link").symlink_to("d/f")
    return Site(ccm, tmp_path, me)


def tree(site, **more):
    properties = {"name": str(site.path("t")), "ensure": "directory", "source": "source", "recurse": True, **more}
    return {"file": properties}


@pytest.fixture
def manifest(tmp_path):
    """Write the resources of a manifest."""

    def write(*resources, **ccm):
        (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": list(resources), **ccm}}), encoding="utf-8")
        return "m.yaml"

    return write


def spoiled(site):
    """Make a tree with a file that differs, and entries that the source does not have."""
    top = site.path("t")
    (top / "d").mkdir(parents=True)
    (top / "d/f").write_text("old\n", encoding="utf-8")
    (top / "more/deep").mkdir(parents=True)
    (top / "more/deep/x").write_text("x", encoding="utf-8")
    (top / "more/l").symlink_to("deep")
    return top


def test_a_plan_lists_the_entries(ccm, site, manifest):
    top = spoiled(site)
    (top / "d").chmod(0o700)
    shown = ccm("plan", manifest(tree(site, purge=True))).out
    assert "Would have changed 4 entries" in shown
    for line in (f"~ {top}/d\n", f"~ {top}/d/f\n", f"+ {top}/link\n", f"- {top}/more\n"):
        assert line in shown
    assert f"{top}/more/" not in shown


def test_a_diff_shows_texts_links_and_attributes(ccm, site, manifest):
    top = spoiled(site)
    (top / "d").chmod(0o700)
    (top / "link").write_text("x", encoding="utf-8")
    name = manifest(tree(site, purge=True))
    shown = ccm("apply", name, "--noop", "--diff").out
    for line in (f"~ {top}/d/f", f"~ {top}/link", f"- {top}/more"):
        assert line in shown


@pytest.mark.parametrize("exists", [True, False])
def test_what_a_copy_replaced_comes_back(site, exists):
    if exists:
        spoiled(site)
    before = site.snapshot()
    site.apply({"file": {**tree(site, purge=True)["file"], **REVERSE}})
    assert sorted(os.listdir(site.path("t"))) == ["d", "link"]
    assert site.undo().out.endswith("1 of 1 changes undone\n")
    assert site.snapshot() == before


def test_a_copy_sends_what_it_changed(ccm, site, manifest, tmp_path):
    top = spoiled(site)
    name = manifest(
        {"file": {**tree(site, purge=True)["file"], "alias": "web"}},
        {
            "file": {
                "name": str(tmp_path / "n"),
                "content": "{{ sent('file#web').changed }} {{ sent('file#web').purged }}",
            }
        },
    )
    ran = ccm("apply", name)
    assert ran.status == 0, ran.err + ran.out
    assert (tmp_path / "n").read_text(encoding="utf-8") == f"[{top}/d/f {top}/link] [{top}/more]"


def test_the_command_copies_a_directory(ccm, site):
    top = spoiled(site)
    words = ("ensure", "file", str(top), "directory", "--source", "source", "--recurse", "--purge", "--ignore", "deep")
    ran = ccm(*words)
    assert ran.status == 0, ran.err
    assert sorted(os.listdir(top)) == ["d", "link", "more"]
    assert os.listdir(top / "more") == ["deep"]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--source", "none", "--recurse"), "path 'none' does not exist"),
        (("--source", "m.yaml", "--recurse"), "'m.yaml' is a file"),
        (("--source", "source"), "'source' is a directory"),
    ],
)
def test_the_command_refuses_another_kind_of_source(ccm, site, manifest, words, error):
    manifest()
    ran = ccm("ensure", "file", str(site.path("t")), "directory", *words)
    assert ran.status == 1
    assert error in ran.err


def test_names_that_are_not_utf_8_can_be_recorded(ccm, site, manifest, tmp_path):
    (tmp_path / "source" / "caf\udce9").write_text("x", encoding="utf-8")
    (tmp_path / "source" / "two\nlines").write_text("x", encoding="utf-8")
    name = manifest(tree(site))
    assert ccm("plan", name, "--json").status == 2
    ccm("session", "new", "--directory", "events")
    ran = ccm("apply", name, "--session", "events")
    assert ran.status == 0, ran.err
    assert ccm("plan", name).status == 0


def test_lint_names_a_source_that_means_nothing(ccm, site, manifest):
    name = manifest(tree(site, recurse=False))
    (finding,) = json.loads(ccm("lint", name, "--json").out)["findings"]
    assert (finding["rule"], finding["property"]) == ("unused", "source")
    assert finding["message"] == "source means nothing for ensure: directory without recurse: true, which copies it"
    name = manifest(tree(site, purge=True, ignore=["x"]))
    assert json.loads(ccm("lint", name, "--json").out)["findings"] == []
    (finding,) = json.loads(ccm("lint", manifest(tree(site, source="none")), "--json").out)["findings"]
    assert finding["message"] == "there is no file none next to the manifest"
    name = manifest(tree(site, purge=True, ignore=["x"]))
    found = json.loads(ccm("lint", name, "--json", "--upstream").out)["findings"]
    messages = {each["message"] for each in found}
    for word in ("recurse", "purge", "ignore"):
        assert f"the original ignores {word}, and copies no directory" in messages


def test_a_directory_as_the_source_of_a_file_is_answered_with_how_it_is_copied(ccm, site, manifest, tmp_path):
    advice = "with ensure: directory and recurse: true it is copied"
    path = str(site.path("f"))
    for given in ("source", str(tmp_path / "source")):
        for more in ({}, {"ensure": "present"}):
            name = manifest({"file": {"name": path, "source": given, **more}})
            (finding,) = json.loads(ccm("lint", name, "--json").out)["findings"]
            assert (finding["message"], finding["advice"]) == (f"{given} is a directory", advice)
            assert (finding["rule"], finding["property"], finding["level"]) == ("file", "source", "warning")
    for more in ({"ensure": "absent"}, {"ensure": "directory", "recurse": True}):
        name = manifest({"file": {"name": path, "source": "source", **more}})
        assert "is a directory" not in ccm("lint", name, "--json").out
    ran = ccm("ensure", "file", path, "--source", "source")
    assert (ran.status, ran.err) == (1, f"ccm: error: 'source' is a directory\n  {advice}\n")
    (tmp_path / "x").write_text("x", encoding="utf-8")
    ran = ccm("ensure", "file", path, "directory", "--recurse", "--source", "x")
    assert (ran.status, ran.err) == (1, "ccm: error: 'x' is a file\n  leave --recurse out\n")


def test_a_file_in_a_copy_comes_after_it(ccm, site, manifest):
    name = manifest(
        {"file": {"name": str(site.path("t/d/own")), "content": "x"}}, tree(site), engine={"order": "graph"}
    )
    shown = ccm("apply", name, "--noop").out
    assert shown.index(f"file#{site.path('t')} ") < shown.index(f"file#{site.path('t/d/own')} ")


@pytest.mark.starts_processes
def test_watch_repairs_a_copy_and_follows_its_source(watching, tmp_path):
    source, top = tmp_path / "source", tmp_path / "t"
    (source / "d").mkdir(parents=True)
    (source / "d/f").write_text("one", encoding="utf-8")
    given = {"ensure": "directory", "source": str(source), "recurse": True, "purge": True}
    watching.write({"file": [{str(top): given}]})
    with watching.started():
        (top / "d/f").unlink()
        wait_until(lambda: (top / "d/f").exists())
        (top / "d/more").mkdir()
        wait_until(lambda: not (top / "d/more").exists())
        (source / "d/g").write_text("two", encoding="utf-8")
        wait_until(lambda: (top / "d/g").exists() and (top / "d/g").read_text(encoding="utf-8") == "two")
        watching.rest()

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm undo`, and what `ccm apply` undoes by itself."""

from __future__ import annotations

import json
import os
import re
import shutil

import pytest
from ccm.engine.state.locked_directory import LockedDirectory
from ccm.host import files
from ccm.host.errors import HostError
from ccm.model.errors import StoreError

from tests.unit.stored import replace_words
from tests.unit.undoing import NOOP, REVERSE, Site, lines, write_child


@pytest.fixture
def site(ccm, tmp_path, me):
    return Site(ccm, tmp_path, me)


def test_a_new_file_is_removed_again(site):
    before = site.snapshot()
    site.apply(site.file("a"))
    ran = site.undo()
    assert lines(ran) == [f"WARN  file#{site.path('a')} changed ensure=absent provider=posix", "1 of 1 changes undone"]
    assert site.snapshot() == before
    assert site.undo().out == "Nothing to undo: only changes of resources with meta: {reverse: true} can be undone\n"


def test_a_resource_that_left_the_manifest_is_undone(site):
    site.path("a").write_text("old\n")
    site.path("a").chmod(0o640)
    before = site.snapshot()
    site.apply(site.file("a"))
    assert site.apply(*NOOP) == [
        "INFO  exec#true stable ensure=present provider=posix",
        f"INFO  undoing: changed resource=file#{site.path('a')}",
        f"WARN  file#{site.path('a')} changed ensure=present provider=posix",
    ]
    assert site.snapshot() == before
    assert site.apply() == ["INFO  exec#true stable ensure=present provider=posix"]


def test_the_last_change_is_undone_first(site):
    site.apply(site.file("d", ensure="directory"), site.file("d/a"))
    ran = site.undo()
    changed = re.findall(r"WARN  file#(\S+) changed", ran.out)
    assert changed == [str(site.path("d/a")), str(site.path("d"))]
    assert site.snapshot() == {}


def test_noop_undoes_nothing(site):
    site.apply(site.file("d", ensure="directory"), site.file("d/a"))
    before = site.snapshot()
    ran = site.undo("--noop")
    assert ran.out.endswith("2 of 2 changes would be undone\n")
    assert "noop=Would have undone the change: 1 removed" in ran.out
    assert site.snapshot() == before
    assert site.undo().out.endswith("2 of 2 changes undone\n")


def test_noop_of_the_manifest_undoes_nothing(site):
    site.apply(site.file("a"))
    before = site.snapshot()
    shown = site.apply(*NOOP, words=["--noop"])
    assert shown[1] == f"INFO  would be undone: changed resource=file#{site.path('a')}"
    assert shown[2].endswith("noop=Would have undone the change: 1 removed")
    assert site.snapshot() == before


def test_what_is_as_before_already_is_forgotten(site):
    site.apply(site.file("a"))
    site.path("a").unlink()
    ran = site.undo()
    assert lines(ran)[-1] == "1 of 1 changes undone"
    assert " stable " in ran.out


@pytest.mark.starts_processes
def test_an_undo_that_fails_is_made_again(site):
    flag = site.path("flag")
    command = {"command": "true", "meta": {"reverse": True, "undo": f"test -e {flag}"}}
    site.apply({"exec": [{"make": command}]})
    ran = site.undo()
    assert ran.status == 1
    assert "exec#make failed" in ran.out
    flag.touch()
    assert site.undo().out.endswith("1 of 1 changes undone\n")


def test_an_undo_that_was_interrupted_goes_on(site, monkeypatch):
    (site.manifest.parent / "source").mkdir()
    for name in "abc":
        (site.manifest.parent / "source" / name).write_text(name)
    site.apply({"scaffold": [{str(site.path("s")): {"ensure": "present", "source": "source", **REVERSE}}]})
    removed = []

    def remove_two(path):
        if len(removed) == 2:
            raise HostError("cut short")
        removed.append(path)
        os.unlink(path)

    with monkeypatch.context() as patch:
        patch.setattr(files, "remove_file", remove_two)
        assert "errors=cut short" in site.apply(*NOOP)[-1]
    assert len(site.snapshot()) == 2
    assert site.apply(*NOOP)[-1] == f"WARN  scaffold#{site.path('s')} changed ensure=absent provider=choria"
    assert site.snapshot() == {}


def test_some_are_undone(site):
    site.apply(site.file("a"), site.file("b"))
    assert site.undo(f"file#{site.path('a')}").out.endswith("1 of 1 changes undone\n")
    assert list(site.snapshot()) == [str(site.path("b"))]
    ran = site.undo("file#/c")
    assert ran.err == f"ccm: error: no change of file#/c can be undone\n  those that can: file#{site.path('b')}\n"
    assert ran.status == 1


def test_the_manifest_may_be_gone(site):
    site.apply(site.file("a"))
    site.manifest.unlink()
    assert site.undo().status == 0
    assert site.snapshot() == {}


def test_a_converged_resource_is_not_undone(site):
    site.apply(site.file("a"))
    shutil.rmtree(site.manifest.parent / "home")
    site.apply(site.file("a"))
    assert site.undo().out == "Nothing to undo: only changes of resources with meta: {reverse: true} can be undone\n"
    assert site.path("a").exists()


def test_without_state_nothing_is_undone(site):
    site.apply(site.file("a"))
    site.apply(*NOOP, words=["--no-state"])
    assert site.path("a").exists()


def test_a_type_that_is_gone_is_an_error(site):
    site.apply(site.file("a"))
    (directory,) = (site.manifest.parent / "home/state/manifests").iterdir()
    state = directory / "state"
    replace_words(state, lambda words: [word.replace('"type":"file"', '"type":"gone"') for word in words])
    ran = site.undo()
    assert ran.status == 1
    assert "there is no type gone whose changes can be undone" in ran.out


def test_what_can_be_undone_is_shown(site):
    site.apply(site.file("a"))
    ran = site.ccm("state", "show", site.manifest)
    assert re.search(rf"Can Be Undone\n\n  file#{site.path('a')} since 20\S+Z\n", ran.out)
    (kept,) = json.loads(site.ccm("state", "show", site.manifest, "--json").out)["undo"]
    assert kept["resource"] == f"file#{site.path('a')}"


def test_undone_resources_are_in_the_report(site):
    site.apply(site.file("a"))
    site.write(*NOOP)
    ran = site.ccm("apply", site.manifest, "--log-format", "json")
    records = [json.loads(line) for line in ran.out.splitlines()]
    assert [record["fields"]["cause"] for record in records if "cause" in record.get("fields", {})] == ["manifest"]
    assert records[-1]["fields"]["changed_resources"] == 1


def test_a_name_when_nothing_can_be_undone(site):
    site.apply(*NOOP)
    ran = site.undo("file#/a")
    assert ran.err == "ccm: error: no change of file#/a can be undone\n  those that can: none\n"


def test_control_characters_are_escaped(site):
    name = "x\x1b[31m\n ERROR forged"
    site.apply(site.file(name))
    ran = site.undo()
    assert "\x1b" not in ran.out
    assert not any(line.startswith(" ERROR") for line in ran.out.splitlines())
    site.apply(site.file(name))
    ran = site.undo("file#/none")
    assert "\x1b" not in ran.err


@pytest.mark.starts_processes
def test_a_resource_is_named_with_arrows_in_its_name(site):
    write_child(
        site, "child.yaml", {"exec": [{"sh -c 'echo a > b'": {"meta": {"undo": "true"}, "cwd": str(site.tree)}}]}
    )
    site.apply({"apply": [{"child.yaml": {}}]})
    assert site.undo("exec#sh -c 'echo a > b'").out.endswith("1 of 1 changes undone\n")


def test_a_resource_that_is_skipped_loses_its_reverse(site):
    site.apply(site.file("a"))
    site.apply(site.file("a", meta={}, control={"if": "false"}))
    site.apply(*NOOP)
    assert site.path("a").exists()


def test_a_change_is_forgotten(site):
    site.apply(site.file("a"), site.file("b"))
    shown = f"The change of file#{site.path('a')} would be forgotten\n"
    assert site.undo("--forget", "--noop", f"file#{site.path('a')}").out == shown
    shown = f"The change of file#{site.path('a')} forgotten\n"
    assert site.undo("--forget", f"file#{site.path('a')}").out == shown
    site.apply(*NOOP)
    assert list(site.snapshot()) == [str(site.path("a"))]


def test_lists_count_what_can_be_undone(site):
    site.apply(site.file("a"))
    assert site.ccm("state", "list").out.endswith("  1 change can be undone\n")
    ran = site.ccm("state", "forget", site.manifest)
    assert ran.out == f"Forgot the state of {site.manifest}, with 1 change that could be undone\n"


def test_an_unknown_manifest_is_refused(site):
    ran = site.undo()
    assert ran.status == 1
    assert ran.err.startswith(f"ccm: error: no state is kept of {site.manifest}\n")


def test_what_is_forgotten_still_drifts_and_is_left_behind(ccm, tmp_path, me):
    owner = {"owner": me[0], "group": me[1], "mode": "0600", "ensure": "present"}
    files = {name: {"content": name, **owner, "meta": {"reverse": True}} for name in ("one", "two")}

    def write(*names):
        resources = [{"file": [{str(tmp_path / name): files[name]}]} for name in names]
        (tmp_path / "f.yaml").write_text(json.dumps({"ccm": {"resources": resources}}))

    write("one", "two")
    for _run in range(2):
        ccm("apply", "f.yaml")
    assert ccm("undo", "f.yaml", "--forget", f"file#{tmp_path}/one").status == 0
    (tmp_path / "one").write_text("by hand")
    done = ccm("drift", "f.yaml")
    assert (done.status, done.out.partition(":")[0]) == (2, "drift")
    write("two")
    done = ccm("orphans", "f.yaml")
    assert (done.status, done.out.splitlines()[0]) == (2, f"file#{tmp_path}/one")


def test_force_and_forget_exclude_each_other(ccm, tmp_path):
    done = ccm("undo", "m.yaml", "--force", "--forget")
    assert done.status == 1
    assert "--force undoes changes, and --forget leaves them as they are" in done.err


def test_an_undo_that_cannot_be_noted_has_failed(ccm, tmp_path, me):
    owner = {"owner": me[0], "group": me[1], "mode": "0600", "ensure": "present"}
    entry = {str(tmp_path / "one"): {"content": "x", **owner, "meta": {"reverse": True}}}
    (tmp_path / "f.yaml").write_text(json.dumps({"ccm": {"resources": [{"file": [entry]}]}}))
    ccm("apply", "f.yaml")
    (lock,) = (tmp_path / "home/state/manifests").glob("*/lock")
    lock.unlink()
    lock.mkdir()
    done = ccm("undo", "f.yaml")
    assert done.status == 1
    assert done.out.count("Going on without state between runs") == 1
    assert f"{lock}: is a directory" in done.out


def test_a_file_that_is_declared_by_another_path_is_not_undone(site):
    site.path("real").mkdir()
    site.path("link").symlink_to("real")
    site.apply(site.file("real/a"))
    site.apply(site.file("link/a"))
    assert site.path("real/a").exists()


@pytest.mark.starts_processes
@pytest.mark.parametrize("way", ["apply", "undo"])
def test_nothing_is_undone_that_cannot_be_noted(site, monkeypatch, way):
    """Each run would undo it again."""

    def full(_locked):
        raise StoreError("no space left on device")

    log, made = site.manifest.parent / "log", site.path("a")
    undo = {"undo": f"sh -c 'echo undone >> {log}'"}
    site.apply({"exec": [{"make": {"command": f"touch {made}", "creates": str(made), "meta": undo}}]}, *NOOP)
    site.write(*NOOP)
    with monkeypatch.context() as patch:
        patch.setattr(LockedDirectory, "__enter__", full)
        ran = site.ccm("apply", site.manifest) if way == "apply" else site.undo()
    assert ran.out.count("Nothing is undone: it could not be noted") == 1
    assert (ran.status, log.exists()) == (1 if way == "undo" else 0, False)
    assert site.undo().status == 0
    assert log.read_text() == "undone\n"

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was there before a change is kept until it is undone or not needed any more."""

from __future__ import annotations

import errno
import os
import re

import pytest
from ccm.engine.between_runs import StateBetweenRuns
from ccm.engine.state import kept, running
from ccm.engine.state.ids import Ids
from ccm.engine.state.journal import Journal
from ccm.engine.state.locked_directory import LockedDirectory
from ccm.engine.state.records import KeptBefore
from ccm.engine.state.running import RunningRuns
from ccm.engine.state_directory import unusable
from ccm.host.errors import HostError
from ccm.manifest.watch_run import WatchedManifest
from ccm.model.log import Log

from tests.patience import wait_until
from tests.unit.stored import journal_of, words_in, write_words
from tests.unit.undoing import NOOP, Site, directory_of, write_child
from tests.unit.watching import content as has_content
from tests.unit.watching import while_watching


@pytest.fixture
def site(ccm, tmp_path, me):
    return Site(ccm, tmp_path, me)


def test_the_first_state_comes_back_after_several_changes(site):
    site.path("a").write_text("old\n")
    before = site.snapshot()
    for content in ("one\n", "two\n", "three\n"):
        site.apply(site.file("a", content=content))
    site.undo()
    assert site.snapshot() == before


def test_nothing_is_kept_without_reverse(site):
    site.apply(site.file("a", meta={}))
    site.apply(*NOOP)
    assert site.path("a").exists()
    assert site.undo().out.startswith("Nothing to undo")


def test_what_is_no_longer_to_be_reversed_is_forgotten(site):
    site.apply(site.file("a"))
    site.apply(site.file("a", meta={}))
    site.apply(*NOOP)
    assert site.path("a").exists()
    assert site.undo().out.startswith("Nothing to undo")


def test_what_is_too_large_cannot_be_undone(site, monkeypatch):
    monkeypatch.setattr(kept, "LARGEST_CONTENT", 1 << 20)
    site.path("a").write_bytes(bytes((1 << 20) + 1))
    shown = site.apply(site.file("a"))
    reason = f"{site.path('a')} is too large: at most 1 MiB are kept"
    assert shown[0] == f"WARN  What changes cannot be undone resource=file#{site.path('a')} reason={reason}"
    done = site.undo()
    error = f"ERROR A change cannot be undone: {reason} resource=file#{site.path('a')}\n"
    assert (done.status, error in done.out, done.out.endswith("0 of 1 changes undone\n")) == (1, True, True)


def test_too_many_paths_cannot_be_undone(site, monkeypatch):
    monkeypatch.setattr(kept, "MOST_PATHS", 2)
    site.path("d/e").mkdir(parents=True)
    site.path("d/a").touch()
    shown = site.apply(site.file("d", ensure="absent", force=True))
    assert shown[0].endswith("reason=3 paths are more than the 2 that are kept")


def test_a_fifo_cannot_be_undone(site):
    site.path("d").mkdir()
    os.mkfifo(site.path("d/fifo"))
    shown = site.apply(site.file("d", ensure="absent", force=True))
    assert shown[0].endswith(f"reason={site.path('d/fifo')} is neither a file, a directory nor a link")


def test_contents_are_removed_with_the_changes_that_need_them(site):
    for name in ("a", "b", "c"):
        site.path(name).write_text("other\n" if name == "c" else "same\n")
    site.apply(*map(site.file, "abc"))
    (directory,) = (site.manifest.parent / "home/state/manifests").iterdir()

    def contents():
        return sorted(path.read_text() for path in directory.glob("before-*"))

    assert contents() == ["other\n", "same\n"]
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in directory.glob("before-*"))
    site.undo(f"file#{site.path('a')}")
    assert contents() == ["other\n", "same\n"]
    site.undo()
    # Another run that read the records may need them for a day.
    assert contents() == ["other\n", "same\n"]
    site.apply(site.file("d"))
    assert contents() == ["other\n", "same\n"]
    for path in directory.glob("before-*"):
        os.utime(path, (0, 0))
    site.apply(site.file("e"))
    assert contents() == []


def test_a_content_that_cannot_be_kept_is_named(site, monkeypatch):
    """The change itself is made: only undoing it needs what was there."""
    site.path("a").write_text("old\n")

    def refuse(_self, _name, _pieces):
        raise unusable("/state/before-0", OSError(28, ""))

    monkeypatch.setattr(LockedDirectory, "replace", refuse)
    shown = site.apply(site.file("a"))
    assert shown[0] == "WARN  Going on without state between runs: /state/before-0: no space left on device"
    assert site.path("a").read_text() == "new\n"


def test_what_was_changed_and_cannot_be_read(site, monkeypatch):
    def unreadable_after(change, _resource, _state):
        raise HostError("gone wrong")

    monkeypatch.setattr(kept, "_parts_now", unreadable_after)
    shown = site.apply(site.file("a"))
    assert shown[0] == f"WARN  What was changed cannot be read resource=file#{site.path('a')} reason=gone wrong"


def test_two_runs_at_once_keep_what_was_there_first(site):
    """The second run read the state before the first one noted its change."""
    site.path("a").write_text("old\n")
    before = site.snapshot()
    site.apply(site.file("a", content="one\n"))
    first = (directory_of(site) / "state").read_bytes()
    (directory_of(site) / "state").unlink()
    site.apply(site.file("a", content="two\n"))
    (second,) = [words for words in words_in(directory_of(site) / "state") if words[0] == "kept"]
    (directory_of(site) / "state").write_bytes(first)
    write_words(directory_of(site) / "journal", journal_of(str(site.manifest), second))
    assert site.undo().status == 0
    assert site.snapshot() == before


def state_of(site):
    return StateBetweenRuns(os.environ["CCM_STATE"], str(site.manifest), Log(), writes=True)


@pytest.mark.starts_processes
@pytest.mark.parametrize("is_saved", [False, True], ids=["in the journal", "saved by a third run"])
@pytest.mark.parametrize("kind", ["file", "exec"])
def test_an_undo_strikes_off_no_change_that_another_run_has_made_meanwhile(site, kind, is_saved):
    """The other run has noted the change before, is about to make it, and ends before the undo strikes it off."""
    command = {"exec": [{f"touch {site.path('a')}": {"meta": {"undo": f"rm {site.path('a')}"}}}]}
    site.apply(site.file("a") if kind == "file" else command)
    ids = Ids()
    other = RunningRuns(state_of(site).directory, ids)
    other.note()
    (change,) = state_of(site).changes.kept.all.values()
    change.reached = {}
    Journal(state_of(site).directory).note([KeptBefore.of(ids.new(), change)])
    if is_saved:
        Journal(state_of(site).directory).save(lambda _saved: None)
    undoing = state_of(site)
    (key,) = undoing.changes.kept.all
    other.end()
    undoing.changes.strike(key)
    assert list(state_of(site).changes.kept.all) == [key]


def test_an_undo_strikes_off_no_change_that_a_watching_run_made_meanwhile(site, ccm, monkeypatch):
    """The run has changed the resource before, and the undo has read the record of that change."""
    # What it changes stays in the memory of the run.
    monkeypatch.setattr(WatchedManifest, "save", lambda _self: None)
    path = site.path("a")
    path.write_text("old\n")
    site.write(site.file("a"))

    def undo_while_it_is_repaired():
        undoing = state_of(site)
        (key,) = undoing.changes.kept.all
        path.write_text("old\n")
        wait_until(has_content(path, "new\n"))
        wait_until(lambda: words_in(directory_of(site) / "journal")[-1][0] == "kept")
        undoing.changes.strike(key)

    while_watching(ccm, (undo_while_it_is_repaired, ""))
    assert site.undo().out.endswith("1 of 1 changes undone\n")
    assert path.read_text() == "old\n"


def test_what_was_not_kept_at_first_is_not_kept_later(site, monkeypatch):
    site.path("a").write_text("old")
    with monkeypatch.context() as patch:
        patch.setattr(kept, "LARGEST_CONTENT", 1)
        site.apply(site.file("a", content="one\n"))
    site.apply(site.file("a", content="two\n"))
    site.apply(*NOOP)
    assert site.path("a").read_text() == "two\n"
    # After it left the manifest, it can begin anew.
    site.apply(site.file("a", content="three\n"))
    site.apply(*NOOP)
    assert site.path("a").read_text() == "two\n"


def test_a_second_change_that_was_cut_short(site):
    site.apply(site.file("a"))
    (words,) = [words for words in words_in(directory_of(site) / "state") if words[0] == "kept"]
    fields = re.sub(r'"reached":\{[^}]*\}', '"reached":{}', words[3])
    write_words(directory_of(site) / "journal", journal_of(str(site.manifest), ["keep", *words[1:3], fields]))
    site.path("a").write_text("newer\n")
    site.apply(site.file("a", content="newer\n"))
    site.apply(*NOOP)
    assert site.snapshot() == {}


@pytest.mark.starts_processes
def test_a_corrected_command_is_used(site):
    made = str(site.path("made"))
    command = {"command": f"touch {made}", "creates": made}
    site.apply({"exec": [{"make": {**command, "meta": {"undo": "false"}}}]})
    site.apply({"exec": [{"make": {**command, "meta": {"undo": f"rm {made}"}}}]})
    site.apply(*NOOP)
    assert site.snapshot() == {}


def test_a_change_that_failed_and_changed_nothing_is_forgotten(site):
    site.apply(site.file("none/a"))
    assert site.undo().out.startswith("Nothing to undo")
    site.path("none").mkdir()
    site.path("none/a").write_text("by hand")
    site.apply(*NOOP)
    assert site.path("none/a").read_text() == "by hand"


def test_contents_that_no_change_needs_are_removed_later(site):
    site.path("a").write_text("old\n")
    site.apply(site.file("a"))
    site.apply(site.file("a", content="old\n", mode="0644"))
    (content,) = directory_of(site).glob("before-*")
    site.apply(site.file("b"))
    assert content.exists()
    os.utime(content, (0, 0))
    site.apply(site.file("c"))
    assert not content.exists()


def test_a_later_change_that_cannot_be_kept_is_named(site, monkeypatch, tmp_path):
    """What the first change replaced comes back; what a later one replaced is gone, and undo must not hide that."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "one").write_text("one")
    site.path("s").mkdir()
    site.path("s/two").write_text("a longer text")
    tree = {
        "scaffold": [{str(site.path("s")): {"ensure": "present", "source": str(source), "meta": {"reverse": True}}}]
    }
    site.apply(tree)
    (source / "two").write_text("two")
    monkeypatch.setattr(kept, "LARGEST_CONTENT", 5)
    assert any(line.startswith("WARN  What changes cannot be undone") for line in site.apply(tree))
    ran = site.undo()
    assert site.path("s/two").read_text() == "two"
    assert (ran.status, " ERROR A change cannot be undone: " in ran.out) == (1, True)


def test_what_cannot_be_undone_is_named_also_after_it_moved_to_another_manifest(site):
    site.apply(*NOOP)
    site.apply(site.file("a"), words=["--no-state"])
    site.apply(site.file("a"))
    write_child(site, "child.yaml", site.file("a"))
    site.apply({"apply": [{"child.yaml": {}}]})
    site.path("a").write_text("by hand")
    site.apply()
    ran = site.undo()
    assert (ran.status, "A change cannot be undone: a run without state changed it" in ran.out) == (1, True)


def test_a_mark_of_a_resource_that_is_not_declared_now_is_kept(site):
    """Runs of a manifest with other resources in between do not make the change of the run without state known."""
    site.apply(*NOOP)
    site.apply(site.file("a"), *NOOP, words=["--no-state"])
    site.apply(site.file("b"), *NOOP)
    site.apply(site.file("a"), site.file("b"), *NOOP)
    ran = site.undo(f"file#{site.path('a')}")
    assert "A change cannot be undone: a run without state changed it" in ran.out


def test_a_run_that_cannot_say_that_it_runs_goes_on_without_state(site, monkeypatch):
    def full(_directory, _name):
        raise OSError(errno.ENOSPC, "")

    monkeypatch.setattr(running, "HiddenFile", full)
    shown = site.apply(site.file("a"))
    (warning,) = [line for line in shown if "Going on without state between runs" in line]
    assert re.search(r"/run-\w+: no space left on device$", warning)
    assert site.path("a").exists()


@pytest.mark.parametrize("often", [1, 100])
def test_what_changes_and_comes_back_while_it_is_read_is_read_again(site, monkeypatch, often):
    """Two other runs change the file, and bring it back: what is kept must be what this run decided on."""
    site.path("a").write_text("old\n")
    before = site.snapshot()
    found_at, left = kept.found_at, [None] * often

    def in_between(path, *given):
        if not left:
            return found_at(path, *given)
        left.pop()
        old = site.path("a").read_text()
        site.path("other").write_text("new\n")
        os.replace(site.path("other"), path)
        found = found_at(path, *given)
        site.path("other").write_text(old)
        os.replace(site.path("other"), path)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(kept, "found_at", in_between)
        said = site.apply(site.file("a", content="newer\n"))
    ran = site.undo()
    if often == 1:
        assert (ran.status, site.path("a").read_text()) == (0, "old\n")
    else:
        reason = "something else changes it all the time"
        assert f"WARN  What changes cannot be undone resource=file#{site.path('a')} reason={reason}" in said
        assert (ran.status, reason in ran.out, site.snapshot() == before) == (1, True, False)

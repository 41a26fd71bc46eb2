# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was there before a change is kept until it is undone or not needed any more."""

from __future__ import annotations

import os
import re

import pytest
from ccm.engine.state import undo_journal
from ccm.engine.state.files import StateFiles, unusable
from ccm.host.errors import HostError

from tests.unit.undoing import NOOP, Site, directory_of


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
    assert site.undo().out == "Nothing to undo\n"


def test_what_is_no_longer_to_be_reversed_is_forgotten(site):
    site.apply(site.file("a"))
    site.apply(site.file("a", meta={}))
    site.apply(*NOOP)
    assert site.path("a").exists()
    assert site.undo().out == "Nothing to undo\n"


def test_what_is_too_large_cannot_be_undone(site, monkeypatch):
    monkeypatch.setattr(undo_journal, "LARGEST_CONTENT", 1 << 20)
    site.path("a").write_bytes(bytes((1 << 20) + 1))
    shown = site.apply(site.file("a"))
    reason = f"{site.path('a')} is too large: at most 1 MiB are kept"
    assert shown[0] == f"WARN  What changes cannot be undone resource=file#{site.path('a')} reason={reason}"
    assert site.undo().out == "Nothing to undo\n"


def test_too_many_paths_cannot_be_undone(site, monkeypatch):
    monkeypatch.setattr(undo_journal, "MOST_PATHS", 2)
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
    assert contents() == []


def test_a_content_that_cannot_be_kept_is_named(site, monkeypatch):
    """The change itself is made: only undoing it needs what was there."""
    site.path("a").write_text("old\n")

    def refuse(_self, _name, _data, _directory, *, synced):
        raise unusable("/state/before-0", OSError(28, ""))

    monkeypatch.setattr(StateFiles, "replace", refuse)
    shown = site.apply(site.file("a"))
    assert shown[0] == "WARN  Going on without state between runs: /state/before-0: no space left on device"
    assert site.path("a").read_text() == "new\n"


def test_what_was_changed_and_cannot_be_read(site, monkeypatch):
    def unreadable_after(change, _resource, _state):
        raise HostError("gone wrong")

    monkeypatch.setattr(undo_journal, "parts_now", unreadable_after)
    shown = site.apply(site.file("a"))
    assert shown[0] == f"WARN  What was changed cannot be read resource=file#{site.path('a')} reason=gone wrong"


def test_two_runs_at_once_keep_what_was_there_first(site):
    """The second run read the state before the first one noted its change."""
    site.path("a").write_text("old\n")
    before = site.snapshot()
    site.apply(site.file("a", content="one\n"))
    first = (directory_of(site) / "state").read_bytes()
    for path in directory_of(site).glob("state"):
        path.unlink()
    site.apply(site.file("a", content="two\n"))
    second = (directory_of(site) / "state").read_text()
    kept = next(line for line in second.splitlines() if line.startswith("kept\t"))
    (directory_of(site) / "state").write_bytes(first)
    (directory_of(site) / "journal").write_text(f"\n{kept}\n")
    assert site.undo().status == 0
    assert site.snapshot() == before


def test_what_was_not_kept_at_first_is_not_kept_later(site, monkeypatch):
    site.path("a").write_text("old")
    with monkeypatch.context() as patch:
        patch.setattr(undo_journal, "LARGEST_CONTENT", 1)
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
    state = directory_of(site) / "state"
    line = next(line for line in state.read_text().splitlines() if line.startswith("kept\t"))
    line = re.sub(r'"reached":\{[^}]*\}', '"reached":{}', line.replace("kept", "keep", 1))
    (directory_of(site) / "journal").write_text(f"\n{line}\n")
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
    assert site.undo().out == "Nothing to undo\n"
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

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs without state leave marks, so that later runs know what they do not know."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest
from ccm.engine.state.locked_directory import LockedDirectory
from ccm.engine.state.own_files import digest_of_key
from ccm.engine.state.unrecorded import ChangeMark, unrecorded_state
from ccm.engine.state_directory import StateDirectory
from ccm.model.log import Log
from ccm.testing import RecordedLog

from tests.unit.stored import words_in
from tests.unit.undoing import NOOP, Site, directory_of, write_child

REASON = "a run without state changed it"
WARNING = "WARN  What this run changes cannot be undone later: it keeps no state"


@pytest.fixture
def site(ccm, tmp_path, me):
    return Site(ccm, tmp_path, me)


def marks(site):
    """Return the names of the marks without their digests, each with whether it is empty."""
    return sorted((path.name.split("-")[0], path.stat().st_size) for path in directory_of(site).glob("*-*"))


def mark_of(key, prefix="unrecorded"):
    return f"{prefix}-{digest_of_key(key)}"


def test_a_change_without_state_is_marked(site):
    site.apply(*NOOP)
    site.write(site.file("a"), site.file("b", meta={}))
    assert WARNING not in site.ccm("apply", site.manifest, "--no-state").out
    assert marks(site) == [("unrecorded", 0)]
    mark = directory_of(site) / mark_of(f"file#{site.path('a')}")
    assert mark.stat().st_mode & 0o777 == 0o600
    # It is stable now, and in noop nothing changes.
    mark.unlink()
    site.apply(site.file("a"), words=["--no-state"])
    site.apply(site.file("c"), words=["--no-state", "--noop"])
    assert marks(site) == []


def test_a_change_of_an_applied_manifest_is_marked(site):
    site.apply(*NOOP)
    write_child(site, "child.yaml", site.file("a"))
    site.apply({"apply": [{"child.yaml": {}}]}, words=["--no-state"])
    assert (directory_of(site) / mark_of(f"apply#child.yaml > file#{site.path('a')}")).exists()


def test_without_any_state_nothing_is_marked_and_a_warning_says_so(site):
    site.write(site.file("a"))
    shown = site.ccm("apply", site.manifest, "--no-state").out
    advice = "leave out --no-state where resources have meta.reverse or meta.undo"
    assert shown.replace('"', "").count(f"{WARNING} advice={advice}\n") == 1
    assert not (site.manifest.parent / "home/state").exists()


@pytest.mark.parametrize("words", [["--no-state", "--noop"], []])
def test_no_warning_where_nothing_is_lost(site, words):
    site.write(site.file("a"))
    assert WARNING not in site.ccm("apply", site.manifest, *words).out
    site.write(site.file("b", meta={}))
    assert WARNING not in site.ccm("apply", site.manifest, "--no-state").out


def cannot_be_undone(site, name, reason=REASON):
    """Assert that undo names the change of a file, and has failed; the file is as it was."""
    key = f"file#{site.path(name)}"
    before = site.snapshot()
    for words in ([], ["--noop"], [key]):
        ran = site.undo(*words)
        assert f" ERROR A change cannot be undone: {reason} resource={key}\n" in ran.out
        assert ran.out.endswith(f"0 of 1 changes {'would be ' if '--noop' in words else ''}undone\n")
        assert ran.status == 1
    assert site.snapshot() == before


def test_a_change_of_a_run_without_state_cannot_be_undone(site):
    site.apply(*NOOP)
    site.apply(site.file("a"), *NOOP, words=["--no-state"])
    site.apply(site.file("a"), *NOOP)
    cannot_be_undone(site, "a")
    assert marks(site) == []
    (lost,) = [words for words in words_in(directory_of(site) / "state") if words[0] == "lost"]
    assert lost[2:] == [f"file#{site.path('a')}", REASON]
    # What was there before is not known, so that a later change is not undone either.
    site.apply(site.file("a", content="newer\n"))
    cannot_be_undone(site, "a")
    shown = site.ccm("state", "show", site.manifest).out
    assert f"\nCannot Be Undone\n\n  file#{site.path('a')}: {REASON}\n" in shown


def test_what_cannot_be_undone_stays_when_it_leaves_the_manifest(site):
    site.apply(*NOOP)
    site.apply(site.file("a"), *NOOP, words=["--no-state"])
    site.apply(site.file("a"), *NOOP)
    site.apply(*NOOP)
    assert site.path("a").exists()
    assert site.undo().out.startswith("Nothing to undo")


@pytest.mark.parametrize("way", ["changed again", "gone"])
def test_a_run_names_what_cannot_be_undone(site, way):
    site.apply(*NOOP)
    site.apply(site.file("a"), *NOOP, words=["--no-state"])
    if way == "changed again":
        (warning, *_rest) = site.apply(site.file("a", content="newer\n"), *NOOP)
        start = f"WARN  What changes cannot be undone resource=file#{site.path('a')} reason="
    else:
        site.apply(site.file("a"), *NOOP)
        (warning,) = [line for line in site.apply(*NOOP) if line.startswith("WARN")]
        start = f"WARN  What was changed cannot be undone resource=file#{site.path('a')} reason="
    assert warning == f"{start}a run without state changed it"


def failed(site, *words):
    """Apply a manifest whose file is in a directory that does not exist."""
    site.write(site.file("d/a", content="newer\n"), *NOOP)
    assert site.ccm("apply", site.manifest, *words).out.count(" failed ensure=") == 1


@pytest.mark.parametrize("words", [["--no-state"], []])
def test_a_change_that_failed_and_changed_nothing_is_not_marked(site, words):
    site.apply(*NOOP)
    if not words:
        (directory_of(site) / "journal").mkdir()
    failed(site, *words)
    assert marks(site) == []
    if not words:
        (directory_of(site) / "journal").rmdir()
    site.path("d").mkdir()
    before = site.snapshot()
    site.apply(site.file("d/a"), *NOOP)
    assert site.undo().status == 0
    assert site.snapshot() == before


def test_a_change_that_failed_leaves_an_earlier_mark(site):
    site.apply(*NOOP)
    site.path("d").mkdir()
    site.apply(site.file("d/a"), *NOOP, words=["--no-state"])
    before = marks(site)
    site.path("d/a").unlink()
    site.path("d").rmdir()
    failed(site, "--no-state")
    assert marks(site) == before != []


def test_what_cannot_be_undone_can_be_forgotten(site):
    site.apply(*NOOP)
    site.apply(site.file("a"), *NOOP, words=["--no-state"])
    site.apply(site.file("a"), *NOOP)
    ran = site.undo("--forget")
    assert (ran.status, ran.out) == (0, f"The change of file#{site.path('a')} forgotten\n")
    assert site.undo().out.startswith("Nothing to undo")
    # It begins anew.
    before = site.snapshot()
    site.apply(site.file("a", content="newer\n"))
    assert site.undo().status == 0
    assert site.snapshot() == before


def test_a_change_that_was_kept_before_is_undone_also_after_a_run_without_state(site):
    site.path("a").write_text("old\n")
    before = site.snapshot()
    site.apply(site.file("a", content="one\n"))
    site.apply(site.file("a", content="two\n"), words=["--no-state"])
    ran = site.undo()
    assert "not undone: something else changed it since" in ran.out
    assert site.undo("--force").status == 0
    assert site.snapshot() == before


def test_others_are_undone_when_one_cannot_be(site):
    site.apply(site.file("b"), *NOOP)
    site.apply(site.file("a"), site.file("b"), words=["--no-state"])
    site.apply(site.file("a"), site.file("b"))
    ran = site.undo()
    assert (ran.status, ran.out.endswith("1 of 2 changes undone\n")) == (1, True)
    assert list(site.snapshot()) == [str(site.path("a"))]


def test_a_change_that_is_not_to_be_undone_any_more_is_forgotten(site):
    site.apply(*NOOP)
    site.apply(site.file("a"), words=["--no-state"])
    site.apply(site.file("a"))
    site.apply(site.file("a", meta={}), *NOOP)
    assert site.undo().out.startswith("Nothing to undo")


def test_a_mark_that_cannot_be_made_ends_nothing(tmp_path):
    directory = StateDirectory(str(tmp_path / "root"), "0" * 32, Log())
    ChangeMark(directory, "file#/a", is_reversed=True, is_sender=True)
    assert not (tmp_path / "root").exists()
    os.makedirs(directory.path, mode=0o700)
    for path in (directory.path, os.path.dirname(directory.path), directory.root):
        os.chmod(path, 0o700)
    os.mkdir(f"{directory.path}/{mark_of('file#/a')}")
    ChangeMark(directory, "file#/a", is_reversed=True, is_sender=True)
    assert sorted(directory.names()) == [mark_of("file#/a"), mark_of("file#/a", "void")]


@pytest.mark.parametrize(
    ("given", "names"), [((False, False), []), ((True, False), ["unrecorded"]), ((False, True), ["void"])]
)
def test_only_what_matters_later_is_marked(tmp_path, given, names):
    directory = StateDirectory(str(tmp_path), "0" * 32, Log())
    with LockedDirectory(directory):
        pass
    ChangeMark(directory, "file#/a", is_reversed=given[0], is_sender=given[1])
    assert sorted(directory.names()) == sorted(["lock", *(mark_of("file#/a", name) for name in names)])


def test_a_run_that_goes_on_without_state_marks_what_it_changes(site, monkeypatch):
    """As far as it can: a journal that is not writable does not keep it from making an empty file."""
    site.apply(*NOOP)
    (directory_of(site) / "journal").mkdir()
    site.write(site.file("a"), *NOOP)
    assert site.ccm("apply", site.manifest).out.count(" WARN  Going on without state") == 1
    assert ("unrecorded", 0) in marks(site)
    (directory_of(site) / "journal").rmdir()
    site.apply(site.file("a"), *NOOP)
    cannot_be_undone(site, "a")


def test_the_state_of_a_later_version_gets_no_marks(site):
    site.apply(*NOOP)
    later = b"ccm-state\t4\twhatever\n"
    (directory_of(site) / "state").write_bytes(later)
    site.apply(site.file("a"), *NOOP)
    assert (marks(site), (directory_of(site) / "state").read_bytes()) == ([], later)


def test_a_manifest_without_an_identity_says_how_it_gets_one(tmp_path):
    log = RecordedLog()
    manifest = SimpleNamespace(resources=[SimpleNamespace(properties=SimpleNamespace(meta={"reverse": True}))])
    assert unrecorded_state("", manifest, str(tmp_path), log) is None
    ((_level, message, fields),) = log.lines
    assert message == "What this run changes cannot be undone later: it keeps no state"
    advice = "a manifest on standard input keeps state under a name: engine: {state: NAME}"
    assert fields == {"advice": advice}

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one run notes of its changes: also while another run of the same manifest changes the same."""

from __future__ import annotations

import os
import subprocess

import pytest
from ccm.engine.state.journal import Journal
from ccm.engine.state.kept import KeptChanges
from ccm.engine.state_directory import StateDirectory
from ccm.model.log import Log

from tests.unit.layout import CCM
from tests.unit.stored import words_in
from tests.unit.undoing import NOOP, Site, directory_of

pytestmark = pytest.mark.starts_processes


@pytest.fixture
def site(ccm, tmp_path, me):
    return Site(ccm, tmp_path, me)


def kept(site):
    """Return the ids, and the contents before, of the changes that can be undone."""
    store = Journal(StateDirectory(str(site.manifest.parent / "home/state"), str(site.manifest), Log()))
    return {key: (len(ids), change.before) for key, (ids, change) in store.read().changes().items()}


def with_run_within(site, *resources, after="true"):
    """Apply resources; before them another run of the same manifest is made, with another fact, and a command after."""
    begun = site.manifest.parent / "begun"
    state = site.manifest.parent / "home/state"
    again = f"{' '.join(CCM)} apply {site.manifest} --no-report --fact word=two --state {state}"
    command = {"command": f"sh -c 'touch {begun}; {again}; {after}'", "creates": str(begun)}
    return site.apply({"exec": [{"within": command}]}, *resources, words=["--fact", "word=one"])


def test_the_first_reading_of_two_runs_at_once_is_undone(site):
    """The other run changes the file after this one read what earlier runs left, and before it changes the file."""
    site.path("a").write_text("old\n")
    before = site.snapshot()
    with_run_within(site, site.file("a", content="{{ Facts.word }}"))
    assert site.path("a").read_text() == "one"
    assert [count for count, _before in kept(site).values()] == [1]
    assert site.undo().status == 0
    assert site.snapshot() == before


def test_a_run_strikes_off_nothing_of_a_run_at_the_same_time(site):
    """The other run makes a file; this one cannot change it, and takes back its own note only."""
    site.path("d").mkdir()
    before = site.snapshot()
    away, back = site.manifest.parent / "away", site.path("d")
    shown = with_run_within(site, site.file("d/a", content="{{ Facts.word }}"), after=f"mv {back} {away}")
    assert any(line.startswith("ERROR file#") for line in shown)
    away.rename(back)
    assert site.path("d/a").read_text() == "two"
    assert list(kept(site)) == [f"file#{site.path('d/a')}"]
    assert site.undo().status == 0
    assert site.snapshot() == before


def test_a_refresh_that_another_run_owes_is_not_struck_off(site):
    """The other run ends before its subscriber is refreshed; this one refreshes its own one."""
    failing = {"exec": [{"between": {"command": "test {{ Facts.word }} = one"}}]}
    subscriber = {"command": "true", "refreshonly": True, "subscribe": [f"file#{site.path('a')}"]}
    last = {"exec": [{"it": {**subscriber, "require": ["exec#between"]}}]}
    resources = site.file("a", content="{{ Facts.word }}"), failing, last
    with_run_within(site, *resources)
    owed = [words for words in words_in(directory_of(site) / "state") if words[0] == "owe"]
    assert [words[2] for words in owed] == ["exec#it"]
    shown = site.apply(words=["--fact", "word=one"])
    assert sum("refreshed: owed" in line for line in shown) == 1
    assert not any("refreshed" in line for line in site.apply(words=["--fact", "word=one"]))


@pytest.mark.parametrize("name", ["state", "journal"])
def test_a_later_version_writes_while_a_run_goes_on(site, name):
    """The run goes on without state, says so once, and leaves the files of the later version alone."""
    site.apply(*NOOP)
    file = directory_of(site) / name
    later = "ccm-state\\t4\\twhatever\\n"
    remove = f"rm -f {file.parent}/journal" if name == "state" else "true"
    command = f"sh -c 'umask 077; {remove}; printf \"{later}\" > {file}'"
    shown = site.apply({"exec": [{command: {}}]}, site.file("a"))
    (warning,) = [line for line in shown if line.startswith("WARN  Going on without state between runs: ")]
    assert f"{file} was written by a later version of ccm (format 4, this one knows 3)" in warning
    assert site.path("a").exists()
    assert file.read_bytes() == b"ccm-state\t4\twhatever\n"
    assert [path.name for path in file.parent.iterdir() if path.name.startswith(("unrecorded-", "before-"))] == []


def test_a_run_that_is_killed_leaves_what_it_noted(site):
    """What a change replaces is on disk before it: a run that is killed in between can be undone."""
    site.path("a").write_text("old\n")
    before = site.snapshot()
    site.write(site.file("a"), {"exec": [{"sh -c 'kill -9 $PPID'": {}}]})
    done = subprocess.run([*CCM, "apply", str(site.manifest)], capture_output=True, check=False)
    assert done.returncode == -9
    assert site.path("a").read_text() == "new\n"
    assert [words[0] for words in words_in(directory_of(site) / "journal")][:2] == ["journal", "keep"]
    assert list(kept(site)) == [f"file#{site.path('a')}"]
    assert site.undo("--force").status == 0
    assert site.snapshot() == before
    assert site.undo().out.startswith("Nothing to undo")


def test_the_second_run_leaves_an_empty_file_and_the_third_one_nothing(site):
    """The first one changed what the second one finds."""
    site.apply(site.file("a"), *NOOP)
    before = {path: path.stat().st_mtime_ns for path in directory_of(site).iterdir()}
    site.apply(site.file("a"), *NOOP)
    found = {path: path.stat().st_mtime_ns for path in directory_of(site).iterdir()}
    (new,) = found.keys() - before.keys()
    assert (new.name.partition("-")[0], new.read_bytes()) == ("stable", b"")
    assert {path: found[path] for path in before} == before
    site.apply(site.file("a"), *NOOP)
    assert {path: path.stat().st_mtime_ns for path in directory_of(site).iterdir()} == found


def test_a_change_by_another_process_before_the_change_is_kept(site, monkeypatch):
    """What is kept is what the change replaces, not what was read first."""
    site.path("a").write_text("old\n")
    keep = KeptChanges.keep_decided

    def changed_before(*given):
        monkeypatch.setattr(KeptChanges, "keep_decided", keep)
        site.path("a").write_text("by another one\n")
        return keep(*given)

    monkeypatch.setattr(KeptChanges, "keep_decided", changed_before)
    site.apply(site.file("a"))
    assert site.undo().status == 0
    assert site.path("a").read_text() == "by another one\n"


def kill_before_reached(site, monkeypatch, *resources):
    """Apply resources in a process that ends before it notes what its first change left."""
    pid = os.fork()
    if not pid:
        monkeypatch.setattr(KeptChanges, "reach", lambda *_given: os._exit(9))
        site.apply(*resources)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9


@pytest.mark.parametrize("way", ["undo", "apply"])
def test_a_change_that_was_cut_short_is_undone_once(site, monkeypatch, way):
    site.path("a").write_text("old\n")
    before = site.snapshot()
    kill_before_reached(site, monkeypatch, site.file("a"))
    assert (site.path("a").read_text(), list(kept(site))) == ("new\n", [f"file#{site.path('a')}"])
    assert "which was not seen after the change" in site.undo().out
    if way == "apply":
        # The run sees it, and the next one does not declare it.
        site.apply(site.file("a"))
        site.apply(*NOOP)
    else:
        assert site.undo("--force").status == 0
    assert site.snapshot() == before
    assert site.undo().out.startswith("Nothing to undo")
    site.path("a").write_text("by hand")
    site.apply(*NOOP)
    assert site.path("a").read_text() == "by hand"


def test_a_change_that_was_cut_short_can_be_forgotten(site, monkeypatch):
    kill_before_reached(site, monkeypatch, site.file("a"))
    assert site.undo("--forget").out == f"The change of file#{site.path('a')} forgotten\n"
    assert (site.undo().out.startswith("Nothing to undo"), kept(site)) == (True, {})

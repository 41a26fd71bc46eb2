# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""State between runs around the resources of a run: what is compared, read and written."""

from __future__ import annotations

import json
import os
import re
import subprocess

import pytest
from ccm.engine.between_runs import StateBetweenRuns, state_of_manifest
from ccm.engine.state.locked_directory import LockedDirectory
from ccm.model.errors import StoreError
from ccm.model.log import Log
from ccm.resources.file.posix import PosixFileProvider
from ccm.testing import RecordedLog

from tests.unit.layout import CCM
from tests.unit.stored import words_in, write_words
from tests.unit.undoing import NOOP, Site, directory_of, write_child

pytestmark = pytest.mark.starts_processes


@pytest.fixture
def site(ccm, tmp_path, me):
    return Site(ccm, tmp_path, me)


def files(site):
    return {path.name: path.stat().st_mtime_ns for path in directory_of(site).iterdir()}


def entries(site):
    """Return the words after the key of each resource."""
    return {words[1]: words[2:] for words in words_in(directory_of(site) / "state") if words[0] == "resource"}


def converged(site, *resources):
    """Apply resources until a run writes nothing."""
    for _run in range(3):
        site.apply(*resources)
    return files(site)


@pytest.mark.parametrize("words", [[], ["--noop"], ["--parallel", "2"]])
def test_a_run_in_which_nothing_changes_writes_nothing(site, words):
    write_child(site, "child.yaml", site.file("b"))
    resources = site.file("a"), {"apply": [{"child.yaml": {}}]}, *NOOP
    before = converged(site, *resources)
    site.apply(*resources, words=words)
    assert files(site) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda site: site.path("a").write_text("by hand"),
        lambda site: site.write(site.file("a", content="other\n"), *NOOP),
        lambda site: site.write(*NOOP),
        lambda site: site.write(site.file("a"), {"exec": [{"false": {}}]}),
    ],
    ids=["drift", "another content", "a resource that is gone", "a resource that fails"],
)
def test_a_run_in_which_something_changes_writes(site, change):
    before = converged(site, site.file("a"), *NOOP)
    change(site)
    site.apply()
    assert files(site) != before


def test_a_run_without_changes_but_another_text_writes_once(site):
    before = converged(site, site.file("a"), *NOOP)
    after = converged(site, site.file("a", alias="other"), *NOOP)
    assert after != before
    site.apply()
    assert files(site) == after


def test_a_digest_that_cannot_be_read_is_none(tmp_path):
    log = RecordedLog()
    os.mkdir(tmp_path / "root", mode=0o777)
    os.chmod(tmp_path / "root", 0o777)
    run = StateBetweenRuns(str(tmp_path / "root"), "/m.yaml", log, writes=True)
    assert (run.digest, run.changes.was_saved, run.writes) == ("", False, False)
    ((_level, message, fields),) = log.lines
    assert message == f"Going on without state between runs: {tmp_path}/root can be changed by other users"
    assert fields == {"advice": "remove their permission to write"}


def test_a_manifest_without_an_identity_has_no_state(tmp_path):
    given = str(tmp_path / "state"), Log()
    assert state_of_manifest("-", "", "", *given, writes=True) is None
    (tmp_path / "m.yaml").touch()
    found = state_of_manifest("m.yaml", str(tmp_path / "m.yaml"), "", *given, writes=True)
    assert (found.directory.identity, found.changes.was_saved) == (str(tmp_path / "m.yaml"), False)
    assert not (tmp_path / "state").exists()


def test_each_text_of_a_manifest_has_a_digest_of_its_own(tmp_path):
    digests = set()
    for prefix, text in (("", ""), ("", "a"), ("a", ""), ("", "a" * 100_000), ("", "a" * 99_999 + "b"), ("", "\ud800")):
        run = StateBetweenRuns(str(tmp_path), "/m.yaml", Log(), writes=False)
        run.read_text(prefix, text)
        digests.add(run.digests())
    assert len(digests) == 6


def test_the_keys_of_resources_name_the_manifests_that_apply_them(site):
    write_child(site, "child.yaml", site.file("a"), {"apply": [{"grandchild.yaml": {}}]})
    write_child(site, "grandchild.yaml", site.file("b"))
    site.apply({"apply": [{"child.yaml": {}}]})
    assert f"apply#child.yaml > file#{site.path('a')}" in entries(site)
    assert f"apply#child.yaml > apply#grandchild.yaml > file#{site.path('b')}" in entries(site)


def test_a_resource_that_failed_keeps_what_it_reached_with_its_outcome(site):
    site.path("d").mkdir()
    resources = site.file("d/a", meta={}), site.file("b", meta={}, require=[f"file#{site.path('d/a')}"])
    site.apply(*resources)
    before = entries(site)
    site.path("d/a").unlink()
    site.path("d").rmdir()
    site.apply(*resources)
    keys = [f"file#{site.path(name)}" for name in ("d/a", "b")]
    assert [entries(site)[key][:4] for key in keys] == [before[key][:4] for key in keys]
    assert [entries(site)[key][-1] for key in keys] == ["failed", "skipped"]


def test_what_left_the_manifest_and_left_nothing_is_not_kept(site):
    site.apply({"exec": [{"ls": {}}]}, site.file("a", meta={}))
    site.apply({"exec": [{"echo": {}}]})
    assert list(entries(site)) == [f"file#{site.path('a')}", "exec#echo"]


def test_a_refresh_of_a_killed_run_is_made_with_the_ids_that_were_read(site):
    """It is struck off by its id: another one with the same subscriber and cause would stay."""
    subscriber = {"exec": [{"it": {"command": "true", "refreshonly": True, "subscribe": ["exec#true"]}}]}
    converged(site, *NOOP, subscriber)
    owed = ["owe", "an id", "exec#it", "exec#true", "2026-01-02T03:04:05Z"]
    records = words_in(directory_of(site) / "state")
    first = [*records[0][:3], "1", *records[0][4:]]
    write_words(directory_of(site) / "state", [first, *records[1:-1], owed, records[-1]])
    (directory_of(site) / "journal").unlink(missing_ok=True)
    (directory_of(site) / "lock").write_bytes(b"")
    shown = site.apply()
    assert any("refreshed: owed" in line for line in shown)
    assert "refreshed" not in "".join(site.apply())
    assert not any(words[0] == "owe" for words in words_in(directory_of(site) / "state"))


def test_secrets_are_not_in_any_file(site):
    secret = "--password=canary-77aa"
    site.apply({"exec": [{f"echo {secret}": {}}]}, *NOOP)
    for path in directory_of(site).iterdir():
        assert b"canary" not in path.read_bytes(), path
    assert json.loads(site.ccm("state", "show", site.manifest, "--json").out)["resources"]


@pytest.mark.parametrize(
    "damage", [lambda text: text.replace(b"manifest", b"manifesd"), lambda text: text[: len(text) // 2]]
)
def test_a_run_without_changes_names_damage_behind_the_first_line(site, damage):
    converged(site, site.file("a"), *NOOP)
    state = directory_of(site) / "state"
    state.write_bytes(damage(state.read_bytes()))
    said = site.ccm("apply", site.manifest).out
    fault = "Lines of the state of earlier runs (cannot be read|are missing)"
    assert len(re.findall(rf"^ WARN  {fault} file=\S+/state\.damaged-", said, re.MULTILINE)) == 1
    assert " WARN " not in site.ccm("apply", site.manifest).out


def test_a_mark_that_cannot_be_made_is_not_missed(site, monkeypatch):
    def full(_locked):
        raise StoreError("no space left on device")

    converged(site, site.file("a"), *NOOP)
    (mark,) = directory_of(site).glob("stable-*")
    mark.unlink()
    before = files(site)
    with monkeypatch.context() as patch:
        patch.setattr(LockedDirectory, "__enter__", full)
        ran = site.ccm("apply", site.manifest, "--debug")
    assert (ran.status, "WARN" in ran.out, files(site)) == (0, False, before)
    assert "The next run reads all of the state" in ran.out + ran.err


def test_a_manifest_on_standard_input_without_a_name_says_that_nothing_can_be_undone(site):
    site.write(site.file("a"))
    argv = [*CCM, "apply", "/dev/stdin", "--no-report"]
    out = subprocess.run(argv, input=site.manifest.read_text(), capture_output=True, text=True, check=True).stdout
    assert out.count(" WARN  What this run changes cannot be undone later: it keeps no state advice=") == 1
    assert "engine: {state: NAME}" in out


def test_state_that_is_removed_during_a_run_is_named(site):
    remove = {"exec": [{"remove": {"command": f"rm -r {site.manifest.parent / 'home/state'}", "refreshonly": False}}]}
    said = site.apply(site.file("a"), remove, site.file("b"))
    assert (
        sum(line.startswith("WARN  The state was removed: what this run noted before is lost file=") for line in said)
        == 1
    )


def test_a_run_that_was_interrupted_is_not_taken_for_a_whole_one(site, monkeypatch):
    """All is as wanted; the digest of the text alone would be the one of a whole run."""
    for name in ("a", "b", "c"):
        site.path(name).write_text("new\n")
        site.path(name).chmod(0o600)
    status = PosixFileProvider.status

    def interrupted(provider, properties):
        if properties.name.endswith("b"):
            raise KeyboardInterrupt
        return status(provider, properties)

    site.write(*(site.file(name, meta={}) for name in ("a", "b", "c")))
    with monkeypatch.context() as patch:
        patch.setattr(PosixFileProvider, "status", interrupted)
        assert site.ccm("apply", site.manifest, "--no-report").status == 130
    assert f"file#{site.path('c')}" not in entries(site)
    for _run in range(2):
        site.apply()
        assert f"file#{site.path('c')}" in entries(site)


def test_a_change_that_another_version_of_the_manifest_kept_meanwhile_is_undone(site, monkeypatch):
    """Both versions name their state; the other one saves while this one manages its file."""
    other, named = site.manifest.parent / "other.yaml", {"engine": {"state": "both"}}
    other.write_text(json.dumps({"ccm": {"resources": [site.file("a")], **named}}))
    again = [*CCM, "apply", other, "--no-report", "--state", site.manifest.parent / "home/state"]
    status = PosixFileProvider.status

    def after_another(provider, properties):
        if not site.path("a").exists():
            subprocess.run(again, check=True, capture_output=True)
        return status(provider, properties)

    with monkeypatch.context() as patch:
        patch.setattr(PosixFileProvider, "status", after_another)
        site.apply(site.file("c", meta={}), **named)
    assert site.path("a").exists()
    site.apply()
    assert not site.path("a").exists()

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run whose store fails goes on without it, and uses it again once that is possible."""

from __future__ import annotations

import json
import os

import pytest

from tests.patience import wait_until
from tests.unit.stored import words_in
from tests.unit.undoing import NOOP, Site, directory_of

pytestmark = pytest.mark.starts_processes
FAULT = "Going on without state between runs: "
AGAIN = "State between runs is kept again"


@pytest.fixture
def site(ccm, tmp_path, me):
    return Site(ccm, tmp_path, me)


def others_may_write(path, *, mode):
    """Return a command after which the store refuses its directory, or takes it again."""
    return {"exec": [{f"chmod {mode} {path}": {}}]}


def owed(directory):
    files = [directory / name for name in ("state", "journal") if (directory / name).exists()]
    return [words for file in files for words in words_in(file) if words[0] == "owe"]


def test_what_is_owed_meanwhile_is_noted_at_the_end(site):
    """The change of the file is noted nowhere when it is made; the refresh fails, and the next run makes it."""
    site.apply(*NOOP)
    directory = directory_of(site)
    fails = {"command": f"test -e {site.path('ok')}", "refreshonly": True, "subscribe": [f"file#{site.path('a')}"]}
    resources = [
        others_may_write(directory, mode="0702"),
        site.file("a", meta={}),
        {"exec": [{"it": fails}]},
        others_may_write(directory, mode="0700"),
    ]
    shown = site.apply(*resources)
    (fault,) = [line for line in shown if FAULT in line]
    assert fault.startswith(f"WARN  {FAULT}{directory} can be changed by other users")
    assert shown.index(f"INFO  {AGAIN}") > shown.index(fault)
    assert [words[2:4] for words in owed(directory)] == [["exec#it", f"file#{site.path('a')}"]]
    site.path("ok").touch()
    shown = site.apply(*resources[1:3])
    assert any(line.startswith("INFO  refreshed: owed") for line in shown)
    assert owed(directory) == []


def test_what_changes_meanwhile_is_marked_at_the_end(site):
    site.apply(*NOOP)
    directory = directory_of(site)
    shown = site.apply(
        others_may_write(directory, mode="0702"), site.file("a"), others_may_write(directory, mode="0700"), *NOOP
    )
    assert f"INFO  {AGAIN}" in shown
    assert len(list(directory.glob("unrecorded-*"))) == 1
    ran = site.undo()
    assert "A change cannot be undone: a run without state changed it" in ran.out


def test_what_changed_nothing_meanwhile_is_not_marked(site):
    site.apply(site.file("a"), *NOOP)
    directory = directory_of(site)
    failing = site.file("d/b")
    shown = site.apply(
        site.file("a"), others_may_write(directory, mode="0702"), failing, others_may_write(directory, mode="0700")
    )
    assert f"INFO  {AGAIN}" in shown
    assert list(directory.glob("unrecorded-*")) == []


def test_a_store_that_stays_unusable_is_named_once(site):
    site.apply(*NOOP)
    directory = directory_of(site)
    shown = site.apply(others_may_write(directory, mode="0702"), site.file("a"), site.file("b"))
    os.chmod(directory, 0o700)
    assert sum(FAULT in line for line in shown) == 1
    assert not any(AGAIN in line for line in shown)


def test_noop_does_not_use_it_again(site):
    site.apply(*NOOP)
    directory = directory_of(site)
    os.chmod(directory, 0o702)
    site.write(site.file("a"))
    ran = site.ccm("apply", site.manifest, "--noop", "--no-report")
    os.chmod(directory, 0o700)
    assert (FAULT in ran.out, AGAIN in ran.out) == (True, False)


def test_watching_keeps_state_again(watching, tmp_path):
    """A refresh that is owed meanwhile is made by the next run, and a later change can be undone."""
    subscriber = watching.exec(
        "it", f"test -e {tmp_path}/ok", refreshonly=True, subscribe=[f"file#{tmp_path}/a"], meta={"delay": "1h"}
    )
    watching.write(watching.file("a"), subscriber, watching.file("b", meta={"reverse": True}))
    (tmp_path / "ok").touch()
    with watching.started("--status-file", tmp_path / "status"):
        watching.rest()
        (directory,) = (tmp_path / "state/manifests").iterdir()

        def degraded():
            return json.loads((tmp_path / "status").read_text())["degraded"]

        os.chmod(directory, 0o702)
        (tmp_path / "ok").unlink()
        (tmp_path / "a").write_text("other")
        wait_until(lambda: watching.count(" exec#it failed ") == 1)
        wait_until(lambda: degraded() == [f"no state between runs is kept: {directory} can be changed by other users"])
        assert watching.count(FAULT) == 1
        os.chmod(directory, 0o700)
        (tmp_path / "b").write_text("other")
        wait_until(lambda: watching.count(AGAIN) == 1)
        wait_until(lambda: degraded() == [])
        assert [words[2] for words in owed(directory)] == ["exec#it"]
        assert list(directory.glob("unrecorded-*")) == []
    assert (tmp_path / "b").read_text() == "text\n"


def test_watching_uses_no_store_of_a_later_version(watching, tmp_path):
    watching.write(watching.file("a"))
    with watching.started():
        watching.rest()
        (directory,) = (tmp_path / "state/manifests").iterdir()
        state = directory / "state"
        state.write_text("ccm-state\t99\twhatever\n")
        (directory / "journal").unlink(missing_ok=True)
        for count in (1, 2):
            (tmp_path / "a").write_text("other")
            wait_until(lambda count=count: watching.count(" changed ") == 1 + count)
            watching.rest()
    assert (watching.count(FAULT), watching.count(AGAIN)) == (1, 0)
    assert state.read_text() == "ccm-state\t99\twhatever\n"

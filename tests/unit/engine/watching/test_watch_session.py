# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The session of `ccm watch`: changes of earlier steps, resources that are gone, and events that cannot be stored."""

from __future__ import annotations

import json

import pytest
from ccm.engine.session_directory import DirectorySession
from ccm.engine.watching.watch_session import WatchSession
from ccm.model.errors import ResourceFailed
from ccm.model.event import Event
from ccm.model.log import Log
from ccm.testing import RecordedLog

from tests.patience import wait_until
from tests.unit.engine.lamp_type import record


@pytest.mark.starts_processes
def test_sigterm_ends_it_with_status_0_and_a_whole_session(watching, tmp_path):
    session = tmp_path / "session"
    session.mkdir()
    watching.write(watching.file("one"))
    with watching.started("--session", session):
        watching.settle()
        (tmp_path / "one").unlink()
        wait_until(lambda: watching.count(" changed ") == 2)
    assert watching.process.returncode == 0
    records = [json.loads(path.read_text()) for path in sorted(session.glob("*.event"))]
    starts = [each for each in records if each["protocol"].endswith("session.start")]
    assert len(starts) >= 2
    assert [each.get("changed") for each in records].count(True) == 2


@pytest.mark.starts_processes
def test_who_names_a_resource_that_is_removed_fails_as_in_a_new_run(watching, tmp_path):
    note = watching.exec("note", "true", refreshonly=True, subscribe=[f"file#{tmp_path}/one"])
    watching.write(watching.file("one"), note)
    with watching.started():
        watching.write(watching.file("two"), note)
        wait_until(lambda: watching.count(f"no events found for file#{tmp_path}/one") >= 1)


@pytest.mark.starts_processes
def test_a_session_that_cannot_be_written_is_named_once(ccm, watching, tmp_path):
    (tmp_path / "session").mkdir()
    watching.write(watching.exec("remove", f"rm -r {tmp_path}/session"), watching.file("one"))
    done = ccm("watch", "m.yaml", "--exit-converged", "100ms", "--session", tmp_path / "session")
    assert done.status == 0
    assert done.out.count("Events cannot be stored in the session") == 1


def noted(session, name, **results):
    """Record an event of an exec resource in a session, and return it."""
    event = Event("exec", name, "")
    for name, value in results.items():
        setattr(event, name, value)
    event.finish(1)
    session.record(event)
    return event


def test_a_change_counts_only_in_the_step_in_which_it_happened():
    session = WatchSession(None, Log())
    session.begin_step()
    event = noted(session, "a", changed=True)
    assert session.last_event("exec", "a") is event
    session.begin_step()
    settled = session.last_event("exec", "a")
    assert (settled.changed, event.changed) == (False, True)
    assert settled.event_id == event.event_id
    again = noted(session, "a", changed=False)
    session.begin_step()
    assert session.last_event("exec", "a") is again


def test_a_failure_stays_one_in_later_steps():
    session = WatchSession(None, Log())
    noted(session, "a", failed=True)
    session.begin_step()
    assert session.last_event("exec", "a").blocks_dependents


def test_only_the_last_event_of_a_resource_is_kept():
    session = WatchSession(None, Log())
    for _time in range(3):
        noted(session, "a")
    assert list(session.events()) == []


def test_resources_that_are_gone_have_no_event_by_name_or_alias():
    session = WatchSession(None, Log())
    noted(session, "a", alias="b")
    noted(session, "c")
    session.forget([(("", "exec", "a"), "b")])
    for name in ("a", "b"):
        with pytest.raises(ResourceFailed, match=f"^no events found for exec#{name}$"):
            session.last_event("exec", name)
    assert session.last_event("exec", "c").name == "c"


def test_each_burst_is_a_run_of_its_own_in_the_store(tmp_path):
    session = WatchSession(lambda: DirectorySession(str(tmp_path)), Log())
    record(session, "before")
    for name in ("a", "b"):
        session.start()
        record(session, name)
    records = [json.loads(path.read_text()) for path in sorted(tmp_path.iterdir())]
    assert [record.get("name") for record in records] == [None, "a", None, "b"]


def test_a_store_that_fails_is_named_once_and_tried_again_in_the_next_burst(tmp_path):
    log, store = RecordedLog(), tmp_path / "session"
    session = WatchSession(lambda: DirectorySession(str(store)), log)
    for _burst in range(2):
        session.start()
        noted(session, "a")
    ((level, message, fields),) = log.lines
    assert (level, message) == ("WARN", "Events cannot be stored in the session")
    assert fields == {"reason": f"session store {store} does not exist"}
    store.mkdir()
    session.start()
    noted(session, "a")
    assert len(list(store.iterdir())) == 2

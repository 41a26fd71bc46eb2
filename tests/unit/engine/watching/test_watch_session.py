# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The session of `ccm watch`: changes of earlier steps, resources that are gone, and events that cannot be stored."""

from __future__ import annotations

import json

import pytest

from tests.patience import wait_until


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

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions with a directory, or an event in it, that cannot be used."""

from __future__ import annotations

import json
import os

import pytest
from ccm.cli.main import main

pytestmark = pytest.mark.starts_processes


def test_a_session_that_cannot_be_read(tmp_path, monkeypatch, capsys):
    store = tmp_path / "session"
    store.mkdir()

    def raise_error(path):
        raise PermissionError(13, "Permission denied", path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "listdir", raise_error)
        main(["session", "report", "--session", str(store)])
    assert f"session store {store} cannot be read: " in capsys.readouterr().err


#: A value of each kind of JSON, and limits of these.
VALUES = [
    *(None, True, False, 0, 1, -1, 0.5, 2**63, 10**30, float("nan"), float("inf")),
    *("", "x", "\0", "\ud800", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"),
    *([], [1], [None], ["x"], [[]], [{}], {}, {"a": 1}),
]
FIELDS = ("event_id", "timestamp", "type", "name", "alias", "duration", "changed", "refreshed", "failed", "skipped")
FIELDS += ("noop", "unmet_requirements", "health_check", "protocol")


@pytest.fixture
def event(ccm, tmp_path):
    """The file of an event of `exec#true`, and its content."""
    (tmp_path / "s").mkdir()
    ccm("ensure", "exec", "true", "--alias", "a", "--session", "s", "--check", "true")
    (file,) = (tmp_path / "s").iterdir()
    return file, json.loads(file.read_text())


def counted_resources(ccm):
    """Return how many resources the report counts, after all forms of the report were printed."""
    assert ccm("session", "report", "--session", "s").status == 0
    ran = ccm("session", "report", "--session", "s", "--json")
    for flag in ("--require", "--subscribe"):
        assert ccm("ensure", "exec", "false", "--session", "s", "--noop", flag, "exec#true").status == 0
    return json.loads(ran.out)["total_resources"]


@pytest.mark.parametrize("field", FIELDS)
def test_events_with_unknown_fields_are_ignored(ccm, event, field, tmp_path):
    file, record = event
    assert field in record or field == "unmet_requirements"
    for value in VALUES:
        for other in (tmp_path / "s").iterdir():
            other.unlink()
        file.write_text(json.dumps({**record, field: value}))
        is_right = value is None if field not in record else value.__class__ is record[field].__class__
        counted = counted_resources(ccm)
        if not is_right and value is not None:
            assert counted == 0, value


@pytest.mark.parametrize("check", [1, "x", [], True])
def test_an_event_with_an_invalid_health_check_is_ignored(ccm, event, check):
    file, record = event
    file.write_text(json.dumps({**record, "health_check": [check]}))
    assert counted_resources(ccm) == 0
    file.write_text(json.dumps({**record, "health_check": [{"status": check}]}))
    assert counted_resources(ccm) > 0


def test_events_with_a_very_long_duration_are_counted(ccm, event):
    file, record = event
    for name in ("a", "b"):
        text = json.dumps({**record, "duration": 2**63 - 1, "timestamp": "2262-04-11T23:47:16Z"})
        file.with_name(name * 27 + ".event").write_text(text)
    assert counted_resources(ccm) == 3


def test_a_session_path_with_nul_is_refused(ccm, tmp_path):
    (tmp_path / "nul").write_text("a\0b\n")
    for words, what in (
        (("session", "report", "--session"), f"session store {tmp_path}/a\\x00b cannot be read: "),
        (("session", "new", "--directory"), "session store a\\x00b cannot be made: "),
        (("ensure", "exec", "true", "--session"), f"session store {tmp_path}/a\\x00b cannot be written: "),
    ):
        ran = ccm(*words, "@nul")
        assert (ran.status, ran.err) == (1, f"ccm: error: {what}invalid argument\n")


def test_an_event_that_is_too_large_is_ignored(ccm, event, monkeypatch):
    file, _record = event
    monkeypatch.setattr("ccm.engine.session_directory.LARGEST_EVENT", file.stat().st_size - 1)
    assert json.loads(ccm("session", "report", "--session", "s", "--json").out)["total_resources"] == 0
    monkeypatch.setattr("ccm.engine.session_directory.LARGEST_EVENT", file.stat().st_size)
    assert json.loads(ccm("session", "report", "--session", "s", "--json").out)["total_resources"] == 1

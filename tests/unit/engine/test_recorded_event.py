# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Events that are read from files: their times, and values that events do not have."""

from __future__ import annotations

import json

import pytest
from ccm.engine.recorded_event import nanoseconds
from ccm.model.clock import timestamp


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1700000000_000000000, "2023-11-14T22:13:20Z"),
        (1700000000_120000000, "2023-11-14T22:13:20.12Z"),
        (1700000000_000000001, "2023-11-14T22:13:20.000000001Z"),
    ],
)
def test_timestamps_convert_both_ways(moment, text):
    assert timestamp(moment) == text
    assert nanoseconds(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "1970-01-01T00:00:00",
        "1970-01-01T00:00:00.Z",
        "1970-01-01T00:00:00.+1Z",
        "1970-01-01T00:00:00.\u0661Z",
        "1970-01-01T00:00:00+02:00",
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
        "10000-01-01T00:00:00Z",
    ],
)
def test_invalid_timestamps(text):
    with pytest.raises(ValueError, match=r".*"):
        nanoseconds(text)


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


@pytest.mark.starts_processes
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


@pytest.mark.starts_processes
@pytest.mark.parametrize("check", [1, "x", [], True])
def test_an_event_with_an_invalid_health_check_is_ignored(ccm, event, check):
    file, record = event
    file.write_text(json.dumps({**record, "health_check": [check]}))
    assert counted_resources(ccm) == 0
    file.write_text(json.dumps({**record, "health_check": [{"status": check}]}))
    assert counted_resources(ccm) > 0


@pytest.mark.starts_processes
def test_events_with_a_very_long_duration_are_counted(ccm, event):
    file, record = event
    for name in ("a", "b"):
        text = json.dumps({**record, "duration": 2**63 - 1, "timestamp": "2262-04-11T23:47:16Z"})
        file.with_name(name * 27 + ".event").write_text(text)
    assert counted_resources(ccm) == 3

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON schema of events accepts the events of the recorded cases, and no invalid events."""

from __future__ import annotations

import copy
import json

import pytest
from ccm.engine.session_directory import DirectorySession
from ccm.model.clock import new_event_id, timestamp
from ccm.resources.descriptions import description
from ccm.resources.types import TYPE_NAMES, TYPES
from ccm.schema import event as event_schema
from jsonschema import Draft202012Validator, FormatChecker

from tests.unit.recorded import cases

SCHEMA = event_schema.event_schema()
JUDGE = Draft202012Validator(SCHEMA, format_checker=FormatChecker())
DROPPED_BY_RECORDINGS = {"event_id": new_event_id(), "timestamp": timestamp(), "duration": 1}
ANY_TEXT = "0644"
NO_TIME = "0001-01-01T00:00:00Z"


def recorded_events():
    """Return each event of the cases: the name of the case, the event completed with fields that recordings drop."""
    for _path, case in cases():
        for step in case.get("steps", ()):
            want = step.get("want") or {}
            events = list(want.get("events") or ())
            if isinstance(want.get("reply"), dict) and isinstance(want["reply"].get("state"), dict):
                events.append(want["reply"]["state"])
            for event in events:
                if "commonresourcestate" not in (event.get("status") or {}):
                    yield case["name"], _completed(event)


def _completed(event):
    event = _without_marks(copy.deepcopy(event))
    if isinstance(event["error"], str):
        event["error"] = [event["error"]]
    event.update(DROPPED_BY_RECORDINGS)
    status = event["status"]
    if status:
        status["timestamp"] = timestamp()
        metadata = status.get("metadata", {})
        if "size" in metadata and not isinstance(metadata["size"], int):
            del metadata["size"]
        if "mtime" in event_schema.event_definitions()[f"{event['type']}_state"]["properties"].get("metadata", {}).get(
            "required", ()
        ):
            metadata.setdefault("mtime", NO_TIME)
    return event


def _without_marks(value):
    if isinstance(value, dict):
        if value and set(value) <= {"has", "lacks", "any"}:
            return ANY_TEXT
        return {key: _without_marks(entry) for key, entry in value.items()}
    return [_without_marks(entry) for entry in value] if isinstance(value, list) else value


EVENTS = list(recorded_events())
OF_ORIGINAL = [listed.name for listed in TYPES if not listed.extension]


def test_the_schema_is_valid():
    Draft202012Validator.check_schema(SCHEMA)


def test_every_type_has_its_state():
    assert all(description(name).state_fields for name in TYPE_NAMES)


def test_recorded_events_are_valid():
    wrong = [(name, error.json_path, error.message) for name, event in EVENTS for error in JUDGE.iter_errors(event)]
    assert wrong == []
    assert len(EVENTS) > 300
    assert {event["type"] for _name, event in EVENTS} == set(OF_ORIGINAL)


def test_every_file_of_a_session_is_a_valid_event(tmp_path):
    session = DirectorySession(str(tmp_path))
    session.start()
    [start] = [json.loads(path.read_text()) for path in tmp_path.glob("*.event")]
    JUDGE.validate(start)
    for change in ({"event_id": "short"}, {"timestamp": "yesterday"}, {"type": "exec"}):
        assert list(JUDGE.iter_errors({**start, **change}))


def test_the_fields_of_states_occur_in_the_recordings():
    """Each field that a state can have was recorded once, except fields of errors of the host, and additions."""
    met = {}
    for _name, event in EVENTS:
        status = event["status"] or {}
        met.setdefault(event["type"], set()).update(status, status.get("metadata", ()))
    for name in OF_ORIGINAL:
        fields = description(name).state_fields
        for prop in fields:
            fields_of_original = (field.name for field in prop.fields if not field.extension)
            assert {prop.name, *fields_of_original} <= met[name], name


def values_of(name, **changes):
    event = next(event for _case, event in EVENTS if event["type"] == name and event["status"])
    return json.loads(json.dumps({**event, **changes}))


@pytest.mark.parametrize(
    "event",
    [
        {},
        values_of("exec", protocol="io.choria.ccm.v1.session.start"),
        values_of("exec", event_id="short"),
        values_of("exec", timestamp="yesterday"),
        values_of("exec", duration="2ms"),
        values_of("exec", type="lamp"),
        values_of("file", type="exec"),
        values_of("exec", error="failed"),
        values_of("exec", health_check=[{"status": "OK", "tries": 1, "Output": ""}]),
        values_of("exec", health_check=[{"status": 4, "tries": 1, "Output": ""}]),
        values_of("exec", health_check=[{"status": 0, "tries": 1, "output": ""}]),
        values_of("exec", health_check_only=False),
        values_of("exec", properties={"name": "x", "enable": True}),
        values_of("exec", properties={"ensure": "present"}),
        values_of("file", properties={"name": "/f", "mode": "644"}),
        values_of("service", properties={"name": "x", "enable": "true"}),
        values_of("exec", more=1),
        {key: value for key, value in values_of("exec").items() if key != "unmet_requirements"},
    ],
)
def test_invalid_events(event):
    assert list(JUDGE.iter_errors(event))


def test_a_state_is_complete_without_other_fields():
    event = values_of("file")
    JUDGE.validate(event)
    for change in ({"stable": None}, {"exitcode": 0}, {"protocol": "io.choria.ccm.v1.resource.exec.state"}):
        assert list(JUDGE.iter_errors({**event, "status": {**event["status"], **change}}))
    del event["status"]["metadata"]["owner"]
    assert list(JUDGE.iter_errors(event))

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of a resource: expected ones as they are, others without their message, which may hold secrets."""

from __future__ import annotations

import pytest
from ccm.engine.failures import fail, reportable
from ccm.engine.recorded_event import nanoseconds
from ccm.engine.transaction import run_transaction
from ccm.host.errors import HostError
from ccm.model.errors import CCMError
from ccm.model.event import Event
from ccm.testing import RecordedLog

from tests.unit.engine.lamp_type import LampProvider, LampType, context, lamp


class FaultyProvider(LampProvider):
    """A provider whose status raises an unexpected error."""

    error: Exception = ValueError()

    def status(self, properties):
        raise self.error


class FaultyType(LampType):
    def provider(self, name):
        return FaultyProvider


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError(28, "", "/full"), "unexpected error: /full: no space left on device"),
        (OSError(28, ""), "unexpected error: no space left on device"),
        (ValueError("s3cret"), "unexpected ValueError in engine.transaction, line "),
        (OverflowError("s3cret"), "unexpected OverflowError in engine.transaction, line "),
        (RecursionError("s3cret"), "unexpected RecursionError in engine.transaction, line "),
        (MemoryError("s3cret"), "unexpected MemoryError in engine.transaction, line "),
        (TypeError("s3cret"), "unexpected TypeError in engine.transaction, line "),
        (AttributeError("s3cret"), "unexpected AttributeError in engine.transaction, line "),
        (KeyError("s3cret"), "unexpected KeyError in engine.transaction, line "),
    ],
)
def test_an_unexpected_error_fails_the_resource_and_not_the_run(error, text, monkeypatch):
    monkeypatch.setattr(FaultyProvider, "error", error)
    event = run_transaction(lamp("desk", type=FaultyType()), context())
    assert (event.failed, event.changed) == (True, False)
    assert event.errors[0].startswith(text)
    assert "s3cret" not in event.errors[0]
    assert str(event.resource.reference) == "lamp#desk"


def test_a_closed_standard_output_ends_the_run(monkeypatch):
    monkeypatch.setattr(FaultyProvider, "error", BrokenPipeError(32, ""))
    with pytest.raises(BrokenPipeError):
        run_transaction(lamp("desk", type=FaultyType()), context())


def test_expected_errors_are_reported_as_they_are():
    for error in (CCMError("x"), HostError("x")):
        assert reportable(error) is error


def test_where_an_unexpected_error_was_raised_is_the_last_place_in_this_package():
    try:
        nanoseconds("9999")
    except ValueError as error:
        found = reportable(error)
    assert found.message.startswith("unexpected ValueError in engine.recorded_event, line ")
    assert found.advice == "this should not happen, please report it"


def test_the_traceback_of_a_type_of_another_package_is_for_the_log():
    event, log = Event("lamp", "hall", ""), RecordedLog()
    error = CCMError("on of a provider raised KeyError")
    error.traceback = lambda: ["line 1", "line 2"]
    fail(event, error, log)
    assert (event.failed, event.errors, event.causes) == (True, ["on of a provider raised KeyError"], [error])
    assert [(level, message) for level, message, _fields in log.lines] == [("DEBUG", "line 1"), ("DEBUG", "line 2")]

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The decision table of the service type, row by row (behaviour.md 10)."""

import itertools

import pytest
from ccm.resources.service.type import TYPE as SERVICE
from ccm.resources.service.type import ServiceState

from .states import seen


def wanted(ensure, enable=None):
    return SERVICE.made({"name": "s", "ensure": ensure, "enable": enable})


def found(ensure, enabled=False, **fields):
    metadata = {"name": "s", "provider": "systemd", "enabled": enabled, "running": ensure == "running"}
    return seen(ServiceState, "s", ensure, metadata, **fields)


# is, wanted, whether a subscribed resource changed: verbs and what noop says
RUNNING = [
    ("running", "running", True, ("restart",), "restarted via subscribe"),
    ("stopped", "stopped", False, (), ""),
    ("stopped", "stopped", True, (), ""),
    ("running", "stopped", False, ("stop",), "stopped"),
    ("running", "stopped", True, ("stop",), "stopped"),
    ("running", "running", False, (), ""),
    ("stopped", "running", False, ("start",), "started"),
    ("stopped", "running", True, ("start",), "started"),
]
# is enabled, wanted
ENABLED = [
    (False, None, (), ""),
    (True, None, (), ""),
    (True, True, (), ""),
    (False, True, ("enable",), "enabled"),
    (True, False, ("disable",), "disabled"),
    (False, False, (), ""),
]


@pytest.mark.parametrize(("running", "enabled"), list(itertools.product(RUNNING, ENABLED)))
def test_table(running, enabled):
    is_ensure, ensure, refresh, run_verbs, run_message = running
    is_enabled, enable, enable_verbs, enable_message = enabled
    decision = SERVICE.decide(found(is_ensure, is_enabled), wanted(ensure, enable), refresh)
    assert decision.verbs == run_verbs + enable_verbs
    message = ", would have ".join(filter(None, (run_message, enable_message)))
    assert decision.noop_message == (f"Would have {message}" if message else "")
    assert decision.refreshed == (run_verbs == ("restart",))
    assert decision.settled == (not decision.verbs)


@pytest.mark.parametrize(
    ("state", "properties", "reason"),
    [
        (found("running"), wanted("running"), ""),
        (found("running", True), wanted("running", True), ""),
        (found("stopped", False), wanted("stopped", False), ""),
        (found("stopped"), wanted("running"), "running: service is stopped, expected running"),
        (found("running"), wanted("stopped"), "stopped: service is running, expected stopped"),
        (found("stopped"), wanted("running", True), "running: service is stopped, expected running"),
        (found("running"), wanted("running", True), "running: service is disabled, expected enabled"),
        (found("stopped", True), wanted("stopped", False), "stopped: service is enabled, expected disabled"),
        (
            found("stopped", said=["Job for s.service failed."]),
            wanted("running"),
            "running: service is stopped, expected running: Job for s.service failed.",
        ),
        (
            found("running", said=["Access denied"]),
            wanted("running", True),
            "running: service is disabled, expected enabled: Access denied",
        ),
        (
            found("stopped", True, said=["Access denied"]),
            wanted("stopped", False),
            "stopped: service is enabled, expected disabled: Access denied",
        ),
        (found("running", said=["Created symlink."]), wanted("running"), ""),
    ],
)
def test_reasons(state, properties, reason):
    assert SERVICE.shortfall(state, properties) == reason


def test_the_provider_is_systemd():
    assert SERVICE.provider_names == ("systemd",)
    assert SERVICE.provider("systemd").name == "systemd"

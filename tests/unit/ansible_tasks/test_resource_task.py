# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that manage a service: their results, with and without check mode, and refreshed."""

from __future__ import annotations

import itertools

import pytest
from ccm.ansible_tasks.argument_spec import argument_spec
from ccm.ansible_tasks.resource_task import run_resource
from ccm.model.errors import NotThereYet, ResourceFailed
from ccm.model.provider import Provider
from ccm.resources.service.difference import differences
from ccm.resources.service.type import TYPE as SERVICE
from ccm.resources.service.type import ServiceState, ServiceType

from tests.unit.ansible_tasks.module import ran

NOW = {}
DONE = []


class Services(Provider):
    """A provider of one service with the state in NOW; actions are recorded in DONE."""

    name = "fake"

    def status(self, properties):
        metadata = {"name": properties.name, "provider": "fake", **NOW}
        ensure = "running" if NOW["running"] else "stopped"
        return ServiceState(properties.name, ensure, {"metadata": metadata})

    def differences(self, properties, state):
        return differences(properties, state)

    def act(self, verb, properties, state):
        DONE.append(verb)
        NOW.update({"running": verb != "stop"} if verb in ("start", "stop") else {})
        NOW.update({"enabled": verb == "enable"} if verb in ("enable", "disable") else {})


@pytest.fixture(autouse=True)
def fake_provider(monkeypatch):
    monkeypatch.setattr(ServiceType, "provider_names", ("fake",))
    monkeypatch.setattr(ServiceType, "default_provider", "")
    monkeypatch.setattr(ServiceType, "provider", lambda self, name: Services, raising=False)


def task(check=False, diff=False, **arguments):
    arguments = {"name": "web", **arguments}
    return ran(lambda module: run_resource(module, SERVICE), argument_spec(SERVICE), arguments, check, diff)


@pytest.mark.parametrize(
    ("running", "enabled", "ensure", "enable", "refresh"),
    list(itertools.product((True, False), (True, False), (None, "running", "stopped"), (None, True, False), (0, 1))),
)
def test_check_mode_predicts_the_run(running, enabled, ensure, enable, refresh):
    NOW.update(running=running, enabled=enabled)
    DONE.clear()
    options = {"ensure": ensure, "enable": enable, "refresh": bool(refresh)}
    options = {key: value for key, value in options.items() if value is not None}
    preview = task(check=True, diff=True, **options)
    assert ([], {"running": running, "enabled": enabled}) == (DONE, NOW)
    done = task(diff=True, **options)
    run = ensure != "stopped"
    first = "restart" if refresh and run and running else "" if run == running else "start" if run else "stop"
    second = "" if enable in (None, enabled) else "enable" if enable else "disable"
    assert [verb for verb in (first, second) if verb] == DONE
    assert preview["changed"] == done["changed"] == bool(DONE)
    assert done["event"]["refreshed"] == preview["event"]["refreshed"] == (first == "restart")
    words = {
        "restart": "restarted via subscribe",
        "start": "started",
        "stop": "stopped",
        "enable": "enabled",
        "disable": "disabled",
    }
    message = [words[verb] for verb in DONE]
    assert preview["msg"] == (", ".join(f"would have {word}" for word in message).capitalize() or "Nothing to do")
    assert done["msg"] == (", ".join(message).capitalize() or "Nothing to do")
    assert done["diff"] == preview["diff"]
    before, after = {}, {}
    if run != running:
        before["ensure"], after["ensure"] = ("running", "stopped") if running else ("stopped", "running")
    if second:
        before["enabled"], after["enabled"] = enabled, enable
    headers = {"before_header": "service web", "after_header": "service web"}
    assert done["diff"] == ([{**headers, "before": before, "after": after}] if after else [])


@pytest.mark.parametrize(
    ("refresh", "running", "done", "message"),
    [
        ("reload", True, "reload", "Reloaded via subscribe"),
        ("reload", False, "start", "Started"),
        ("restart", True, "restart", "Restarted via subscribe"),
        ("yes", True, "restart", "Restarted via subscribe"),
        ("no", True, "", "Nothing to do"),
        (None, True, "", "Nothing to do"),
    ],
)
def test_a_word_says_how_a_service_is_refreshed(refresh, running, done, message):
    NOW.update(running=running, enabled=True)
    DONE.clear()
    result = task(refresh=refresh)
    assert (result["msg"], DONE) == (message, [done] if done else [])
    assert "meta" not in result["event"]["properties"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"refresh": "often"}, "service#web: refresh must be true, false, restart or reload, not 'often'"),
        ({"name": "a;b"}, 'service#a;b: service name contains dangerous characters: "a;b"'),
        ({"name": "a b"}, 'service#a b: service name contains invalid characters: "a b"'),
        ({"name": ""}, "service#: "),
        ({"enable": "often"}, "service#web: enable must be true, false or mask, not 'often'"),
        ({"enable": "mask"}, "service#web: enable cannot be mask with ensure running: "),
        ({"provider": "magic"}, 'provider not found (provider: "magic"); providers of service: fake'),
    ],
)
def test_invalid_options_are_reported(arguments, message):
    result = task(**arguments)
    assert (result["failed"], result["changed"]) == (True, False)
    assert message in result["msg"]


def test_a_mask_is_predicted():
    NOW.update(running=True, enabled=True)
    DONE.clear()
    preview = task(check=True, diff=True, ensure="stopped", enable="mask")
    assert preview["msg"] == "Would have stopped, would have masked"
    assert preview["diff"][0]["after"] == {"ensure": "stopped", "enabled": "masked"}
    assert task(check=True, ensure="unmanaged", enable="yes")["msg"] == "Nothing to do"


def test_other_states_are_refused():
    with pytest.raises(ValueError, match="value of ensure must be one of: running, stopped, unmanaged"):
        task(ensure="restarted")


@pytest.mark.parametrize("check", [False, True])
def test_a_failure_that_an_earlier_task_might_have_prevented(monkeypatch, check):
    def status(_provider, _properties):
        raise NotThereYet("group web does not exist", advice="declare it before")

    monkeypatch.setattr(Services, "status", status)
    result = task(check=check)
    more = "; check mode does not know what earlier tasks would change" if check else ""
    assert (result["failed"], result["msg"]) == (
        True,
        f"service#web: group web does not exist; declare it before{more}",
    )


def test_a_failure_that_no_earlier_task_prevents(monkeypatch):
    def status(_provider, _properties):
        raise ResourceFailed("the disk is broken")

    monkeypatch.setattr(Services, "status", status)
    assert task(check=True)["msg"] == "service#web: the disk is broken"

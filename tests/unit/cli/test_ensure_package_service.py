# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm ensure package`, `ccm ensure service` and `ccm status` of both, with fake providers."""

from __future__ import annotations

import json

import pytest
from ccm.model.batch_provider import BatchProvider
from ccm.model.provider import Provider, ProviderOptions
from ccm.resources.package.type import PackageState, PackageType
from ccm.resources.service.type import ServiceState, ServiceType

INSTANCES = []


class Packages(BatchProvider):
    """A provider with only the package `old` installed, at 1.0; INSTANCES has the providers that read a state."""

    name = "fake"
    partition = act_on_batch = None

    def status(self, properties):
        INSTANCES.append(self)
        version = "1.0" if properties.name == "old" else "absent"
        found = {"name": properties.name, "version": version, "provider": "fake"}
        return PackageState(properties.name, version, {"metadata": found})


class Services(Provider):
    """A provider whose services are all stopped and disabled."""

    name = "fake"

    def status(self, properties):
        found = {"name": properties.name, "provider": "fake", "enabled": False, "running": False}
        return ServiceState(properties.name, "stopped", {"metadata": found})


@pytest.fixture(autouse=True)
def fake_providers(monkeypatch):
    INSTANCES.clear()
    for type, provider in ((PackageType, Packages), (ServiceType, Services)):
        monkeypatch.setattr(type, "provider_names", ("fake",))
        monkeypatch.setattr(type, "default_provider", "")
        monkeypatch.setattr(type, "provider", lambda self, name, provider=provider: provider, raising=False)


@pytest.fixture
def event(ccm, tmp_path):
    """Ensure a resource in noop mode; return the recorded event."""
    store = tmp_path / "store"

    def run(*words):
        store.mkdir()
        ran = ccm("ensure", "--noop", "--session", store, *words)
        assert ran.status == 0, ran.err
        (found,) = store.glob("*.event")
        return json.loads(found.read_text())

    return run


@pytest.mark.parametrize(
    ("words", "ensure", "message"),
    [
        (("package", "new"), "present", "Would have installed version present"),
        (("pkg", "new", "latest"), "latest", "Would have installed latest"),
        (("package", "new", "5.10"), "5.10", "Would have installed version 5.10"),
        (("package", "old", "absent"), "absent", "Would have uninstalled"),
        (("package", "old"), "present", None),
    ],
)
def test_packages(event, words, ensure, message):
    found = event(*words)
    assert found["properties"] == {"name": words[1], "ensure": ensure}
    assert (found["provider"], found["noop"], found.get("noop_message")) == ("fake", True, message)


def test_the_lock_timeout_is_passed_to_the_provider(event, ccm):
    event("package", "old", "--lock-timeout", "1m30s", "--alias", "it")
    (provider,) = INSTANCES
    assert provider.context.options.lock_timeout == 90_000_000_000
    assert [properties.name for properties in provider.siblings] == ["old"]
    ccm("ensure", "package", "old")
    assert INSTANCES[-1].context.options.lock_timeout == ProviderOptions.lock_timeout
    refused = ccm("ensure", "package", "old", "--lock-timeout", "soon")
    assert (refused.status, refused.err.splitlines()[0]) == (1, 'ccm: error: lock_timeout "soon": invalid duration')


@pytest.mark.parametrize(
    ("words", "properties", "message"),
    [
        (("service", "web"), {"ensure": "running"}, "Would have started"),
        (("svc", "web", "stopped"), {"ensure": "stopped"}, None),
        (
            ("service", "app@1.service", "--enable"),
            {"ensure": "running", "enable": True},
            "Would have started, would have enabled",
        ),
        (("service", "web", "stopped", "--disable"), {"ensure": "stopped", "enable": False}, None),
        (
            ("service", "web", "-S", "file#/a", "--subscribe", "file#/b"),
            {"ensure": "running", "subscribe": ["file#/a", "file#/b"]},
            None,
        ),
    ],
)
def test_services(event, words, properties, message):
    found = event(*words)
    assert found["properties"] == {"name": words[1], **properties}
    assert found.get("noop_message") == message


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["package"], "required argument 'name' not provided"),
        (["pkg", "a;b"], 'package#a;b: invalid resource: package name contains dangerous characters: "a;b"'),
        (["package", "a", "1 > 2"], "package#a: invalid resource: package version/ensure contains dangerous"),
        (["package", "a", "--provider", "none"], "provider not found"),
        (["package", "a", "--enable"], "unknown long flag '--enable'"),
        (["service", "a", "--lock-timeout", "1s"], "unknown long flag '--lock-timeout'"),
        (["svc", "a", "up"], 'service#a: invalid resource: invalid ensure value: invalid ensure property "up" expects'),
        (["service", "a", "--enable", "--disable"], "cannot specify both enable and disable flags"),
        (["service", "a", "--subscribe", "file#/x"], "session store should be set when using subscribe"),
        (["service", "a", "--require", "file#/x"], "session store should be set when using requires"),
    ],
)
def test_refused_commands(ccm, words, text):
    ran = ccm("ensure", *words)
    assert (ran.status, ran.out, INSTANCES) == (1, "", [])
    assert text in ran.err


def test_status(ccm):
    found = {"name": "old", "version": "1.0", "provider": "fake"}
    assert json.loads(ccm("status", "package", "old", "--json").out) == found
    assert ccm("status", "package", "none").out == "name: none\nversion: absent\nprovider: fake\n\n"
    assert "running: false\n" in ccm("status", "service", "web").out


@pytest.mark.parametrize(("type", "message"), [("package", "installed version present"), ("service", "started")])
def test_the_api_pipe_manages_them(ccm, type, message):
    request = {
        "protocol": "io.choria.ccm.v1.resource.ensure.request",
        "type": type,
        "properties": {"name": "new", "ensure": {"package": "present"}.get(type, "running")},
    }
    answer = json.loads(ccm("ensure", "--noop", "api", "pipe", stdin=json.dumps(request)).out)
    assert answer["state"]["noop_message"] == f"Would have {message}"
    request["properties"] = {"name": "a;b", "ensure": "absent"}
    answer = json.loads(ccm("ensure", "api", "pipe", stdin=json.dumps(request)).out)
    assert "error" in answer
    assert "state" not in answer

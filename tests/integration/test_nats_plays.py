# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""NATS in plays: the controller publishes registrations and fetches manifests and data; nodes have no nats-py."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.patience import LIMIT
from tests.unit.layout import CCM
from tests.unit.nats_servers import own_nats_server, write_context

from .conftest import SYSTEM_PYTHON

__all__ = ["own_nats_server"]  # fixtures

ENTRY = {"cluster": "prod", "service": "web", "protocol": "http", "address": "192.0.2.1", "priority": 100}


@pytest.fixture
def server(own_nats_server, tmp_path, monkeypatch):
    server = own_nats_server()
    write_context(tmp_path / "home", url=server.url)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NATS_CONTEXT", raising=False)
    ccm("registration", "init")
    return server


@pytest.fixture
def python(tmp_path):
    """A Python that has neither nats-py nor anything else of ours."""
    subprocess.run([SYSTEM_PYTHON, "-m", "venv", "--without-pip", str(tmp_path / "python")], check=True)
    return f"{tmp_path}/python/bin/python"


def ccm(*arguments):
    done = subprocess.run([*CCM, *arguments], check=False, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stderr


def resource(name, port, **more):
    entry = {**ENTRY, "port": port, "ttl": "1m", "annotations": {"rack": "${ Data.rack }"}}
    return {"exec": {"name": name, "register_when_stable": [entry], **more}}


def task(name, *resources, register=True, ignore=True, keywords="", **options):
    manifest = {"data": {"rack": "r1"}, "ccm": {"resources": list(resources)}}
    if "path" not in options:
        options["manifest"] = manifest
    given = json.dumps({"register": register, **options})
    return f"- name: {name}\n  ccm.core.apply: {given}\n  ignore_errors: {str(ignore).lower()}\n{keywords}"


def published(server):
    return [json.loads(found.data) for found in server.connection.stored("REGISTRATION")]


def ports(server):
    return sorted(entry["port"] for entry in published(server))


MIXED = (
    resource("true", 81),
    resource("/bin/echo", 82, creates="/"),
    resource("false", 83),
    resource("exit 0", 84, control={"if": "1 == 2"}),
    resource("/bin/true", 85, health_checks=[{"command": "/bin/false"}]),
    resource("/usr/bin/true", 86, health_checks=[{"command": "/bin/true"}]),
    resource("/bin/sleep 0", 87, require=["exec#false"]),
)


def test_the_controller_publishes_what_is_well(server, ansible, python):
    run = ansible.play(task("not", MIXED[0], register=False) + task("all", *MIXED), python=python)
    assert [run[name].outcome for name in ("not", "all")] == ["changed", "failed"]
    assert all("registrations" not in each for each in run["not"].result["resources"])
    assert run["all"].msg.startswith("2 of 7 resources failed: ")
    assert "registration" not in run["all"].msg
    entry = {**ENTRY, "port": 81, "ttl": "1m0s", "annotations": {"rack": "r1"}}
    assert run["all"].result["resources"][0]["registrations"] == [entry]
    assert ports(server) == [81, 82, 86]
    assert entry in published(server)


def test_nothing_is_published_in_check_mode(server, ansible, python):
    run = ansible.play(task("all", *MIXED[:2]), "--check", python=python)
    assert run.returncode == 0, run.output
    assert all("registrations" not in each for each in run["all"].result["resources"])
    assert published(server) == []


def test_what_cannot_be_published_fails_the_task(server, ansible, python):
    other = task("other", MIXED[0], registration="OTHER")
    run = ansible.play(other + task("async", MIXED[0], keywords="  async: 60\n"), python=python)
    lead = "could not publish a registration: choria.ccm.registration.v1.prod.http.web.192_0_2_1."
    assert run["other"].outcome == "failed"
    assert run["other"].msg.startswith(lead)
    assert f"(server {server.url.partition('://')[2]})" in run["other"].msg
    assert run["other"].result["resources"][0]["outcome"] == "changed"
    assert run["async"].msg == "register publishes what the task returns: remove async, or register"
    server.stop()
    run = ansible.play(task("away", *MIXED[:3]), python=python)
    assert run["away"].msg.startswith("1 of 3 resources failed: ")
    assert f"; {lead}" in run["away"].msg
    assert f"{server.url.partition('://')[2]}: connection refused" in run["away"].msg


def test_a_manifest_and_data_that_the_controller_fetches(server, ansible, python):
    site = ansible.folder / "site"
    site.mkdir()
    (site / "greeting").write_text("hello")
    resources = [
        {"exec": {"name": "/bin/echo ${ Data.word }", "logoutput": True}},
        {"exec": {"name": "/bin/echo ${ readFile('greeting') }", "logoutput": True}},
    ]
    (site / "manifest.yaml").write_text(json.dumps({"data": {"word": "own"}, "ccm": {"resources": resources}}))
    (ansible.folder / "data.yaml").write_text("data: {word: theirs}\n")
    ccm("publish", "--create", str(site), "obj://SITE/web.tgz")
    ccm("publish", "--create", str(ansible.folder / "data.yaml"), "kv://DATA/site")
    run = ansible.play(
        task("object", register=False, path="obj://SITE/web.tgz")
        + task("both", register=False, path="obj://SITE/web.tgz", hiera="kv://DATA/site")
        + task("missing", register=False, path="obj://SITE/none.tgz")
        + task("no key", register=False, path="obj://SITE/web.tgz", hiera="kv://DATA/none")
        + task("node", register=False, path="obj://SITE/web.tgz", remote_src=True),
        python=python,
    )
    assert {"own", "hello"} <= set(run["object"].result["log"]), run.output
    assert "theirs" in run["both"].result["log"]
    assert run["missing"].msg == "obj://SITE/none.tgz: nats: object not found; bucket SITE has no object none.tgz"
    assert run["no key"].msg == "kv://DATA/none: nats: key not found; bucket DATA has no key none"
    run_there = ansible.play(task("there", register=False, path=str(site), hiera="kv://DATA/site", remote_src=True))
    assert "theirs" in run_there["there"].result["log"], run_there.output
    assert run["node"].msg == "the controller fetches obj:// addresses: remove remote_src"


def test_expressions_of_the_node_need_nats_py_there(server, ansible, python):
    tasks = "".join(
        task(name, {"exec": {"name": f"/bin/echo ${{ {call} }}"}}, register=False)
        for name, call in (("key", "kvGet('SITE', 'word')"), ("list", "registrations('', '', '', '')"))
    )
    run = ansible.play(tasks, python=python)
    reason = "NATS in expressions that the node resolves needs the Python package nats-py, which is not installed"
    assert all(reason in run[name].msg for name in ("key", "list")), run.output
    (ansible.folder / "word").write_text("there")
    ccm("publish", "--create", str(ansible.folder / "word"), "kv://SITE/word")
    entry = [
        "--cluster",
        "c",
        "--protocol",
        "p",
        "--service",
        "s",
        "--address",
        "192.0.2.7",
        "--port",
        "80",
        "--ttl",
        "never",
    ]
    ccm("registration", "create", *entry)
    calls = {"key": "kvGet('SITE', 'word')", "list": "registrations('c', '*', '*', '*')[0].Address"}
    run = ansible.play(
        "".join(
            task(name, {"exec": {"name": f"/bin/echo ${{ {call} }}", "logoutput": True}}, register=False)
            for name, call in calls.items()
        )
    )
    assert "there" in run["key"].result["log"], run.output
    assert "192.0.2.7" in run["list"].result["log"], run.output

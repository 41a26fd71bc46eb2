# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`--register` of `ccm apply` and `ccm watch`: which registrations are published, and when again."""

from __future__ import annotations

import json
import signal
import subprocess

import pytest

from tests.patience import PATIENCE, wait_until

from ..layout import noting
from ..nats_servers import write_context

pytestmark = pytest.mark.starts_processes

ENTRY = {"cluster": "prod", "service": "web", "protocol": "http", "address": "10.0.0.5", "port": 80, "priority": 1}


def resource(name="true", port=80, ttl="30s", **more):
    entry = {**ENTRY, "port": port, "ttl": ttl}
    return {"exec": {"name": name, "register_when_stable": [entry], **more}}


@pytest.fixture
def stream(ccm, nats):
    assert ccm("registration", "init").status == 0
    return nats.connection


@pytest.fixture
def write(tmp_path):
    """Call it with the resources of the manifest m.yaml."""
    return lambda *resources, **more: (tmp_path / "m.yaml").write_text(
        json.dumps({"data": {"port": 81}, "ccm": {"resources": list(resources), **more}})
    )


def ports(stream):
    return sorted(json.loads(found.data)["port"] for found in stream.stored("REGISTRATION"))


def test_a_ttl_that_is_longer_than_the_age_of_the_stream_is_a_warning(ccm, stream, write):
    write(resource(port=81, ttl="30s"), resource("/bin/true", port=82, ttl="2m"))
    ran = ccm("apply", "--register", "m.yaml")
    assert (ran.status, ports(stream)) == (0, [81, 82])
    (line,) = [each for each in ran.err.splitlines() if "removes the entry before its ttl is over" in each]
    assert "ttl=2m0s max_age=1m0s" in line


def test_what_is_well_is_published(ccm, stream, write):
    write(
        resource(port="{{ Data.port }}"),
        resource("/bin/echo", creates="/", port=82),
        resource("false", port=83),
        resource("exit 0", control={"if": "1 == 2"}, port=84),
        resource("/bin/true", health_checks=[{"command": "/bin/false"}], port=85),
        resource("/usr/bin/true", health_checks=[{"command": "/bin/true"}], port=86),
        resource("/bin/sleep 0", require=["exec#false"], port=87),
    )
    ran = ccm("--info", "apply", "--register", "m.yaml")
    assert ran.status == 0, ran.err
    assert ports(stream) == [81, 82, 86]
    assert ran.err.count("Registration published") == 3
    (first, *_others) = stream.stored("REGISTRATION")
    assert first.headers == {"Nats-TTL": "30s", "Nats-Rollup": "sub", "Nats-Expected-Stream": "REGISTRATION"}


@pytest.mark.parametrize(
    "words", [[], ["--register", "--noop"], ["--register", "--monitor-only"], ["--register", "--render"]]
)
def test_without_the_flag_or_without_managing_nothing_is_published(ccm, stream, write, words):
    write(resource())
    ran = ccm("--info", "apply", "m.yaml", *words)
    assert ran.status == 0, ran.err
    assert ports(stream) == []
    said = "Registrations are not published: --register is not given" in ran.err
    assert said == (not words)


def test_a_manifest_without_registrations_needs_no_server(ccm, write):
    write({"exec": {"name": "true"}})
    ran = ccm("--info", "apply", "--register", "m.yaml")
    assert ran.status == 0
    assert "not published" not in ran.err


def test_registrations_of_a_child_manifest(ccm, stream, write, tmp_path):
    write(resource())
    (tmp_path / "m.yaml").rename(tmp_path / "child.yaml")
    write({"apply": {"name": "child.yaml"}})
    assert ccm("apply", "--register", "m.yaml").status == 0
    assert ports(stream) == [80]


def test_a_server_that_is_away_is_an_error_after_the_run(ccm, own_nats_server, write, tmp_path):
    server = own_nats_server()
    write_context(tmp_path / "home", url=server.url)
    server.stop()
    write(resource(), resource("/bin/true", port=81))
    ran = ccm("apply", "--register", "m.yaml")
    assert ran.status == 1
    assert "Manifest Run Summary" in ran.out
    assert "could not publish a registration: choria.ccm.registration.v1.prod.http.web.10_0_0_5." in ran.err
    assert "127.0.0.1:" in ran.err


def test_a_stream_that_is_missing_is_an_error(ccm, nats, write):
    write(resource())
    ran = ccm("apply", "--register", "m.yaml")
    assert ran.status == 1
    assert "nats: no response from stream" in ran.err


class Watch:
    """`ccm watch --register m.yaml`, and what it printed."""

    def __init__(self, directory):
        self.path = directory / "said"
        ccm, environ = noting(
            {"HOME": str(directory / "home"), "PATH": "/usr/bin:/bin", "CCM_STATE": str(directory / "state")}
        )
        with open(self.path, "wb") as said:
            command = [*ccm, "--info", "watch", "--register", "m.yaml"]
            self.process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, env=environ, cwd=directory)

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.process.kill()
        self.process.wait()

    def has(self, text, times=1):
        wait_until(lambda: self.path.read_text().count(text) >= times or self.process.poll() is not None)
        assert self.path.read_text().count(text) >= times, self.path.read_text()


def test_watching_publishes_again_at_half_the_ttl(stream, write, tmp_path):
    write(resource(ttl="2s"), resource("/bin/true", port=81, ttl="never"))
    with Watch(tmp_path) as watch:
        watch.has("ttl=2s", times=3)
        assert watch.path.read_text().count("ttl=never") == 1
        assert stream.stream("REGISTRATION")["state"]["messages"] == 2
        watch.process.send_signal(signal.SIGINT)
        assert watch.process.wait(PATIENCE) == 128 + signal.SIGINT


def test_watching_ends_the_registrations_of_what_fails_or_is_gone(stream, write, tmp_path, me):
    owner, group = me
    file = {
        "name": str(tmp_path / "f"),
        "ensure": "present",
        "content": "x",
        "owner": owner,
        "group": group,
        "mode": "0644",
    }
    entry = {**ENTRY, "ttl": "2s"}
    check = {"command": f"/bin/grep -q x {tmp_path}/checked"}
    (tmp_path / "checked").write_text("x")
    write({"file": {**file, "register_when_stable": [entry], "health_checks": [check]}}, resource(port=81, ttl="2s"))
    with Watch(tmp_path) as watch:
        watch.has("ttl=2s", times=4)
        (tmp_path / "checked").write_text("")
        (tmp_path / "f").write_text("other")
        watch.has("failed")
        wait_until(lambda: live(stream) == [81])
        write()
        wait_until(lambda: live(stream) == [])
        assert watch.process.poll() is None


def live(stream):
    """The ports of the entries that are no markers."""
    return sorted(json.loads(found.data)["port"] for found in stream.stored("REGISTRATION") if found.data)


def test_watching_publishes_once_the_server_is_there(ccm, own_nats_server, write, tmp_path):
    server = own_nats_server()
    write_context(tmp_path / "home", url=server.url)
    assert ccm("registration", "init").status == 0
    server.stop()
    write(resource())
    with Watch(tmp_path) as watch:
        watch.has("Registrations are not published for now")
        server.start()
        watch.has("Registrations are published again")
        assert ports(server.connection) == [80]


def test_an_entry_that_is_refused_is_said_once_while_others_are_published(ccm, own_nats_server, write, tmp_path):
    denied = "choria.ccm.registration.v1.prod.http.db.>"
    users = f"{{user: all, password: x}}, {{user: some, password: x, permissions: {{publish: {{deny: ['{denied}']}}}}}}"
    server = own_nats_server(
        settings=f"authorization {{ users = [{users}] }}\n", login={"user": "all", "password": "x"}
    )
    write_context(tmp_path / "home", url=server.url, user="all", password="x")
    assert ccm("registration", "init").status == 0
    write_context(tmp_path / "home", url=server.url, user="some", password="x")
    refused = {"register_when_stable": [{**ENTRY, "service": "db"}]}
    write(resource(ttl="1s"), {"exec": {"name": "/bin/true", **refused}})
    with Watch(tmp_path) as watch:
        watch.has("Registrations are not published for now")
        # The one that is refused is tried again after five seconds.
        watch.has("ttl=1s", times=14)
        said = watch.path.read_text()
        assert (said.count("not published for now"), said.count("published again")) == (1, 0)

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm registration` and `registrations()` with a server: faults there, and what the recorded cases do not have."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.patience import PATIENCE, wait_until

from ..layout import noting
from ..nats_servers import write_context

pytestmark = pytest.mark.starts_processes

IDENTITY = ["--cluster", "prod", "--service", "web", "--protocol", "http", "--address", "10.0.0.5", "--port", "80"]
SUBJECT = "choria.ccm.registration.v1.prod.http.web.10_0_0_5.1"
ENTRY = {"cluster": "prod", "service": "web", "protocol": "http", "address": "10.0.0.5", "port": 80, "priority": 1}


@pytest.fixture
def stream(ccm, nats):
    """The server's connection; it has the stream."""
    assert ccm("registration", "init").status == 0
    return nats.connection


def publish(stream, payload, subject=SUBJECT, headers=None):
    stream.publish(subject, payload if isinstance(payload, bytes) else json.dumps(payload).encode(), headers)


def message(ran):
    assert (ran.status, ran.out) == (1, ""), ran.out
    return ran.err.partition("\n")[0].removeprefix("ccm: error: ")


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"no JSON", "it is not valid JSON"),
        (b"\xff", "it is not valid JSON"),
        (b"[" * 100_000, "it is not valid JSON"),
        (b'{"port": ' + b"9" * 5000 + b"}", "it is not valid JSON"),
        (json.dumps(ENTRY).encode("utf-16"), "it is not valid JSON"),
        ({**ENTRY, "port": 1 << 63}, "port must be an integer"),
        ({**ENTRY, "priority": 1e300}, "priority must be an integer"),
        (b"[]", "it is not a JSON object"),
        *(({**ENTRY, name: 1}, f"{name} must be text") for name in ("cluster", "service", "protocol", "address")),
        ({**ENTRY, "cluster": "\0"}, "cluster has a character that cannot be printed"),
        ({**ENTRY, "port": "http"}, "port must be an integer"),
        ({**ENTRY, "address": "192.0.2.1\nevil"}, "address has a character that cannot be printed"),
        ({**ENTRY, "protocol": "\x7f"}, "protocol has a character that cannot be printed"),
        ({**ENTRY, "service": "\ud800"}, "service has a character that cannot be printed"),
        ({**ENTRY, "annotations": {"a": 1}}, "annotations must be a map of texts"),
        ({**ENTRY, "ttl": []}, "ttl must be text or an integer"),
        ({**ENTRY, "ttl": "x"}, 'invalid TTL duration "x": invalid duration'),
    ],
)
def test_an_entry_that_is_none_is_named(ccm, stream, payload, reason):
    publish(stream, payload)
    lead = f"could not decode registration entry: {SUBJECT}: {reason}"
    assert message(ccm("registration", "query")).startswith(lead)


def test_a_ttl_is_an_integer_too(ccm, stream):
    publish(stream, {**ENTRY, "port": 80.0, "ttl": 90_000_000_000})
    assert json.loads(ccm("registration", "query", "--json").out) == [{**ENTRY, "ttl": "1m30s"}]


def test_control_characters_do_not_reach_the_terminal(ccm, stream):
    publish(stream, {**ENTRY, "annotations": {"red\x1b\x9b": "\u202e\x07"}})
    for words in ([], ["--json"], ["--yaml"]):
        out = ccm("registration", "query", *words).out
        assert "red" in out
        assert not set("\x1b\x9b\x07\u202e") & set(out)


def test_what_a_query_prints_is_json_for_any_text(ccm, stream):
    entry = {**ENTRY, "service": 'a"\\<ü>', "annotations": {"x y": "é\n"}}
    publish(stream, entry)
    assert json.loads(ccm("registration", "query", "--json").out) == [entry]


def test_a_stream_with_other_subjects_is_left_alone(ccm, nats):
    nats.connection.make_bucket("kv", "B")
    before = nats.connection.stream("KV_B")["config"]
    ran = ccm("registration", "init", "-R", "KV_B")
    assert message(ran) == "could not create or update stream KV_B: it exists and has other subjects"
    assert nats.connection.stream("KV_B")["config"] == before


def test_init_changes_the_stream_that_is_there(ccm, stream):
    publish(stream, ENTRY)
    assert ccm("registration", "init", "--max-age", "10m").status == 0
    config = stream.stream("REGISTRATION")["config"]
    assert (config["max_age"], config["subject_delete_marker_ttl"]) == (600 * 10**9, 600 * 10**9)
    assert ccm("registration", "init", "--max-age", "0s").status == 0
    assert stream.stream("REGISTRATION")["config"]["max_age"] == 0
    assert len(json.loads(ccm("registration", "query", "--json").out)) == 1


@pytest.mark.parametrize(
    "words", [["query", "-R", "a.b"], ["watch", "-R", "a b"], ["rm", "--force", "-R", ">", *IDENTITY]]
)
def test_names_of_streams(ccm, stream, words):
    assert f'nats: invalid stream name: "{words[words.index("-R") + 1]}"' in message(ccm("registration", *words))


def test_a_ttl_that_the_stream_outlives_is_a_warning(ccm, stream):
    ran = ccm("--info", "registration", "create", *IDENTITY, "--ttl", "2m")
    assert ran.status == 0
    assert "removes the entry before its ttl is over" in ran.err
    assert "ttl=2m0s max_age=1m0s" in ran.err
    for ttl in ("30s", "never", ""):
        assert "removes" not in ccm("--info", "registration", "create", *IDENTITY, "--ttl", ttl).err


@pytest.mark.parametrize(
    "words", [["query"], ["watch"], ["create", *IDENTITY], ["rm", "--force", *IDENTITY], ["query", "a b"]]
)
def test_the_stream_is_missing(ccm, nats, words):
    ran = ccm("registration", *words, "--registration", "S", "--log-format", "json")
    assert (ran.status, ran.err.count("\n")) == (1, 1)
    assert json.loads(ran.err)["fields"]["advice"] == "make the stream with `ccm registration init --registration S`"


def test_without_jetstream_nothing_is_an_empty_list(ccm, own_nats_server, tmp_path):
    server = own_nats_server(jetstream=False)
    write_context(tmp_path / "home", url=server.url)
    assert "JetStream does not answer" in message(ccm("registration", "query"))
    assert "JetStream does not answer" in message(ccm("registration", "init"))
    assert "nats: no response from stream" in message(ccm("registration", "create", *IDENTITY))


LIMITED = """
authorization { users: [
  {user: all, password: x},
  {user: reader, password: x, permissions: {publish: {deny: ["choria.>", "$JS.API.STREAM.>"]}}},
  {user: writer, password: x, permissions: {publish: {deny: ["$JS.API.DIRECT.>", "$JS.API.CONSUMER.>"]}}},
] }
"""


def test_permissions_that_lack_a_subject(ccm, own_nats_server, tmp_path):
    server = own_nats_server(settings=LIMITED, login={"user": "all", "password": "x"})

    def as_user(name):
        write_context(tmp_path / "home", url=server.url, user=name, password="x")

    as_user("all")
    assert ccm("registration", "init").status == 0
    as_user("reader")
    assert ccm("registration", "query").out == "No results found\n"
    for words in (["create", *IDENTITY], ["init"]):
        assert "permissions violation" in message(ccm("registration", *words)).lower()
    as_user("writer")
    assert ccm("registration", "create", *IDENTITY).status == 0
    assert "permissions violation" in message(ccm("registration", "query")).lower()


@pytest.mark.parametrize("fields", [{"password": "wrong"}, {"url": "nats://127.0.0.1:1"}])
def test_a_server_that_cannot_be_used_is_an_error(ccm, own_nats_server, tmp_path, fields):
    server = own_nats_server(settings=LIMITED, login={"user": "all", "password": "x"})
    write_context(tmp_path / "home", **{"url": server.url, "user": "all", "password": "x", **fields})
    text = message(ccm("registration", "query"))
    assert text.startswith("could not connect to JetStream: nats connection error: 127.0.0.1:")
    assert "wrong" not in text
    ran = ccm("ensure", "exec", "true {{ registrations('*', '*', '*', '*') }}")
    assert (ran.status, ran.out) == (1, "")
    assert "could not connect to JetStream: " in ran.err
    ran = ccm("registration", "init")
    assert message(ran).startswith("time=")
    assert "could not create or update stream REGISTRATION: context deadline exceeded" in ran.err
    assert "127.0.0.1:" in ran.err


class Watch:
    """`ccm registration watch` with some words, and the lines that it printed."""

    def __init__(self, home, *words):
        self.path = home / "said"
        ccm, environ = noting({"HOME": str(home), "PATH": "/usr/bin:/bin"})
        with open(self.path, "wb") as said:
            command = [*ccm, "registration", "watch", *words]
            self.process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, env=environ)

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.process.kill()
        self.process.wait()

    def has(self, text):
        wait_until(lambda: text in self.path.read_text() or self.process.poll() is not None)
        assert text in self.path.read_text()


def is_watched(stream):
    return stream.stream("REGISTRATION")["state"]["consumer_count"] > 0


def test_watching_hears_of_a_removal_and_goes_on_after_a_bad_entry(ccm, stream, tmp_path):
    assert ccm("registration", "create", *IDENTITY).status == 0
    with Watch(tmp_path / "home") as watch:
        watch.has("Updated entry cluster=prod service=web protocol=http address=10.0.0.5 port=80 ttl=30s")
        publish(stream, b"x")
        watch.has(f"could not decode registration entry: {SUBJECT}")
        assert ccm("registration", "rm", "--force", *IDENTITY).status == 0
        watch.has("Removed entry cluster=prod service=web protocol=http address=10.0.0.5 reason=Remove")
        watch.process.terminate()
        watch.process.wait(PATIENCE)
    assert [found.data for found in stream.stored("REGISTRATION")] == [b"x"]


def test_removals_as_json(ccm, stream, tmp_path):
    with Watch(tmp_path / "home", "--json", "prod") as watch:
        wait_until(lambda: is_watched(stream))
        publish(stream, b"", headers={"Nats-Marker-Reason": "MaxAge\x1b"})
        watch.has('"action":"remove"')
    line = watch.path.read_text()
    found = json.loads(line)
    assert {key: found["entry"][key] for key in ("cluster", "address")} == {"cluster": "prod", "address": "10.0.0.5"}
    assert "\x1b" not in line


def test_watching_survives_that_the_server_is_away(ccm, own_nats_server, tmp_path):
    server = own_nats_server()
    write_context(tmp_path / "home", url=server.url)
    assert ccm("registration", "init", "--max-age", "0s").status == 0
    assert ccm("registration", "create", *IDENTITY, "--ttl", "1h").status == 0
    with Watch(tmp_path / "home") as watch:
        # What it says of an entry shows that it has begun; that the server has a consumer does not.
        watch.has("address=10.0.0.5 port=80 ttl=1h")
        server.kill()
        watch.has("Registrations are not watched for now")
        server.start()
        watch.has("Registrations are watched again")
        assert ccm("registration", "create", *IDENTITY, "--ttl", "never").status == 0
        watch.has("address=10.0.0.5 port=80 ttl=never")


def test_nothing_matches_what_no_entry_can_be(ccm, stream):
    ran = ccm("registration", "watch", "a.b")
    assert (ran.status, ran.out) == (0, "")
    assert "No entry can match what is watched" in ran.err


def test_removal_without_a_terminal_names_force(ccm, stream):
    ran = ccm("registration", "rm", *IDENTITY)
    assert ran.status == 1
    assert "--force removes without asking" in ran.err


def test_ten_thousand_entries(ccm, stream):
    for number in range(10_000):
        address = f"10.1.{number // 256}.{number % 256}"
        data = json.dumps({**ENTRY, "address": address, "ttl": "30s"}).encode()
        stream.send(f"choria.ccm.registration.v1.prod.http.web.{address.replace('.', '_')}.1", data)
    wait_until(lambda: stream.stream("REGISTRATION")["state"]["messages"] == 10_000)
    found = json.loads(ccm("registration", "query", "--json").out)
    assert len(found) == 10_000
    assert [entry["address"] for entry in found] == sorted(entry["address"] for entry in found)


LANGUAGES = {
    "expr": "{{ len(registrations('prod', '*', '*', '*')) }} {{ registrations('*','*','*','*').PrometheusFileSD() }}",
    "jet": "[[ len(registrations('prod', '*', '*', '*')) ]] [[ registrations('*', '*', '*', '*').PrometheusFileSD() ]]",
}


@pytest.mark.parametrize("language", [*LANGUAGES, "go"])
def test_registrations_in_each_language(ccm, stream, tmp_path, language):
    entry = {**ENTRY, "address": "fe80::1", "annotations": {"prometheus.io/scrape": "true", "a-b": "x", "zone": "a"}}
    publish(stream, entry)
    (tmp_path / "t.jet").write_text(LANGUAGES["jet"].replace("'", '"'))
    (tmp_path / "source").mkdir()
    (tmp_path / "source/f").write_text(
        '{{ len (registrations "prod" "*" "*" "*") }} {{ (registrations "*" "*" "*" "*").PrometheusFileSD }}'
    )
    if language == "go":
        (tmp_path / "m.yaml").write_text(
            f"ccm: {{resources: [{{scaffold: {{name: {tmp_path}/out, ensure: present, engine: go, source: source}}}}]}}"
        )
        ran = ccm("apply", "m.yaml")
        assert ran.status == 0, ran.err
        written = (tmp_path / "out/f").read_text()
    else:
        text = "{{ template('t.jet') }}" if language == "jet" else LANGUAGES["expr"]
        ran = ccm("ensure", "file", tmp_path / "out", "--content", text)
        assert ran.status == 0, ran.err
        written = (tmp_path / "out").read_text()
    count, _blank, document = written.partition(" ")
    assert count == "1", ran.out
    labels = {"cluster": "prod", "protocol": "http", "service": "web", "zone": "a"}
    assert json.loads(document) == [{"labels": labels, "targets": ["[fe80::1]:80"]}]


def test_the_stream_can_be_named_where_entries_are_used(ccm, nats, tmp_path):
    assert ccm("registration", "init", "-R", "OTHER").status == 0
    publish(nats.connection, ENTRY)
    for words in (["ensure", "exec"], ["ensure", "-R", "OTHER", "exec"]):
        ran = ccm(*words, "/bin/echo {{ len(registrations('*', '*', '*', '*')) }}")
        assert ran.status == (0 if "-R" in words else 1), ran.err
    (tmp_path / "m.yaml").write_text(
        "ccm: {resources: [{exec: {name: \"echo {{ len(registrations('*','*','*','*')) }}\"}}]}"
    )
    for command in ("apply", "plan"):
        assert "echo 1" in ccm(command, "-R", "OTHER", "m.yaml").out

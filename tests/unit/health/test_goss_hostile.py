# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of goss that mean harm, or ask what does: each ends in a failed check, soon and in words."""

from __future__ import annotations

import time

import pytest
from ccm.health.goss.check import run_goss_check
from ccm.host import commands, looking
from ccm.host.errors import HostError
from ccm.model.errors import CCMError
from ccm.model.health_check import CheckContext

from .test_goss_rules import Lines, Named, check


def told(rules, **context):
    """What the log says of the tests of some rules."""
    log = Lines()
    run_goss_check(check(rules), Named, CheckContext(user_log=log, **context))
    return log.seen


def refused(rules, **context):
    """What is wrong with some rules."""
    with pytest.raises((CCMError, HostError)) as caught:
        told(rules, **context)
    return str(caught.value)


@pytest.mark.parametrize(
    "rule",
    [
        {"tcp://127.0.0.1:1": {"local-address": "a\0b"}},
        {"tcp://127.0.0.1:1": {"local-address": "ä" * 99}},
        {"tcp://127.0.0.1:1": {"timeout": -1}},
        {"udp://127.0.0.1:1": {"timeout": -1}},
        {"tcp://127.0.0.1:1": {"timeout": 10**15}},
        {"tcp://a\0b:1": {}},
        {"tcp://\ud800:1": {}},
        {f"tcp://{'ä' * 99}:1": {}},
        {"tcp://127.0.0.1:99999999999999999999": {}},
        {"tcp://127.0.0.1:a\0b": {}},
    ],
)
def test_what_is_no_address_cannot_be_reached(rule):
    [(name, attributes)] = rule.items()
    before = time.monotonic()
    [line] = told({"addr": {name: {"reachable": True, **attributes}}})
    assert line == f"fail Addr: {name}: reachable: Expected false to equal true"
    assert time.monotonic() - before < 5


def test_a_command_with_less_than_no_time_is_not_run(tmp_path):
    before = time.monotonic()
    line = f"touch {tmp_path}/ran; sleep 100"
    rule = {"exit-status": 0, "stdout": "x", "timeout": -1}
    assert told({"command": {line: rule}}) == [
        f"fail Command: {line}: {attribute}: Error Command execution timed out (-1ms)"
        for attribute in ("exit-status", "stdout")
    ]
    assert time.monotonic() - before < 5
    assert not (tmp_path / "ran").exists()


def test_names_and_pages_take_any_timeout():
    page = "http://127.0.0.1:1/"
    assert told({"dns": {"localhost": {"resolvable": True, "timeout": 10**15}}})[0].startswith("pass ")
    assert told({"dns": {"localhost": {"resolvable": True, "timeout": -1}}})[0].endswith("timed out (-1ms)")
    server = {"resolvable": True, "server": "127.0.0.1:1", "timeout": 10**15}
    assert told({"dns": {"A:x": server}})[0].endswith("Connection refused")
    assert told({"http": {page: {"status": 200, "timeout": 10**15}}})[0].endswith("connection refused")
    assert told({"http": {page: {"status": 200, "timeout": -1}}})[0].startswith("fail ")


@pytest.mark.parametrize("number", [float("inf"), float("nan"), 1.5, True])
def test_a_timeout_is_a_whole_number(number):
    said = refused({"command": {"true": {"exit-status": 0, "timeout": number}}})
    assert said.startswith("timeout of Command:true must be an integer, not ")


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_a_length_is_finite(number):
    [line] = told({"matching": {"x": {"content": "a", "matches": {"have-len": number}}}})
    assert "Invalid 'have-len' argument. Expected numeric value" in line


def test_a_file_is_read_up_to_a_limit(tmp_path, monkeypatch):
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(3 << 30)
    said = f"{path} is larger than 64 MiB"
    assert told({"file": {str(path): {"exists": True, "contents": ["x"]}}})[1].endswith(f"contents: Error {said}")
    assert refused({"gossfile": {str(path): {}}}) == said
    (tmp_path / "t.yaml").write_text(f'matching: {{x: {{content: {{{{ readFile "{path}" }}}}, matches: a}}}}')
    assert said in refused({"gossfile": {"t.yaml": {}}}, directory=str(tmp_path))
    monkeypatch.setattr(looking, "LARGEST", 0)  # of what tells no size
    assert told({"file": {"/proc/self/status": {"exists": True, "contents": ["x"]}}})[1].endswith("than 0 MiB")


def test_a_command_prints_up_to_a_limit(monkeypatch):
    monkeypatch.setattr(commands, "MOST_PRINTED", 2 << 20)
    rule = {"exit-status": 0, "stdout": ["y"]}
    assert told({"command": {"yes | head -c 3000000": rule}}) == [
        f"fail Command: yes | head -c 3000000: {attribute}: Error Command printed more than 2 MiB"
        for attribute in ("exit-status", "stdout")
    ]


def test_files_that_name_each_other_end(tmp_path):
    for level in range(20):
        below = f"{level + 1}.yaml"
        (tmp_path / f"{level}.yaml").write_text(f"gossfile: {{{below}: {{}}, ./{below}: {{}}}}")
    (tmp_path / "20.yaml").write_text("{}")
    before = time.monotonic()
    said = refused({"gossfile": {"0.yaml": {}}}, directory=str(tmp_path))
    assert said.startswith("more than 1000 files of rules in one check: ")
    assert time.monotonic() - before < 5

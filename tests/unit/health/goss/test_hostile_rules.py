# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile rules of goss, or rules about hostile files and servers: each ends with a failed check and a message."""

from __future__ import annotations

import pytest
from ccm.health.goss.check import run_goss_check
from ccm.host import command_output, limited
from ccm.host.errors import HostError
from ccm.model.errors import CCMError
from ccm.model.provider import RunContext

from tests.unit.health.goss.test_check import NamedResource, RecordedResults, check


def results_of(rules, **context):
    """Return the log messages of the tests of some rules."""
    log = RecordedResults()
    run_goss_check(check(rules), NamedResource, RunContext(user_log=log, **context))
    return log.results


def refused(rules, **context):
    """Return the error of some rules."""
    with pytest.raises((CCMError, HostError)) as caught:
        results_of(rules, **context)
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
def test_an_invalid_address_is_not_reachable(rule):
    [(name, attributes)] = rule.items()
    [line] = results_of({"addr": {name: {"reachable": True, **attributes}}})
    assert line == f"fail Addr: {name}: reachable: Expected false to equal true"


def test_a_command_with_a_negative_timeout_is_not_run(tmp_path):
    line = f"touch {tmp_path}/ran; sleep 1000"
    rule = {"exit-status": 0, "stdout": "x", "timeout": -1}
    assert results_of({"command": {line: rule}}) == [
        f"fail Command: {line}: {attribute}: Error Command execution timed out (-1ms)"
        for attribute in ("exit-status", "stdout")
    ]
    assert not (tmp_path / "ran").exists()


def test_names_and_pages_accept_any_timeout():
    page = "http://127.0.0.1:1/"
    assert results_of({"dns": {"localhost": {"resolvable": True, "timeout": 10**15}}})[0].startswith("pass ")
    assert results_of({"dns": {"localhost": {"resolvable": True, "timeout": -1}}})[0].endswith("timed out (-1ms)")
    server = {"resolvable": True, "server": "127.0.0.1:1", "timeout": 10**15}
    assert results_of({"dns": {"A:x": server}})[0].endswith("Connection refused")
    assert results_of({"http": {page: {"status": 200, "timeout": 10**15}}})[0].endswith("connection refused")
    assert results_of({"http": {page: {"status": 200, "timeout": -1}}})[0].startswith("fail ")


@pytest.mark.parametrize("number", [float("inf"), float("nan"), 1.5, True])
def test_a_timeout_must_be_an_integer(number):
    message = refused({"command": {"true": {"exit-status": 0, "timeout": number}}})
    assert message.startswith("timeout of Command:true must be an integer, not ")


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_a_length_must_be_finite(number):
    [line] = results_of({"matching": {"x": {"content": "a", "matches": {"have-len": number}}}})
    assert "Invalid 'have-len' argument. Expected numeric value" in line


def test_a_file_is_read_up_to_a_limit(tmp_path, monkeypatch):
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(3 << 30)
    message = f"{path} is larger than 64 MiB"
    assert results_of({"file": {str(path): {"exists": True, "contents": ["x"]}}})[1].endswith(
        f"contents: Error {message}"
    )
    assert refused({"gossfile": {str(path): {}}}) == message
    (tmp_path / "t.yaml").write_text(f'matching: {{x: {{content: {{{{ readFile "{path}" }}}}, matches: a}}}}')
    assert message in refused({"gossfile": {"t.yaml": {}}}, directory=str(tmp_path))
    monkeypatch.setattr(limited, "LARGEST", 0)  # of a file without a size
    assert results_of({"file": {"/proc/self/status": {"exists": True, "contents": ["x"]}}})[1].endswith("than 0 MiB")


@pytest.mark.starts_processes
def test_the_output_of_a_command_is_read_up_to_a_limit(monkeypatch):
    monkeypatch.setattr(command_output, "MOST_PRINTED", 2 << 20)
    rule = {"exit-status": 0, "stdout": ["y"]}
    assert results_of({"command": {"yes | head -c 3000000": rule}}) == [
        f"fail Command: yes | head -c 3000000: {attribute}: Error Command printed more than 2 MiB"
        for attribute in ("exit-status", "stdout")
    ]


def test_files_that_include_each_other_are_refused(tmp_path):
    for level in range(20):
        below = f"{level + 1}.yaml"
        (tmp_path / f"{level}.yaml").write_text(f"gossfile: {{{below}: {{}}, ./{below}: {{}}}}")
    (tmp_path / "20.yaml").write_text("{}")
    message = refused({"gossfile": {"0.yaml": {}}}, directory=str(tmp_path))
    assert message.startswith("more than 1000 files of rules in one check: ")

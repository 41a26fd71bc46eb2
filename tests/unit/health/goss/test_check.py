# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each recorded rule of goss: goss has the same result and message."""

from __future__ import annotations

import re

import pytest
from ccm.health.goss.check import run_goss_check
from ccm.health.goss.kinds import network
from ccm.host import installed
from ccm.host.errors import HostError
from ccm.model.errors import CCMError
from ccm.model.log import DEBUG, Log
from ccm.model.provider import RunContext
from ccm.resources.exec.type import TYPE as EXEC

from tests.conformance.goss.__main__ import brief, kinds, load
from tests.conformance.goss.world import World
from tests.patience import PATIENCE


class RecordedResults(Log):
    """The messages of the user log for the tests."""

    def __init__(self):
        self.results = []

    def write(self, level, message, fields):
        if not message.startswith(("Health check ", "Rules of an unknown kind")):
            passed = "skip" if message.endswith(": skipped") else "pass"
            outcome = passed if level == DEBUG else "fail"
            self.results.append(f"{outcome} {message}")


@pytest.fixture(scope="module")
def world():
    world = World()
    yield world
    world.close()


@pytest.fixture(scope="module")
def world_with_process(world):
    world.start_sleeper()
    return world


def check(rules, **given):
    empty = dict.fromkeys(("command", "timeout", "try_sleep"), "")
    return empty | {"goss_rules": rules, "name": ".", "tries": 1, "format": "goss"} | given


class NamedResource:
    """The part of a resource that the log of a check needs."""

    type = EXEC
    reference = "exec#x"
    shown_name = "x"

    class properties:
        name = "x"


def answer(world, case, monkeypatch):
    """Return the results of our rules in the format of the cases."""
    monkeypatch.setenv("PATH", world.search_path)
    monkeypatch.setenv("MARK", "from the environment")
    monkeypatch.setattr(installed, "distribution", lambda: "debian")
    monkeypatch.setattr(network, "_TIMEOUT_MS", PATIENCE * 1000)  # a busy machine can take longer than half a second
    monkeypatch.chdir(world.directory)
    log = RecordedResults()
    try:
        result = run_goss_check(check(world.fill(case["rules"])), NamedResource, RunContext(user_log=log))
    except (CCMError, HostError) as error:
        return {"error": world.plain(str(error))}
    lines = [world.plain(line) for line in log.results]
    failed = sum(line.startswith("fail") for line in lines)
    assert result.status == (2 if failed else 0)
    assert re.fullmatch(rf"Count: {len(lines)}, Failed: {failed}, Duration: \d+\.\d+s", result.output)
    return brief(case, lines)


# The kinds of rules that run programs, or ask which run.
OF_PROGRAMS = {"command", "package", "process", "service"}


def cases(kinds):
    return [pytest.param(case, id=f"{kind}: {case['name']}") for kind in sorted(kinds) for case in load(kind)]


@pytest.mark.parametrize("case", cases({*kinds()} - OF_PROGRAMS))
def test_rule(case, world, monkeypatch):
    assert answer(world, case, monkeypatch) == case.get("ours", case["want"])


@pytest.mark.starts_processes
@pytest.mark.parametrize("case", cases(OF_PROGRAMS))
def test_rule_about_programs(case, world_with_process, monkeypatch):
    assert answer(world_with_process, case, monkeypatch) == case.get("ours", case["want"])


@pytest.mark.parametrize("kind", kinds())
def test_every_kind_has_cases_that_pass_and_cases_that_fail(kind):
    cases = load(kind)
    lines = [line for case in cases if isinstance(case["want"], list) for line in case["want"]]
    assert len(cases) >= 6
    assert {"pass", "fail"} <= {line[:4] for line in lines}

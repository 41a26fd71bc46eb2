# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""No test waits for a fixed time, gives up earlier than others, or asserts that something is quick."""

from __future__ import annotations

import ast
import itertools
import pathlib
import re

import pytest

from .layout import ROOT, tracked

#: Files that may sleep, and why.
MAY_SLEEP = {
    "tests/patience.py": "the pause between two looks at what all others wait for",
    "tests/conformance/nats_cases/server.py": "the pause between two looks, on test hosts too",
    "tests/conformance/nats_cases/world.py": "the pause between two looks; what a case waits for",
    "tests/conformance/running.py": "the pause between two looks, on test hosts too",
    "tests/conformance/goss/world.py": "a web server that answers late, as at the recording",
    "tests/unit/resources/slow_type.py": "a type whose methods do not end",
}
CLOCKS = {"monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time", "time"}
TIMES = ("took", "elapsed", "seconds", "milliseconds")
WAITING = {"communicate", "join", "settimeout", "wait"}
PROGRAMS = {"call", "check_call", "check_output", "run"}

SLEEPS = "waits for a fixed time: wait for what is said or done, with tests.patience.wait_until"
GIVES_UP = "gives up at a time of its own: use PATIENCE or LIMIT of tests.patience"
IS_QUICK = (
    "asserts an upper limit of time, which a busy machine exceeds: assert a lower one, count steps with "
    "tests.unit.work, or compare times by ratio in tests/bench"
)


def faults(text):
    """Return the lines of a file of tests that break a rule, each with the rule."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            found += [(node.lineno, rule) for rule in _faults_of_call(node)]
        elif isinstance(node, ast.Assert):
            found += [(each.lineno, IS_QUICK) for each in ast.walk(node.test) if _has_upper_limit(each)]
    return sorted(found)


def _faults_of_call(node):
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name not in {*WAITING, *PROGRAMS, "sleep", "timeout"}:
        return
    owner = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
    if (owner, name) == ("time", "sleep") or (not owner and name == "sleep"):
        yield SLEEPS
    given = {word.arg: word.value for word in node.keywords}
    limits = [given.get("timeout")] if name in WAITING or (owner == "subprocess" and name in PROGRAMS) else []
    if name in WAITING and node.args:
        limits.append(node.args[-1])
    if owner == "pytest.mark" and name == "timeout" and "LIMIT" not in ast.unparse(node.args[0]):
        yield GIVES_UP
    if any(isinstance(limit, ast.Constant) and isinstance(limit.value, (int, float)) for limit in limits):
        yield GIVES_UP


def _has_upper_limit(node):
    """Return whether this compares a time that passed with something larger."""
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left, *node.comparators]
    return any(
        (isinstance(operator, (ast.Lt, ast.LtE)) and _is_time(left) and not _is_time(right))
        or (isinstance(operator, (ast.Gt, ast.GtE)) and _is_time(right) and not _is_time(left))
        for operator, (left, right) in zip(node.ops, itertools.pairwise(sides), strict=True)
    )


def _is_time(node):
    names = {each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in ast.walk(node)}
    clocks = {each.func for each in ast.walk(node) if isinstance(each, ast.Call)}
    called = {each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in clocks}
    return bool(called & CLOCKS) or any(name in TIMES for name in names)


def test_no_test_depends_on_the_speed_of_the_machine():
    found = []
    for name in map(str, tracked("tests/*.py")):
        if not name.startswith("tests/bench/"):
            lines = faults((ROOT / name).read_text("utf-8"))
            found += [f"{name}:{line} {rule}" for line, rule in lines if rule != SLEEPS or name not in MAY_SLEEP]
    assert not found, "\n".join(found)


def test_no_command_of_a_page_waits_for_a_fixed_time():
    pages = [name for name in map(str, tracked("*.md", "docs/*.md")) if not name.startswith("docs/design/")]
    found = [
        f"{name}: {line}"
        for name in pages
        for line in (ROOT / name).read_text("utf-8").splitlines()
        if line.startswith("$ ") and re.search(r"(?<!; do )\bsleep \d", line)
    ]
    assert found == []


def test_each_file_that_may_sleep_does():
    sleeping = {
        name for name in MAY_SLEEP if SLEEPS in dict(map(reversed, faults(pathlib.Path(ROOT, name).read_text())))
    }
    assert sleeping == set(MAY_SLEEP)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("time.sleep(0.3)", SLEEPS),
        ("sleep(1)", SLEEPS),
        ("process.wait(20)", GIVES_UP),
        ("process.communicate(timeout=5)", GIVES_UP),
        ("thread.join(10)", GIVES_UP),
        ("server.settimeout(10)", GIVES_UP),
        ("subprocess.run(['a'], timeout=60)", GIVES_UP),
        ("@pytest.mark.timeout(20)\ndef test_a(): pass", GIVES_UP),
        ("assert time.monotonic() - begin < 5", IS_QUICK),
        ("assert (status, time.monotonic() - begin <= 5) == (0, True)", IS_QUICK),
        ("assert 0.3 <= time.monotonic() - begin < 2", IS_QUICK),
        ("assert 2 > time.process_time() - begin", IS_QUICK),
        ("assert max(took) < 5", IS_QUICK),
    ],
)
def test_each_rule_finds_what_breaks_it(text, rule):
    assert [found for _line, found in faults(text)] == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "loop.sleep(end)",
        "process.wait(PATIENCE)",
        "process.wait()",
        "', '.join(names)",
        "run(['a'], timeout=20)",
        "@pytest.mark.timeout(LIMIT + 20 * KILLS)\ndef test_a(): pass",
        "assert time.monotonic() - begin >= 0.3",
        "assert count <= 1 + 10 * (time.monotonic() - begin)",
    ],
)
def test_no_rule_finds_anything_else(text):
    assert faults(text) == []

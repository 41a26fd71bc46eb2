# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of decisions: rows that are wrong, and tables that cannot be used."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from ccm.model.errors import InvalidResource
from ccm.resources.service.type import TYPE as SERVICE
from ccm.resources.service.type import ServiceState
from ccm.testing import decision_rows

from tests.unit.layout import ROOT

TABLE = """
states:
  stopped: {ensure: stopped, metadata: {enabled: false, running: false}}
  enabled: {from: stopped, messages: [failed], metadata: {enabled: true}}
  wrong: {from: stopped, unknown: 1}
properties: {name: s, ensure: running}
decisions:
  - {name: a row, state: stopped, verbs: [start], message: Would have started}
"""


def rows(tmp_path, table):
    path = tmp_path / "decisions.yaml"
    path.write_text(table, encoding="utf-8")
    return decision_rows(SERVICE, ServiceState, path)


def test_a_right_row_passes(tmp_path):
    (row,) = rows(tmp_path, TABLE)
    row.check()
    assert str(row) == "a row"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("[start]", "[stop]", "a row: verbs is ['start'], expected ['stop']"),
        ("Would have started", "Started", "a row: message is 'Would have started', expected 'Started'"),
        ("verbs: [start], message: Would have started", "error: x", "a row: error is None, expected 'x'"),
        ("verbs: [start]", "verbs: [start], refreshed: true", "a row: refreshed is False, expected True"),
        ("verbs: [start]", "verbs: [start], converged: true", "a row: converged is False, expected True"),
        ("state: stopped", "state: wrong", "a row: ServiceState does not declare unknown"),
    ],
)
def test_a_wrong_row_is_found(tmp_path, before, after, message):
    (row,) = rows(tmp_path, TABLE.replace(before, after))
    with pytest.raises(AssertionError, match=re.escape(message)):
        row.check()


def test_a_wrong_reason_is_found(tmp_path):
    table = TABLE.replace("decisions:", "reasons:").replace("verbs: [start], message: Would have started", "reason: x")
    (row,) = rows(tmp_path, table.replace("state: stopped", "state: enabled"))
    with pytest.raises(
        AssertionError, match="a row: reason is 'running: service is stopped, expected running: failed', expected 'x'"
    ):
        row.check()


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("verbs:", "verb:", "decisions: a row: unknown key verb, must be one of converged, error, message, name,"),
        (
            "states:",
            "state:",
            "decisions.yaml: unknown key state, must be one of decisions, properties, reasons, states",
        ),
        ("decisions:", "decisions:\n  - {name: a row, state: stopped}", "decisions: a row: another row has this name"),
        ("name: a row, ", "", "decisions: None: a row needs a name, and a state out of stopped, enabled, wrong"),
        (
            "state: stopped,",
            "state: running,",
            "decisions: a row: a row needs a name, and a state out of stopped, enabled",
        ),
        ("properties:", "reasons:", "decisions.yaml: properties is missing"),
        (TABLE[TABLE.index("decisions:") :], "", "decisions.yaml: there is no row in decisions or reasons"),
        (TABLE, "", "decisions.yaml: states is missing"),
        ("verbs:", "undo_properties: {lines: []}, verbs:", "decisions: a row: unknown key lines, must be one of"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(tmp_path, before, after, message):
    with pytest.raises(AssertionError, match=re.escape(message)):
        rows(tmp_path, TABLE.replace(before, after))


def test_properties_that_the_type_does_not_have_are_refused(tmp_path):
    with pytest.raises(InvalidResource, match='unknown property "enabled" in service'):
        rows(tmp_path, TABLE.replace("verbs:", "properties: {enabled: true}, verbs:"))


@pytest.mark.starts_processes
@pytest.mark.parametrize("name", ["ccm-hostname", "ccm-sysctl", "ccm-account"])
def test_the_tests_of_the_examples_pass(name, tmp_path):
    """They use `ccm.testing` as the guide shows it."""
    (tmp_path / "ccm").symlink_to(ROOT / "plugins/module_utils")
    example = ROOT / "docs/examples" / name
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{example}", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", example, example / "tests"]
    ran = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, " passed" in ran.stdout) == (0, True), ran.stdout

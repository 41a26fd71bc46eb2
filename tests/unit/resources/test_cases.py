# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of `<type>/cases/*.yaml`: decisions of types, and parsing of the output of programs by providers.

decisions.yaml is a table of the test kit (`ccm.testing`).

outputs.yaml has calls of functions: `function` is the name below the package of the type, and the argument is `output`
(bytes), `result` (the result of a command), `lines` or `text`.

systemctl.yaml has stand-ins for systemctl: shell commands for `show` and `is-enabled`, and the error of the service.
"""

from __future__ import annotations

import importlib
import pathlib

import pytest
import yaml
from ccm.engine.context import Context
from ccm.engine.transaction import run_transaction
from ccm.host.results import Result
from ccm.model.resource import Properties, Resource, complete
from ccm.resources.types import resource_type
from ccm.testing import decision_rows

HERE = pathlib.Path(__file__).parent


def documents(file_name):
    """Yield the type and the content of each data file of this name."""
    for path in sorted(HERE.glob(f"*/cases/{file_name}")):
        yield path.parts[-3], yaml.safe_load(path.read_text(encoding="utf-8"))


def rows(file_name, table):
    """Return the rows of a table in all data files of this name, as parameters of a test."""
    return [
        pytest.param(kind, document, row, id=f"{kind}: {row['name']}")
        for kind, document in documents(file_name)
        for row in document[table]
    ]


def decisions():
    """Return the rows of the decisions of all types, as parameters of a test."""
    found = []
    for path in sorted(HERE.glob("*/cases/decisions.yaml")):
        kind = path.parts[-3]
        state_class = getattr(
            importlib.import_module(f"ccm.resources.{kind}.type"), f"{kind.title().replace('_', '')}State"
        )
        for row in decision_rows(resource_type(kind), state_class, path):
            found.append(pytest.param(row, id=f"{kind}: {row}"))
    return found


@pytest.mark.parametrize("row", decisions())
def test_decisions(row):
    row.check()


@pytest.mark.parametrize(("kind", "document", "row"), rows("outputs.yaml", "calls"))
def test_outputs(kind, document, row):
    module, _dot, function = row["function"].rpartition(".")
    argument = row.get("lines", row.get("text"))
    if "output" in row:
        argument = row["output"].encode()
    elif "result" in row:
        argument = Result(1, *(row["result"][stream].encode() for stream in ("stdout", "stderr")))
    called = getattr(importlib.import_module(f"ccm.resources.{kind}.{module}"), function)
    assert called(argument) == row["expected"]


@pytest.mark.starts_processes
@pytest.mark.parametrize(("kind", "document", "row"), rows("systemctl.yaml", "services"))
def test_output_of_systemctl_that_is_not_a_state(fake_program, kind, document, row):
    fake_program("systemctl", f"case $1 in show) {row['show']};; is-enabled) {row['is-enabled']};; esac")
    service = resource_type(kind)
    resource = Resource(service, Properties(complete(service, {"name": "ccm-none", "ensure": "running"})))
    assert run_transaction(resource, Context()).errors == [row["error"]]


def test_names_of_rows_are_unique():
    tables = [("outputs.yaml", "calls"), ("systemctl.yaml", "services")]
    names = [[parameter.id for parameter in rows(*table)] for table in tables]
    assert all(names)
    assert [name for table in names for name in table if table.count(name) > 1] == []

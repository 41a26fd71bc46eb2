# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of `<type>/cases/*.yaml`: decisions of types, and parsing of the output of programs by providers.

decisions.yaml has named `states`, default `properties`, and two tables. A row of `decisions` gives the verbs and the
noop message, or the error, for a state and properties; one of `reasons` gives why a resource did not converge, or an
empty text. A state can begin with another one, named by `from`. `refresh` is whether a row is decided after a change of
a subscribed resource, `refreshed` whether the decision is a refresh, and `converged` whether the state is the wanted
one although there are verbs.

outputs.yaml has calls of functions: `function` is the name below the package of the type, and the argument is `output`
(bytes), `result` (the result of a command), `lines` or `text`.

systemctl.yaml has stand-ins for systemctl: shell commands for `show` and `is-enabled`, and the error of the service.
"""

from __future__ import annotations

import copy
import importlib
import pathlib

import pytest
import yaml
from ccm.engine.context import Context
from ccm.engine.transaction import run_transaction
from ccm.host.results import Result
from ccm.model.errors import ResourceFailed
from ccm.model.resource import Properties, Resource, complete
from ccm.resources.types import resource_type

from tests.unit.resources.states import state_of

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


def fields_of_state(document, name):
    """Return the fields of a named state, with those of the state that it begins with."""
    fields = copy.deepcopy(document["states"][name])
    if "from" not in fields:
        return fields
    base = fields_of_state(document, fields.pop("from"))
    if "metadata" in fields:
        fields["metadata"] = {**base.get("metadata", {}), **fields["metadata"]}
    return {**base, **fields}


def made_state(kind, document, row):
    fields = fields_of_state(document, row["state"])
    cls = getattr(importlib.import_module(f"ccm.resources.{kind}.type"), f"{kind.title()}State")
    details = fields.pop("details", {})
    state = state_of(cls, document["properties"]["name"], fields.pop("ensure"), fields.pop("metadata", None), **fields)
    state.details.update(details)
    return state


def made_properties(kind, document, row):
    type_ = resource_type(kind)
    made = type_.made(complete(type_, {**document["properties"], **row.get("properties", {})}))
    return type_.made({**vars(made), **type_.derived_values(made)})


@pytest.mark.parametrize(("kind", "document", "row"), rows("decisions.yaml", "decisions"))
def test_decisions(kind, document, row):
    type_, state = resource_type(kind), made_state(kind, document, row)
    properties, refresh = made_properties(kind, document, row), row.get("refresh", False)
    if "error" in row:
        with pytest.raises(ResourceFailed) as caught:
            type_.decide(state, properties, refresh)
        assert str(caught.value) == row["error"]
        return
    decision = type_.decide(state, properties, refresh)
    assert (list(decision.verbs), decision.noop_message) == (row["verbs"], row["message"])
    assert decision.refreshed is row.get("refreshed", False)
    assert decision.converged is row.get("converged", not row["verbs"])


@pytest.mark.parametrize(("kind", "document", "row"), rows("decisions.yaml", "reasons"))
def test_reasons(kind, document, row):
    properties = made_properties(kind, document, row)
    assert resource_type(kind).shortfall(made_state(kind, document, row), properties) == row["reason"]


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


@pytest.mark.parametrize(("kind", "document", "row"), rows("systemctl.yaml", "services"))
def test_output_of_systemctl_that_is_not_a_state(fake_program, kind, document, row):
    fake_program("systemctl", f"case $1 in show) {row['show']};; is-enabled) {row['is-enabled']};; esac")
    service = resource_type(kind)
    resource = Resource(service, Properties(complete(service, {"name": "ccm-none", "ensure": "running"})))
    assert run_transaction(resource, Context()).errors == [row["error"]]


def test_names_of_rows_are_unique():
    tables = [("decisions.yaml", "decisions"), ("decisions.yaml", "reasons"), ("outputs.yaml", "calls")]
    names = [[parameter.id for parameter in rows(*table)] for table in [*tables, ("systemctl.yaml", "services")]]
    assert all(names)
    assert [name for table in names for name in table if table.count(name) > 1] == []

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Decisions of a type as a table in YAML.

`states` are states by name, `properties` the defaults of all rows. A row of `decisions` gives the verbs and the noop
message, or the error, for a state and properties; one of `reasons` gives why a state, after acting, is not the wanted
one, or an empty text. A state can begin with another one, named by `from`. `refresh` is whether a row is decided after
a change of a subscribed resource, `refreshed` whether the decision is a refresh, and `converged` whether the state is
the wanted one although there are verbs. `undo_properties` of a row are properties that only an undo gives.
"""

from __future__ import annotations

from ..lang.yaml import load
from ..model.decode import decode_properties
from ..model.errors import ResourceFailed
from ..model.resource import complete

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Any, Dict, Mapping

    from ..model.contract import AnyType
    from ..model.resource import Properties
    from ..model.state import State
    from ..model.values import Data

    #: A row or a whole table, as the YAML has it.
    Entries = Dict[str, Any]

_TABLE = {"states", "properties", "decisions", "reasons"}
_ROW = {"name", "state", "properties", "undo_properties"}
_COLUMNS = {
    "decisions": _ROW | {"refresh", "verbs", "message", "error", "refreshed", "converged"},
    "reasons": _ROW | {"reason"},
}


class DecisionRow:
    """One row: what a type decides for a state and properties, or why a state is not the wanted one."""

    def __init__(self, of_type: AnyType, state_class: type[State], table: Entries, row: Entries) -> None:
        self._type = of_type
        self._state_class = state_class
        self._table = table
        self._row = row

    def __str__(self) -> str:
        return str(self._row["name"])

    def check(self) -> None:
        """Compare what the type returns with the row. Raises AssertionError."""
        state, properties = self._state(), wanted_properties(self._type, self._values())
        if "reason" in self._row:
            self._compare("reason", self._type.shortfall(state, properties))
            return
        try:
            decision = self._type.decide(state, properties, self._row.get("refresh", False))
        except ResourceFailed as error:
            self._compare("error", str(error))
            return
        self._compare("error", None)
        self._compare("verbs", list(decision.verbs))
        self._compare("message", decision.noop_message)
        self._compare("refreshed", decision.refreshed, False)
        self._compare("converged", decision.converged, not self._row["verbs"])

    def _values(self) -> Data:
        given = self._row.get("properties", {}), self._row.get("undo_properties", {})
        return {**self._table["properties"], **given[0], **given[1]}

    def _state(self) -> State:
        fields = _fields_of_state(self._table["states"], self._row["state"])
        details = {"metadata": fields.pop("metadata")} if "metadata" in fields else {}
        details.update(fields.pop("details", {}))
        state = self._state_class(self._table["properties"]["name"], fields.pop("ensure"), details)
        unknown = [field for field in fields if field not in self._state_class.__annotations__]
        if unknown:
            raise AssertionError(f"{self}: {self._state_class.__name__} does not declare {', '.join(unknown)}")
        vars(state).update(fields)
        return state

    def _compare(self, column: str, found: object, default: object = None) -> None:
        expected = self._row.get(column, default)
        if found != expected:
            raise AssertionError(f"{self}: {column} is {found!r}, expected {expected!r}")


def decision_rows(of_type: AnyType, state_class: type[State], path: str | os.PathLike[str]) -> list[DecisionRow]:
    """Return the rows of the table in a file, for a parametrized test.

    Raises AssertionError for a table without rows, for unknown keys and states, and for two rows of one list with the
    same name; InvalidResource for properties that the type does not have.
    """
    with open(path, encoding="utf-8") as file:
        table: Entries = load(file.read(), str(path)).value or {}
    _require_known(table, _TABLE, str(path))
    for needed in ("states", "properties"):
        if needed not in table:
            raise AssertionError(f"{path}: {needed} is missing")
    rows = []
    for list_name, columns in _COLUMNS.items():
        names = set()
        for row in table.get(list_name, ()):
            place = f"{path}: {list_name}: {row.get('name')}"
            _require_known(row, columns, place)
            if "name" not in row or row.get("state") not in table["states"]:
                raise AssertionError(f"{place}: a row needs a name, and a state out of {', '.join(table['states'])}")
            decode_properties(of_type, {**table["properties"], **row.get("properties", {})})
            _require_known(row.get("undo_properties", {}), {prop.name for prop in of_type.undo_properties}, place)
            if row["name"] in names:
                raise AssertionError(f"{place}: another row has this name")
            names.add(row["name"])
            rows.append(DecisionRow(of_type, state_class, table, row))
    if not rows:
        raise AssertionError(f"{path}: there is no row in {' or '.join(_COLUMNS)}")
    return rows


def wanted_properties(of_type: AnyType, values: Mapping[str, Any]) -> Properties:
    """Return the properties of a resource as decisions read them: all of them, with derived values."""
    made: Properties = of_type.made(complete(of_type, dict(values)))
    derived: Properties = of_type.made({**vars(made), **of_type.derived_values(made)})
    return derived


def _require_known(entries: Entries, known: set[str], place: str) -> None:
    unknown = sorted(set(entries) - known)
    if unknown:
        raise AssertionError(f"{place}: unknown key {', '.join(unknown)}, must be one of {', '.join(sorted(known))}")


def _fields_of_state(states: Entries, name: str) -> Entries:
    """Return the fields of a named state, with the fields of the state that it begins with."""
    fields: Entries = dict(states[name])
    if "from" not in fields:
        return fields
    base = _fields_of_state(states, fields.pop("from"))
    if "metadata" in fields:
        fields["metadata"] = {**base.get("metadata", {}), **fields["metadata"]}
    return {**base, **fields}

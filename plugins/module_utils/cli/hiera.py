# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm hiera`: resolves and shows hierarchy data (behaviour.md 16 and 19.3)."""

from __future__ import annotations

import os
import sys

from ..data.environment import facts_of_machine
from ..data.factfiles import read_facts_file
from ..data.sources import load_data
from ..lang.go.json import marshal
from ..model.flags import Argument, Flag
from .command import Command
from .completion_values import fact_names, fact_paths
from .console import Console, yaml_text
from .documents import json_document, ordered, ordered_value
from .facts import found_at
from .run import NATS_CONTEXT, nats_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from ..model.flags import Values
    from ..model.log import Log
    from ..model.values import Data, Value


def _parse(values: Values) -> int:
    log = Console(values).log
    overriding = _overriding(values)
    loaded = load_data(
        values.input, _facts(values, log), overrides_data=overriding, nats=lambda: nats_of(values), log=log, piped=True
    )
    result: Value = loaded.data
    if values.query:
        found = found_at(values.query, marshal(result))
        result = None if found is None else _as_floats(found.value)
    if values.yaml:
        sys.stdout.write(yaml_text(ordered_value(result)))
    elif values.env:
        sys.stdout.writelines(f"{values.env_prefix}_{line}\n" for line in _assignments(result))
    else:
        sys.stdout.write(json_document(result, sort_keys=True))
    return 0


def _as_floats(value: Value) -> Value:
    """Return the result of a query, its numbers as the original reads them from JSON: all of them floats."""
    if isinstance(value, dict):
        return {key: _as_floats(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_as_floats(entry) for entry in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _overriding(values: Values) -> Data:
    data = read_facts_file(values.data_file) if values.data_file else {}
    return {**data, **values.data}


def _assignments(result: Value) -> Iterator[str]:
    if not isinstance(result, dict):
        yield f"VALUE={marshal(result)}"
        return
    for key in sorted(result):
        yield f"{key.upper()}={_assigned(result[key])}"


def _assigned(value: Value) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return f"{value:f}"
    return marshal(value)


def _facts(values: Values, log: Log) -> Data:
    """Return the facts of the host; over them, key by key, the facts of -E, of --facts and of the words."""
    facts = facts_of_machine(log)()
    if values.env_facts:
        facts.update(os.environ)
    if values.facts:
        facts.update(read_facts_file(values.facts))
    facts.update(values.fact)
    return facts


def _show_facts(values: Values) -> int:
    facts = json_document(ordered(_facts(values, Console(values).log)))
    if values.query:
        found = found_at(values.query, facts)
        facts = ("" if found is None else found.text) + "\n"
    sys.stdout.write(facts)
    return 0


_FACT = Argument("fact", "Facts about the node", kind="map", offered=fact_names)
_FACT_FLAGS = (
    Flag("facts", "file", "JSON or YAML file containing facts"),
    Flag("env-facts", "set", "Provide facts from the process environment", short="E"),
)

_PARSE = Command(
    "hiera parse",
    "Parses a YAML or JSON file and prints the result as JSON",
    aliases=("resolve",),
    arguments=(
        Argument("input", "Input JSON or YAML file to resolve", required=True, env="HIERA_INPUT", path="file"),
        _FACT,
    ),
    flags=(
        Flag("data", "map", "Override data values (always strings)", short="D"),
        Flag("data-file", "file", "JSON or YAML file containing override data values"),
        *_FACT_FLAGS,
        Flag("query", "text", "Performs a gjson query on the result"),
        NATS_CONTEXT,
        Flag("yaml", "set", "Output YAML instead of JSON"),
        Flag("env", "set", "Output environment variables"),
        Flag("env-prefix", "text", "Prefix for environment variable names", default="HIERA"),
    ),
    run=_parse,
)

_SHOW_FACTS = Command(
    "hiera facts",
    "Shows resolved facts",
    arguments=(_FACT,),
    flags=(*_FACT_FLAGS, Flag("query", "text", "Performs a gjson query on the facts", offered=fact_paths)),
    run=_show_facts,
)


def _find(name: str) -> Command | None:
    return {"parse": _PARSE, "resolve": _PARSE, "facts": _SHOW_FACTS}.get(name)


COMMAND = Command(
    "hiera",
    "Hierarchical data resolver",
    commands=(("parse", _PARSE.help), ("facts", _SHOW_FACTS.help)),
    find=_find,
)

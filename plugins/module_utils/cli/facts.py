# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm facts`: the facts of this host (behaviour.md 19.3)."""

from __future__ import annotations

import sys

from ..data.environment import facts_of_machine
from ..lang.go.json import marshal
from ..model.errors import CCMError
from ..model.flags import Argument, Flag
from .command import Command
from .completion_values import fact_paths
from .console import Console, print_yaml
from .documents import json_document, ordered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.flags import Values
    from ..model.values import Value


def _facts(values: Values) -> int:
    facts: Value = ordered(facts_of_machine(Console(values).log)())
    if values.query:
        found = found_at(values.query, marshal(facts, sort_keys=False))
        if found is None:
            raise CCMError(f"no fact matches {values.query}", value=values.query)
        facts = found.value
    if values.yaml:
        print_yaml(_whole(facts))
    else:
        sys.stdout.write(json_document(facts))
    return 0


def _whole(value: Value) -> Value:
    """Return facts with integers for floats without a fraction, as the original shows all of them in YAML."""
    if isinstance(value, dict):
        return {key: _whole(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_whole(entry) for entry in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


class Found:
    """The result of a GJSON path: its `value`, and its `text` as GJSON prints it."""

    __slots__ = ("text", "value")

    def __init__(self, value: Value, text: str) -> None:
        self.value = value
        self.text = text


def found_at(path: str, document: str) -> Found | None:
    """Return what a GJSON path finds in JSON text, whose order of keys it keeps; None when that is nothing.

    Raises CCMError for a path that takes too long, or whose result is no JSON.
    """
    import json

    from ..lang.gjson.search import GJSONError, get_in_text

    try:
        result = get_in_text(document, path)
        return Found(json.loads(result.raw), result.string) if result.exists else None
    except (GJSONError, RecursionError, ValueError) as error:
        raise CCMError(f"query {path} has no result: {error}", value=path) from None


COMMAND = Command(
    "facts",
    "Shows system facts",
    arguments=(Argument("query", "Query to execute", offered=fact_paths),),
    flags=(Flag("yaml", "set", "Output facts in YAML format"),),
    run=_facts,
)

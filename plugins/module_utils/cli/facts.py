# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm facts`: the facts of this machine (features.md 19.3)."""

from __future__ import annotations

import sys

from ..model.errors import CCMError
from .command import Argument, Command, Flag
from .console import Console
from .run import facts_of_machine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..lang.gjson.result import Result
    from .command import Values


def _facts(values: Values) -> int:
    facts = ordered(facts_of_machine(Console(values).log)())
    if values.query:
        result = found_at(values.query, facts)
        if not result.exists:
            raise CCMError(f"no fact matches {values.query}", value=values.query)
        facts = result.value
    if values.yaml:
        from ..lang.yaml import dump

        sys.stdout.write(dump(facts))
    else:
        from ..lang.gojson import marshal

        print(marshal(facts, indent="  ", sort_keys=False))
    return 0


def found_at(path: str, document: Any) -> Result:
    """What a GJSON path finds. Raises CCMError for a path beyond all bounds."""
    from ..lang.gjson.query import get
    from ..lang.gjson.result import GJSONError

    try:
        return get(document, path)
    except GJSONError as error:
        raise CCMError(str(error), value=path) from None


def ordered(value: Any) -> Any:
    """Facts as plain maps in the order in which they are shown: gathered ones in their own, others by name."""
    from ..host.facts.fields import FieldNamed

    if isinstance(value, FieldNamed):
        return {key: ordered(entry) for key, entry in value.items()}
    if isinstance(value, dict):
        return {key: ordered(value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [ordered(entry) for entry in value]
    return value


FACTS = Command(
    "facts",
    "Shows system facts",
    arguments=(Argument("query", "Query to execute"),),
    flags=(Flag("yaml", "set", "Output facts in YAML format"),),
    run=_facts,
)

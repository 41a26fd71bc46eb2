# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The data of a manifest that has hierarchy data, or is given some (behaviour.md 16)."""

from __future__ import annotations

from ..model.errors import DataError
from ..model.finite import non_finite_message, path_of_non_finite
from .annotations import find_rules
from .hierarchy import resolve, validate_data
from .merge import deep_merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Protocol

    from ..model.log import Log
    from ..model.values import Data, FactSource, ParsedDocument
    from .hierarchy import Resolved
    from .templates import Locate

    class Inputs(Protocol):
        """What data are resolved with (manifest/loader.py)."""

        facts: FactSource
        overriding: Callable[[], Resolved] | None
        data: Data | None
        strict: bool
        log: Log


def resolved_data(sections: Data, document: ParsedDocument, locate: Locate, inputs: Inputs) -> Data:
    """Return the resolved data of the `sections` of a manifest's document, in which `locate` finds the place of a path.

    Raises DataError, also for data that break a rule, and for overriding numbers that are not finite.
    """
    rules, unknown = find_rules(document)
    for key, annotation in unknown:
        inputs.log.warn("Unrecognized annotation in hiera data", key=key, annotation=annotation)
    data = resolve(sections, inputs.facts, locate=locate).data
    if inputs.overriding is not None:
        overriding = inputs.overriding()
        path = path_of_non_finite(overriding.data) if inputs.strict else None
        if path is not None:
            raise DataError("hiera data: " + non_finite_message(path), property=str(path[0]))
        data = deep_merge(data, overriding.data)
        rules = [*rules, *overriding.rules]
    if inputs.data is not None:
        data = deep_merge(data, inputs.data)
    validate_data(data, rules)
    return data

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Faults in the results of methods of types of other packages."""

from __future__ import annotations

from collections.abc import Mapping

from ..model.decision import Decision, Step
from ..model.facets import Identity
from ..model.state import State
from .declaration_checks import is_of_kind
from .types import relations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

    from ..model.contract import AnyType
    from ..model.property import Property

#: Kinds of results with rules of their own.
DIFFERENCES = (list,)
IDENTITIES = (list, tuple)
TEXTS = (list, tuple)
SENT = (Mapping, type(None))
PATHS = (list, tuple, set, frozenset)
PARTS = (dict,)
_OF_DIFFERENCE = {"before", "after", "before_header", "after_header"}


def fault_of_result(result: object, kind: type | tuple[type, ...], of_type: AnyType) -> str:
    """Return the fault of the result of a call of a method of a type, or of its parts; "" for none."""
    if not isinstance(result, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        return f"{type(result).__name__}, not {' or '.join(each.__name__ for each in kinds)}"
    if isinstance(result, Decision):
        other = [type(step).__name__ for step in result.steps if not isinstance(step, Step)]
        if other:
            return f"a Decision with {other[0]} among its steps, not Step"
        unknown = [verb for verb in result.verbs if verb not in of_type.verbs]
        return f"the verb {unknown[0]}, which is none of the type: {', '.join(of_type.verbs)}" if unknown else ""
    if isinstance(result, State):
        return _fault_of_state(result, of_type.name)
    if kind is TEXTS and isinstance(result, (list, tuple)):
        wrong = [type(each).__name__ for each in result if not isinstance(each, str)]
        return f"{wrong[0]} among what should be str" if wrong else ""
    if kind is IDENTITIES and isinstance(result, (list, tuple)):
        wrong = [type(each).__name__ for each in result if not isinstance(each, Identity)]
        return f"{wrong[0]} among what should be Identity" if wrong else ""
    if kind is SENT:
        known = relations(of_type)
        return fault_of_sent(result, known.sends if known else ())
    if kind is PATHS or kind is PARTS:
        return _fault_of_reversal(result)
    return _fault_of_differences(result) if isinstance(result, list) and kind is DIFFERENCES else ""


def _fault_of_state(state: State, type_name: str) -> str:
    """Return why events cannot show a state of a type, "" when they can."""
    if getattr(state, "type", "") != type_name:
        return f"a State of the type {getattr(state, 'type', '')!r}, not {type_name!r}: set type in its class"
    if not all(isinstance(text, str) for text in (state.name, state.ensure)):
        return "a State whose name or ensure is no text"
    mappings = (state.details, state.details.get("metadata", {})) if isinstance(state.details, dict) else (None,)
    if not all(isinstance(each, dict) for each in mappings):
        return "a State whose details or metadata are no mapping"
    wrong = _first_of_other_kind(state.details)
    if wrong:
        return f"a State with {wrong}, which events cannot show"
    missing = [field for field in ("name", "provider") if not state.metadata.get(field)]
    return f"a State without {' and '.join(missing)} in its metadata" if missing else ""


def fault_of_sent(found: object, sends: Iterable[Property]) -> str:
    """Return why values cannot be sent to others, "" when they can."""
    if not isinstance(found, Mapping):
        return ""
    declared = {prop.name: prop for prop in sends}
    unknown = [str(name) for name in found if name not in declared]
    if unknown:
        return f"{', '.join(sorted(unknown))}, which is none of sends"
    for name, value in found.items():
        if not is_of_kind(declared[name], value) or _first_of_other_kind(value):
            return f"{name} as {type(value).__name__}, which sends declares as {declared[name].kind}"
    return ""


def _fault_of_reversal(found: object) -> str:
    """Return why the state cannot keep paths or parts, "" when it can; it keeps descriptions of paths as lists."""
    if isinstance(found, dict):
        wrong = [name for name, part in found.items() if not isinstance(part, (str, int))]
        return f"the part {wrong[0]}, which must be text, a whole number or a boolean" if wrong else ""
    paths = found if isinstance(found, (list, tuple, set, frozenset)) else ()
    relative = [path for path in paths if not (isinstance(path, str) and path.startswith("/"))]
    return f"{relative[0]!r}, which is no absolute path" if relative else ""


def _fault_of_differences(found: list[object]) -> str:
    """Return why differences cannot be shown, "" when they can."""
    for difference in found:
        if not (isinstance(difference, dict) and set(difference) == _OF_DIFFERENCE):
            return f"a difference that has not exactly {', '.join(sorted(_OF_DIFFERENCE))}"
        before, after = difference["before"], difference["after"]
        if type(before) is not type(after) or not isinstance(before, (str, dict)):
            return "a difference whose before and after are not both texts, or both texts by name"
    return ""


def _first_of_other_kind(value: object) -> str:
    """Return the name of the first kind in a value that JSON does not have, "" when there is none."""
    if isinstance(value, dict):
        parts = [*value, *value.values()]
    elif isinstance(value, (list, tuple)):
        parts = list(value)
    else:
        return "" if value is None or isinstance(value, (str, int, float)) else type(value).__name__
    return next(filter(None, map(_first_of_other_kind, parts)), "")

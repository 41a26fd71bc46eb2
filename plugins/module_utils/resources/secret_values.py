# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The values of a type's secret properties, hidden in all that a type of another package shows (Q38)."""

from __future__ import annotations

from ..model.decision import Decision
from ..model.resource import Properties
from ..model.sending import received
from ..model.state import State
from ..redaction.replacement import REDACTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable, Iterator, TypeVar

    from ..model.decision import Step
    from ..model.property import Property
    from ..model.values import Data, Value

    T = TypeVar("T")

#: A shorter line of a secret of several lines may occur anywhere by chance.
_SHORTEST_LINE = 4


def secret_texts(declared: Iterable[Property], given: Iterable[object]) -> list[str]:
    """Return the texts of secret properties in the arguments of a call, the longest first.

    So are the texts of properties that received sensitive values of others, and these values. `given` may have
    properties in lists and tuples. The lines of a text are secrets too.
    """
    found: set[str] = set()
    for properties in _properties(given):
        names, texts = received(properties)
        values = [getattr(properties, prop.name) for prop in declared if prop.secret or prop.name in names]
        for text in _texts([*values, *texts]):
            found.update((text, *(line for line in text.splitlines() if len(line) >= _SHORTEST_LINE)))
    return sorted(found, key=len, reverse=True)


def _properties(given: Iterable[object]) -> Iterator[Properties]:
    for each in given:
        if isinstance(each, Properties):
            yield each
        elif isinstance(each, (list, tuple)):
            yield from _properties(each)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, (dict, list, tuple)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)
    elif value and not isinstance(value, bool):
        yield str(value)


def without(secrets: Iterable[str], text: str) -> str:
    """Return a text with secrets replaced."""
    for secret in secrets:
        text = text.replace(secret, REDACTED)
    return text


def without_secrets(secrets: list[str], result: Any) -> Any:
    """Return the result of a call as it may be shown; what decisions compare keeps the values that were found."""
    if not secrets:
        return result
    if isinstance(result, State):
        _hide_in_events(result, secrets)
        return result
    if isinstance(result, Decision):
        return changed(result, steps=tuple(_step_without(secrets, step) for step in result.steps))
    return hidden(secrets, result) if isinstance(result, str) or _are_differences(result) else result


def _are_differences(result: object) -> bool:
    return isinstance(result, list) and all(isinstance(each, dict) and "before_header" in each for each in result)


def _step_without(secrets: list[str], step: Step) -> Step:
    return changed(step, would=without(secrets, step.would), done=without(secrets, step.done))


def changed(one: T, **values: object) -> T:
    """Return a copy of an object with other values: an author may return the same one in each call."""
    copy = object.__new__(type(one))
    vars(copy).update(vars(one), **values)
    return copy


def hidden(secrets: list[str], value: Value) -> Value:
    """Return a value with secrets replaced in all of its texts and numbers."""
    if isinstance(value, dict):
        return {key: hidden(secrets, entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [hidden(secrets, entry) for entry in value]
    if isinstance(value, str):
        return without(secrets, value)
    return REDACTED if str(value) in secrets else value


def _hide_in_events(state: State, secrets: list[str]) -> None:
    found = state.as_dict

    def as_dict() -> Data:
        return {key: hidden(secrets, value) for key, value in found().items()}

    vars(state)["as_dict"] = as_dict

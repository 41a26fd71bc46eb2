# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Texts with `{{ expressions }}` and `${ expressions }` in them, and their values (behaviour.md 11.2, 11.3).

A text without an opener costs two searches and imports nothing.
"""

from __future__ import annotations

from ..model.errors import TemplateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..model.environment import ExpressionEnvironment
    from ..model.errors import Position
    from ..model.values import Path, Value

    Locate = Callable[[Path], "Position | None"]


def resolve_string(text: str, environment: ExpressionEnvironment) -> str:
    """Return the text with each expression replaced by its value as Go prints it (`<nil>`, `[1 2]`, `map[a:1]`).

    Results are not resolved again. Raises TemplateError.
    """
    if "{{" not in text and "${" not in text:
        return text
    return resolve_match(text, environment)[0]


def resolve_typed(text: str, environment: ExpressionEnvironment) -> Value:
    """Return the value of the text's one expression, blanks around it ignored, else as `resolve_string`."""
    if "{{" not in text and "${" not in text:
        return text
    from ..lang.templatescan import only_expression

    expression = only_expression(text)
    if expression is not None:
        return environment.evaluate(expression)
    return resolve_match(text, environment)[0]


def resolve_match(text: str, environment: ExpressionEnvironment) -> tuple[str, bool]:
    """Return the text as `resolve_string` does, and whether it matches.

    It does when any of its expressions gave something other than "" and null; without expressions, when it is not
    empty. Raises TemplateError.
    """
    if "{{" not in text and "${" not in text:
        return text, text != ""
    from ..lang.templatescan import scan

    parts = []
    fruitful = []
    for part in scan(text):
        if isinstance(part, str):
            parts.append(part)
            continue
        value = environment.evaluate(part.source)
        fruitful.append(value is not None and value != "")
        parts.append(value if isinstance(value, str) else _printed(value))
    return "".join(parts), any(fruitful) or not fruitful


def _printed(value: Value) -> str:
    from ..lang.go.fmt import GoFormatError, sprint

    try:
        return sprint(value)
    except GoFormatError as error:
        raise TemplateError(str(error)) from None


def expand_values(
    value: Value, environment: ExpressionEnvironment, locate: Locate | None = None, path: Path = ()
) -> Value:
    """Return the value with every text in it, at any depth, resolved as by `resolve_typed`; keys are not changed.

    `locate(path)` returns the Position of an entry for the error, `path` being keys and indexes from the top. Raises
    TemplateError.
    """
    if isinstance(value, str):
        if "{{" not in value and "${" not in value:
            return value
        return _placed(value, environment, locate, path)
    if isinstance(value, dict):
        return {key: expand_values(entry, environment, locate, (*path, key)) for key, entry in value.items()}
    if isinstance(value, list):
        return [expand_values(entry, environment, locate, (*path, index)) for index, entry in enumerate(value)]
    return value


def _placed(text: str, environment: ExpressionEnvironment, locate: Locate | None, path: Path) -> Value:
    try:
        return resolve_typed(text, environment)
    except TemplateError as error:
        if locate is not None and error.position is None:
            error.position = locate(path)
        raise

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Texts with line breaks that the original rejects (decisions.md Q54).

Its schema check writes the manifest as YAML and reads it again. A text with line breaks becomes a block without
indentation, which is no YAML, unless something in it has it put in quotes, or it is directly in a list.
"""

from __future__ import annotations

from ..lang.templatescan import Expression, has_expression, only_expression, scan
from ..model.property import DEFERRED, NEVER
from .walk import given_fields, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from ..model.property import Property
    from ..model.values import Path, Value

_QUOTED_AT_START = "*&[{}],!|>%'\"@ `"
_QUOTED_AT_END = ": "
_QUOTED = ("#", "\\", ": ", "- ")
_STAND_IN = "x"


def refused_in_property(prop: Property, value: Value, path: Path) -> Iterator[tuple[Path, bool]]:
    """Yield where rejected texts of a property are, and whether an expression in them may prevent that."""
    for field, entry, below in given_fields(prop, value, path) if prop.fields else ():
        yield from refused_in_property(field, entry, below)
    if prop.fields and isinstance(value, list):
        return
    if prop.kind == "data" and prop.when == NEVER:
        # Rules of health checks stay as they are written.
        return
    for text, below in texts(value, path):
        is_late = prop.when == DEFERRED
        if is_late and has_expression(text):
            continue
        if prop.pattern and isinstance(value, list):
            if "\n" in text and not has_expression(text):
                yield below, is_late
        elif _is_refused(text, below):
            yield below, is_late


def refused_in_data(value: Value, path: Path) -> Iterator[Path]:
    """Yield where rejected texts are in data, in overrides, or in other values that are resolved early."""
    for text, below in texts(value, path):
        if _is_refused(text, below) and not only_expression(text):
            yield below


def _is_refused(text: str, path: Path) -> bool:
    """Return whether a text is rejected; the value of an expression is assumed to be a word."""
    if not ("\n" in text or "\r" in text) or text == "\n" or isinstance(path[-1], int):
        return False
    known = "".join(_STAND_IN if isinstance(part, Expression) else part for part in scan(text))
    if not ("\n" in known or "\r" in known) or known[0] in _QUOTED_AT_START or known[-1] in _QUOTED_AT_END:
        return False
    return not any(each in known for each in _QUOTED)

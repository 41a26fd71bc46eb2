# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The traceback of a fault in a type of another package, which `--debug` shows to its author."""

from __future__ import annotations

from traceback import extract_tb, format_exception_only, format_list

from ..redaction.lines import visible
from ..redaction.texts import without_text_secrets
from .secret_values import without

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Iterable, Iterator

#: An error can come from as many others as there are calls inside each other.
_MOST_ERRORS = 5
_PACKAGE_PREFIX = __name__.rpartition("resources.")[0]


def traceback_lines(problem: BaseException, secrets: Iterable[str]) -> list[str]:
    """Return the lines of a traceback without secrets and control characters, beginning at the code of the type.

    Errors that it comes from are first, as in tracebacks of Python.
    """
    chain = [problem]
    while len(chain) < _MOST_ERRORS:
        last = chain[-1]
        earlier = last.__cause__ or (None if last.__suppress_context__ else last.__context__)
        if earlier is None or earlier in chain:
            break
        chain.append(earlier)
    return [visible(without(secrets, line)) for each in reversed(chain) for line in _lines(each)]


def _lines(problem: BaseException) -> Iterator[str]:
    yield "Traceback (most recent call last):"
    for frame in format_list(extract_tb(_from_type(problem.__traceback__))):
        yield from frame.rstrip("\n").split("\n")
    for line in format_exception_only(type(problem), problem):
        yield from without_text_secrets(line.rstrip("\n")).split("\n")


def _from_type(traceback: TracebackType | None) -> TracebackType | None:
    """Return the part of a traceback that begins outside of this package; all of it where nothing does."""
    part = traceback
    while part and part.tb_frame.f_globals.get("__name__", "").startswith(_PACKAGE_PREFIX):
        part = part.tb_next
    return part or traceback

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of functions as closures."""

from __future__ import annotations

from ..go.kinds import is_true
from .frame import CONTEXT
from .function import REFUSALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence

    from .frame import Code, Frame
    from .function import Function
    from .place import Place


def call(function: Function, name: str, codes: Sequence[Code], place: Place) -> Code:
    """Return what calls ``function`` with what ``codes`` evaluate to; ``place`` is what its errors refer to."""
    if function.with_context:
        return _many(function, name, [_context, *codes], place)
    if len(codes) == 1:
        return _one(function, name, codes[0], place)
    return _two(function, name, codes[0], codes[1], place) if len(codes) == 2 else _many(function, name, codes, place)


def _context(frame: Frame, dot: Any) -> Any:
    return frame[CONTEXT]


def _one(function: Function, name: str, code: Code, place: Place) -> Code:
    invoke = function.call

    def run(frame: Frame, dot: Any) -> Any:
        argument = code(frame, dot)
        try:
            return invoke(argument)
        except REFUSALS as error:
            raise place.fault(f"error calling {name}: {error}") from None

    return run


def _two(function: Function, name: str, first: Code, second: Code, place: Place) -> Code:
    invoke = function.call

    def run(frame: Frame, dot: Any) -> Any:
        left = first(frame, dot)
        right = second(frame, dot)
        try:
            return invoke(left, right)
        except REFUSALS as error:
            raise place.fault(f"error calling {name}: {error}") from None

    return run


def _many(function: Function, name: str, codes: Sequence[Code], place: Place) -> Code:
    invoke = function.call

    def run(frame: Frame, dot: Any) -> Any:
        arguments = [code(frame, dot) for code in codes]
        try:
            return invoke(*arguments)
        except REFUSALS as error:
            raise place.fault(f"error calling {name}: {error}") from None

    return run


def until(truth: bool, codes: Sequence[Code]) -> Code:
    """Return what gives the first value that is true (or false, as ``truth`` says), or the last: ``or`` and ``and``."""

    def run(frame: Frame, dot: Any) -> Any:
        value = None
        for code in codes:
            value = code(frame, dot)
            if is_true(value) is truth:
                break
        return value

    return run

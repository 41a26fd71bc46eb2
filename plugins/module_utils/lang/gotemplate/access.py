# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Walking along a chain of names from a dot, a variable or a result: ``.a.b``, ``$x.a``, ``(…).a``."""

from __future__ import annotations

from .frame import CONTEXT
from .function import REFUSALS
from .members import MemberError, member, method_of, place_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence

    from .arguments import Arguments
    from .frame import Code, Frame
    from .members import Typed
    from .place import Place


class Walk:
    """A chain of names.

    ``origin`` is the place in a frame of the list or map that the first value was taken from (None where it is a value
    of its own): that distinguishes nil from nothing. ``here`` is what messages refer to, ``call`` what they refer to
    when a method fails, ``arguments`` what the last name is given, None for nothing.
    """

    __slots__ = ("arguments", "call", "here", "names", "origin")

    def __init__(
        self, names: Sequence[str], origin: int | None, here: Place, call: Place, arguments: Arguments | None = None
    ) -> None:
        self.names = names
        self.origin = origin
        self.here = here
        self.call = call
        self.arguments = arguments

    def place_of(self, frame: Frame) -> str:
        """Return the type of the place that the first value was taken from, "" for its own."""
        return "" if self.origin is None else place_type(frame[self.origin])

    def follow(self, frame: Frame, dot: Any, value: Any) -> Typed:
        """Return the value at the end of the chain from ``value``, with its place. Raises TemplateFault."""
        typed = value, self.place_of(frame)
        for name in self.names[:-1]:
            typed = self._step(frame, dot, typed, name, None)
        return self._step(frame, dot, typed, self.names[-1], self.arguments)

    def _step(self, frame: Frame, dot: Any, typed: Typed, name: str, arguments: Arguments | None) -> Typed:
        value = typed[0]
        try:
            method = None if value is None else method_of(value, name)
            if method is None:
                return member(typed, name, arguments is not None)
        except MemberError as error:
            raise self.here.fault(str(error)) from None
        if arguments is None:
            if method.parameters:
                raise self.here.fault(f"wrong number of args for {name}: want {len(method.parameters)} got 0")
            given = []
        else:
            given = arguments.values(frame, dot, name, method)
        if method.with_context:
            given.insert(0, frame[CONTEXT])
        try:
            return method.call(value, *given), ""
        except REFUSALS as error:
            raise self.call.fault(f"error calling {name}: {error}") from None

    def from_dot(self) -> Code:
        """Return what evaluates the chain from the dot: straight through ordinary maps, else step by step."""
        follow, names = self.follow, self.names
        if self.arguments is not None:
            return lambda frame, dot: follow(frame, dot, dot)[0]
        if len(names) == 1:
            name = names[0]

            def entry(frame: Frame, dot: Any) -> Any:
                return dot.get(name) if dot.__class__ is dict else follow(frame, dot, dot)[0]

            return entry

        def entries(frame: Frame, dot: Any) -> Any:
            value = dot
            for name in names:
                if value.__class__ is not dict:
                    return follow(frame, dot, dot)[0]
                value = value.get(name)
            return value

        return entries

    def from_value(self, begin: Code) -> Code:
        """Return what evaluates the chain from the value that ``begin`` gives."""
        follow, names = self.follow, self.names
        if self.arguments is not None:
            return lambda frame, dot: follow(frame, dot, begin(frame, dot))[0]

        def entries(frame: Frame, dot: Any) -> Any:
            value = start = begin(frame, dot)
            for name in names:
                if value.__class__ is not dict:
                    return follow(frame, dot, start)[0]
                value = value.get(name)
            return value

        return entries

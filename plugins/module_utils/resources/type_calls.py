# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of methods of types of other packages, each until its limit, and what they leave when they are given up."""

from __future__ import annotations

from ..host import given_up
from ..host.call_threads import Call
from ..model.meta import semaphore, type_semaphore
from ..model.provider import Provider
from ..model.resource import Properties
from ..model.state import State
from ..redaction.texts import without_text_secrets
from .printed import capturing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Iterator, TypeVar

    from ..model.contract import AnyType

    R = TypeVar("R")
    Named = TypeVar("Named")


class TypeCall(Call):
    """A call of the method that `label` names, of a `package`, with what it was `given`.

    It is about resources of `of_type`, None for the import of a type. A call of a provider `manages` them; the provider
    is the first object given to most of its methods, and `__init__` makes it.
    """

    def __init__(
        self,
        label: str,
        package: str,
        of_type: AnyType | None = None,
        given: tuple[object, ...] = (),
        *,
        manages: bool = False,
    ) -> None:
        super().__init__()
        self.label = f"{label} of {package}"
        self._makes_provider = label.startswith("__init__")
        self._package = package
        self._type = of_type
        self._given = given
        self._manages = manages

    def result(self, method: Callable[..., R], seconds: float, secrets: Iterable[str] = ()) -> R:
        """Call the method until `seconds` are over, and return its result; see `Call.make`.

        What it prints goes to standard error, without `secrets`.
        """

        def work() -> R:
            with capturing(self._package, secrets):
                return method(*self._given)

        return self.make(work, seconds)

    def __str__(self) -> str:
        """Return its label, with the references of the resources that it is about."""
        references = ", ".join(self._references)
        if self._type and self._type.name_may_hold_secrets:
            references = without_text_secrets(references)
        return f"{self.label} for {references}" if references else self.label

    @property
    def references(self) -> set[str]:
        """The references of the resources that it is about, as they are written."""
        return set(self._references)

    @property
    def _references(self) -> list[str]:
        return [f"{self._type.name}#{name}" for name in self._names] if self._type else []

    @property
    def semaphores(self) -> set[str]:
        """The names of the semaphores of resources that it manages; `type_semaphore` returns the names for types."""
        if not (self._type and self._manages):
            return set()
        found = {type_semaphore(name) for name in self._type.semaphores}
        for properties in _each(self._given, Properties):
            found.update(semaphore(text)[0] for text in (properties.meta["sema"] if properties.meta else ()))
        return found

    @property
    def _names(self) -> list[str]:
        found = [each.name for each in _each(self._given, Properties)]
        return list(dict.fromkeys(found or [each.name for each in _each(self._given, State)]))

    def excludes(self, other: TypeCall) -> bool:
        """Return whether another call must not be made while this one goes on.

        Calls that manage resources have the same provider, make one of the same class, or are about the same resource;
        any other call is the same once more.
        """
        if self._type is not other._type:
            return False
        if not other._manages:
            is_same = self._names == other._names if self._names else bool(self._given) and self._given == other._given
            return is_same and self.label == other.label
        own, others = self._provider, other._provider
        makes_same = self._makes_provider and other._makes_provider and type(own) is type(others)
        is_same = own is not None and own is others
        return makes_same or is_same or not set(self._names).isdisjoint(other._names)

    def same_that_goes_on(self) -> TypeCall | None:
        """Return the call of the same label that was given up and goes on, None when none does."""
        return next((each for each in calls_that_go_on() if each.label == self.label), None)

    @property
    def _provider(self) -> object:
        return self._given[0] if self._given and isinstance(self._given[0], Provider) else None


def _each(given: Iterable[object], kind: type[Named]) -> Iterator[Named]:
    """Yield the objects of a kind in what was given, also in its lists."""
    for one in given:
        if isinstance(one, kind):
            yield one
        elif isinstance(one, (list, tuple)):
            yield from _each(one, kind)


def calls_that_go_on() -> list[TypeCall]:
    """Return the calls of types that were given up, and go on."""
    return [call for call in given_up.calls_that_go_on() if isinstance(call, TypeCall)]

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of commands that `creates` keeps from running again once such a value is lost (docs/state.md)."""

from __future__ import annotations

from ..engine.late_calls import senders_in
from ..model.errors import CCMError
from ..model.facets import PATH, Identity
from ..model.resource import resource_of
from ..resources.types import relations
from .references import names_of, senders_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from .declared import Declared
    from .review import Review

RULE = "lost-value"
_CREATES = "creates"
_OUTPUTS = ("ccm", "engine", "outputs")


class LostValues:
    """Who receives values that may be lost; manifests that apply one another share it."""

    def __init__(self) -> None:
        self._senders: dict[str, list[_Sender]] = {}
        self._elsewhere: list[tuple[str, _Receiver]] = []

    def add(self, review: Review, resources: list[Declared]) -> None:
        """Add the resources and outputs of a manifest; the senders of their values may be in another manifest."""
        names = names_of(resources)
        senders: dict[str, list[_Sender]] = {}
        for declared in resources:
            if _may_lose(declared):
                sender = _Sender(review, declared)
                for reference in names_of([declared]):
                    senders.setdefault(reference, []).append(sender)
        for reference, receiver in _received(review, resources):
            if reference not in names:
                self._elsewhere.append((reference, receiver))
            for sender in senders.get(reference, ()):
                sender.add(receiver)
        for reference, found in senders.items():
            self._senders.setdefault(reference, []).extend(found)

    def note(self) -> None:
        """Note each sender of a value that something receives, once all manifests have been added."""
        for reference, receiver in self._elsewhere:
            for sender in self._senders.get(reference, ()):
                sender.add(receiver)
        for sender in dict.fromkeys(each for senders in self._senders.values() for each in senders):
            sender.note()


class _Receiver:
    """A resource, or an output of a manifest, that receives a value."""

    def __init__(self, name: str, declared: Declared | None = None) -> None:
        self.name = name
        self._declared = declared

    def makes(self, path: str) -> bool:
        """Return whether a path is there only once the value was received."""
        declared = self._declared
        if declared is None or declared.name != path:
            return False
        try:
            known = relations(declared.type)
            made = known.provides(resource_of(declared.type, declared.values).properties) if known else ()
        except CCMError:
            return False
        return Identity(PATH, path) in made


class _Sender:
    """A resource that sends values when it runs, which `creates` can prevent."""

    def __init__(self, review: Review, declared: Declared) -> None:
        self._review = review
        self._declared = declared
        self._receivers: list[str] = []

    def add(self, receiver: _Receiver) -> None:
        """Add a receiver, unless the resource runs again until that has the value."""
        if not receiver.makes(self._declared.text(_CREATES)):
            self._receivers.append(receiver.name)

    def note(self) -> None:
        """Note, at `creates`, that receivers may lose the value."""
        declared, receivers = self._declared, list(dict.fromkeys(self._receivers))
        if not receivers:
            return
        to = receivers[0] if len(receivers) == 1 else f"{receivers[0]} and {len(receivers) - 1} more"
        self._review.warn(
            RULE,
            f"the value that {declared.reference} sends to {to} is lost when its run is killed, fails or has no state: "
            "creates keeps it from running again",
            declared.origin.value_position((_CREATES,)) if _CREATES in declared.own else declared.origin.position(()),
            resource=declared.reference,
            property=_CREATES,
            advice="let creates name the file that receives the value, or have the command write it to a file and read "
            "that with readFile(); when the value is lost, remove what creates names",
        )


def _received(review: Review, resources: list[Declared]) -> Iterator[tuple[str, _Receiver]]:
    """Yield the references of a manifest to senders, each with what receives the value."""
    for declared in resources:
        for reference in senders_of(declared):
            yield reference, _Receiver(declared.reference, declared)
    outputs = review.at(_OUTPUTS)
    for name, value in outputs.items() if isinstance(outputs, dict) else ():
        for reference in senders_in(value):
            yield reference, _Receiver(f"the output {name}")


def _may_lose(declared: Declared) -> bool:
    """Return whether a resource need not run once `creates` is there, and its state does not show what it sends."""
    # With refreshonly, creates does not decide whether it runs.
    if not declared.text(_CREATES) or declared.values.get("refreshonly") is True:
        return False
    known = relations(declared.type)
    return known is not None and not known.shows_changes

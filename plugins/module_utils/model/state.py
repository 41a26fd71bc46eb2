# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The state of a resource as its provider found it."""

from __future__ import annotations

import time

from .clock import timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Mapping

    from .values import Data, Details


class State:
    """What a provider found: `ensure`, and `details` in the order in which events show them.

    `details` holds a type's own keys (`metadata`, `exitcode` ...). What a decision needs and no event shows are
    attributes of the type's subclass. `observed_at` is when the provider looked, in ns since 1970. The transaction sets
    the flags; the state between runs sets `cause`, why it changed. `outputs` are the outputs of an applied manifest. A
    verb that changes no more than one path, apart from making its parents, sets `written_path`.
    `results` names the attributes that the result of a task has as well, each where it is not empty.
    """

    type: ClassVar[str]
    results: ClassVar[tuple[str, ...]] = ()
    changed = False
    refreshed = False
    stable = False
    noop = False
    noop_message = ""
    cause = ""
    outputs: Data | None = None
    sends_secrets = False
    written_path: str

    def __init__(self, name: str, ensure: str, details: Details | None = None) -> None:
        self.name = name
        self.ensure = ensure
        self.details = {} if details is None else details
        self.observed_at = time.time_ns()
        self.written_path = ""

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The `metadata` of the details, empty when a type has none; each type describes its fields."""
        found: Mapping[str, Any] = self.details.get("metadata", {})
        return found

    def common(self) -> Data:
        """Return the part that every type's state has, in the order of the recordings."""
        shown: Data = {
            "timestamp": timestamp(self.observed_at),
            "protocol": f"io.choria.ccm.v1.resource.{self.type}.state",
            "type": self.type,
            "name": self.name,
            "ensure": self.ensure,
            "changed": self.changed,
            "refreshed": self.refreshed,
            "stable": self.stable,
            "noop": self.noop,
        }
        if self.noop_message:
            shown["noop_message"] = self.noop_message
        return shown

    def as_dict(self) -> Data:
        """Return the state as it is in an event's JSON."""
        return {**self.common(), **self.details}

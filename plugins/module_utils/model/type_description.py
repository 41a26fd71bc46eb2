# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a type says of itself to schemas, documentation and lint; no run needs it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Mapping

    from .property import Property


class TypeDescription:
    """The fields of a type's states, and what the original CCM does otherwise with its properties.

    `state_fields` are those that a state shows beside what every state has, in the order of events.
    `required_by_original` names the properties that have to be given there. `portability` has a function for properties
    that the original does not have, or of which it refuses some values: from a value as written to what the original
    does with it, "" for a value that it takes.
    """

    def __init__(
        self,
        state_fields: tuple[Property, ...],
        *,
        required_by_original: tuple[str, ...] = (),
        portability: Mapping[str, Callable[[object], str]] | None = None,
    ) -> None:
        self.state_fields = state_fields
        self.required_by_original = required_by_original
        self.portability = portability or {}

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A fault, or a possible one, at one place of a manifest."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.errors import Position
    from ..model.values import Data

ERROR = "error"
WARNING = "warning"


class Finding:
    """One thing that a user should check.

    `level` is ERROR for what cannot run, else WARNING. `rule` is a short name for its kind, `message` the whole
    sentence; `position` is its place, with line 0 where that is a whole file; `resource` is a reference, `property` a
    name, `advice` what to do; `excerpt` is the line with a caret, "" where it would show a secret. All after the
    message may be absent.
    """

    __slots__ = ("advice", "excerpt", "level", "message", "position", "property", "resource", "rule")

    def __init__(
        self,
        level: str,
        rule: str,
        message: str,
        position: Position | None = None,
        *,
        resource: str = "",
        property: str = "",
        advice: str = "",
        excerpt: str = "",
    ) -> None:
        self.level = level
        self.rule = rule
        self.message = message
        self.position = position
        self.resource = resource
        self.property = property
        self.advice = advice
        self.excerpt = excerpt

    @property
    def about(self) -> str:
        """The property and the resource, as far as the message does not name them."""
        if self.property and self.resource and self.property.rpartition(".")[2] not in self.message:
            return f"{self.property} of {self.resource}"
        return "" if self.resource in self.message else self.resource

    def as_dict(self) -> Data:
        """Return the finding for machines; `line` and `column` count from 1, 0 where there is no place."""
        position = self.position
        return {
            "level": self.level,
            "rule": self.rule,
            "message": self.message,
            "file": position.file if position else "",
            "line": position.line if position else 0,
            "column": position.column if position else 0,
            "resource": self.resource,
            "property": self.property,
            "advice": self.advice,
            "excerpt": self.excerpt,
        }

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The errors of every layer above `host` and `lang`; only front ends turn them into text and exit codes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Sequence

    from .state import State
    from .values import Path, Value


class Position:
    """A place in a document: `file` as the user named it, `line` and `column` counted from 1."""

    __slots__ = ("column", "file", "line")

    def __init__(self, file: str, line: int, column: int) -> None:
        self.file = file
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def __repr__(self) -> str:
        return f"Position({self.file!r}, {self.line}, {self.column})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


class CCMError(Exception):
    """An error that is reported to the user.

    `message` is the whole sentence, in the recorded words where there are any; `resource` is a reference like
    `file#/etc/motd`, `property` the name of the property at fault, `path` its keys and indices if it is nested, `value`
    what was given for it, `position` the place in the manifest or data file, `excerpt` that line with a caret below the
    column, `advice` what to do. All but `message` may be absent. `traceback` returns the lines of a fault in a type
    of another package, for `--debug`. `files` are the other files of the manifest at fault.
    """

    path: Path = ()
    files: Sequence[str] = ()
    traceback: Callable[[], Sequence[str]] | None = None

    def __init__(
        self,
        message: str,
        *,
        resource: str = "",
        property: str = "",
        value: Value = None,
        position: Position | None = None,
        advice: str = "",
        excerpt: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.resource = resource
        self.property = property
        self.value = value
        self.position = position
        self.advice = advice
        self.excerpt = excerpt

    def __str__(self) -> str:
        return self.message

    def prefixed(self, prefix: str) -> CCMError:
        """Return the same error, all fields kept, with `prefix` before its message."""
        copy = type(self)(prefix + self.message)
        copy.__dict__.update({**self.__dict__, "message": prefix + self.message})
        return copy


class DataError(CCMError):
    """Hierarchy data, facts or an environment file cannot be read, merged or accepted.

    `parts` are the sentences of a message that has several, each in a line.
    """

    parts: Sequence[str] = ()


class TemplateError(CCMError):
    """An expression or a template does not compile or fails while it is evaluated."""


class ManifestError(CCMError):
    """A manifest cannot be read or is not a manifest; nothing has been changed."""


class InvalidResource(CCMError):
    """A resource's properties are wrong, known before anything is changed."""


class WrongKind(InvalidResource):
    """A property's value is of another kind than the property."""


class ResourceFailed(CCMError):
    """A resource could not be brought to its state; the run may go on."""


class NotThereYet(ResourceFailed):
    """The thing that a resource manages does not exist, and only another resource or a user can make it possible.

    `expected` is the state after.
    """

    expected: State | None = None


class SessionError(CCMError):
    """A session's store cannot be read or written."""


#: The variable that names the directory of all state between runs. Front ends import it also where they use no state.
STATE_VARIABLE = "CCM_STATE"


class StoreError(CCMError):
    """The state that runs keep cannot be read or written."""

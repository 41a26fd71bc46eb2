# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The description of a type for schemas, documentation and lint; no run needs it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Mapping, Tuple

    from .property import Property
    from .values import Value

    Templates = Tuple[str, Callable[[str, str], str]]


class TypeDescription:
    """The fields of a type's states, and what the original CCM does otherwise with its properties.

    `state_fields` are the fields that a state shows in addition to the common fields, in the order of events.
    `required_by_original` names the properties that have to be given there. `portability` has a function for properties
    that the original does not have, or of which it refuses some values: from a value as written to what the original
    does with it, "" for a value that it takes.

    The rest is for lint. `addresses` names properties that may be a URL, with the schemes that each may have and the
    advice for others. `local_files` are properties that name a file next to the manifest. `commands` are properties
    with commands; where the first is not given, the name is the command. `paths` name a file or a directory, for which
    a user may expect that a pattern or `~` is expanded. `templates` gives the directory of templates that properties
    name, and a function from the text of a template and its name to its fault, "" for none; None where that cannot be
    known. `version_words` are the words that `ensure` has where any other text is a version.
    """

    def __init__(
        self,
        state_fields: tuple[Property, ...],
        *,
        required_by_original: tuple[str, ...] = (),
        portability: Mapping[str, Callable[[object], str]] | None = None,
        addresses: Mapping[str, tuple[tuple[str, ...], str]] | None = None,
        local_files: tuple[str, ...] = (),
        commands: tuple[str, ...] = (),
        paths: tuple[str, ...] = (),
        templates: Callable[[Mapping[str, Value]], Templates | None] | None = None,
        version_words: tuple[str, ...] = (),
    ) -> None:
        self.state_fields = state_fields
        self.required_by_original = required_by_original
        self.portability = portability or {}
        self.addresses = addresses or {}
        self.local_files = local_files
        self.commands = commands
        self.paths = paths
        self.templates = templates
        self.version_words = version_words

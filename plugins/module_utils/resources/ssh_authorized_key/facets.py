# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the rest of ccm asks of keys beside managing them: documentation, flags, relations and reversal."""

from __future__ import annotations

from ...host.accounts import user
from ...model.facets import PATH, Identity, Relations, Reversal, TypeDescription
from ...model.property import Property
from ..generic_flags import GenericFlags
from .posix import path_of_keys
from .type import ABSENT, PRESENT, TYPE, SshAuthorizedKeyProperties, SshAuthorizedKeyState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.facets import Parts
    from ...model.state import State
    from ...model.type_flags import TypeFlags
    from ...model.values import Data


def description() -> TypeDescription:
    """Return what schemas, documentation and lint show of keys."""
    return TypeDescription(
        (
            Property(
                "metadata",
                "object",
                required=True,
                fields=(
                    Property("name", required=True, help="The name of the resource."),
                    Property("provider", required=True, help="The provider that read the state."),
                    Property("user", required=True, help="The user."),
                    Property("target", required=True, help="The file; empty when there is no home for it."),
                    Property("type", help="The type of the key that is there."),
                    Property("key", help="The key that is there, in base64."),
                    Property("options", help="Its options, as they are written, with secrets replaced."),
                ),
            ),
        ),
        paths=("target",),
    )


def flags() -> TypeFlags:
    """Return the command line of keys (behaviour.md 19.2)."""
    return GenericFlags(TYPE)


class SshAuthorizedKeyRelations(Relations["SshAuthorizedKeyProperties"]):
    """What keys want."""

    sends = (
        Property("type", help="The type of the key."),
        Property("target", help="The path of the file with the key."),
    )

    def wants(self, properties: SshAuthorizedKeyProperties) -> list[Identity]:
        """Return the user, and the file, for the directory above it."""
        found = [Identity("user", properties.user)]
        return [*found, Identity(PATH, properties.target)] if properties.target else found

    def watches(self, properties: SshAuthorizedKeyProperties) -> list[str]:
        """Return the file; without `target` it is the file in the home that the user has now."""
        path = properties.target or path_of_keys(properties, user(properties.user))
        return [path] if path else []

    def remains(self, properties: SshAuthorizedKeyProperties) -> str | None:
        """Return that its state shows it, unless the key is removed."""
        return None if properties.ensure == ABSENT else ""

    def sent(self, properties: SshAuthorizedKeyProperties, state: State) -> Data:
        """Return the type of the key, and the path of the file."""
        return {key: state.metadata[key] for key in ("type", "target") if key in state.metadata}


RELATIONS = SshAuthorizedKeyRelations()


_LINES = "lines"


class SshAuthorizedKeyReversal(Reversal[SshAuthorizedKeyProperties, SshAuthorizedKeyState]):
    """The lines that the resource replaced or removed come back, and a line that it added goes.

    Other lines stay as they are then. Removed lines come back at the end of the file.
    """

    def parts(self, properties: SshAuthorizedKeyProperties, state: SshAuthorizedKeyState) -> Parts:
        """Return the lines of the resource."""
        return {_LINES: "\n".join(state.lines)}

    def undone(self, properties: SshAuthorizedKeyProperties, parts: Parts) -> Data:
        """Return the properties of a key with the former lines, or without any."""
        lines = str(parts[_LINES]).split("\n") if parts[_LINES] else []
        names = ("user", "type", "key", "target", "provider")
        same: Data = {name: getattr(properties, name) for name in names}
        return {**same, "ensure": PRESENT, "lines": lines} if lines else {**same, "ensure": ABSENT}


REVERSAL = SshAuthorizedKeyReversal()

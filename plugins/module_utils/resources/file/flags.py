# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line of file resources (behaviour.md 19.2)."""

from __future__ import annotations

import os

from ...model.errors import CCMError
from ...model.flags import REGISTRATION, Argument, Flag
from ...model.type_flags import PropertyFlags, TypeFlags
from ..ownership import owners_given
from .type import DIRECTORY, TYPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.flags import Values
    from ...model.values import Data

_MODE, _DIRECTORY_MODE = "0644", "0755"
_OWN = PropertyFlags(
    TYPE,
    without=("content", "group", "owner", "source"),
    settings={"mode": {"default": _MODE}},
)


class FileFlags(TypeFlags):
    """A file or a directory, and the source of its content."""

    arguments = (
        Argument("name", "File name to manage", required=True, path="file"),
        Argument("ensure", "Ensure value", default=TYPE.default_ensure, offered=TYPE.ensure_choices),
    )
    flags = (
        Flag("owner", "text", "User and group (user:group), those that ccm runs as when not given"),
        *_OWN.flags,
        Flag("content", "text", "Contents of the file, will be template parsed", placeholder="STRING"),
        Flag("content-file", "file", "File containing the contents of the file, will be template parsed"),
        Flag("source", "file", "File to copy in place verbatim"),
        REGISTRATION,
    )

    def properties(self, values: Values) -> Data:
        """Return the given properties, and the default mode of a directory.

        Raises CCMError for more than one content.
        """
        owner, group = owners_given(values.owner)
        properties = {"name": values.name, "ensure": values.ensure, "owner": owner, "group": group}
        properties.update(_OWN.properties(values), **_content(values))
        if values.ensure == DIRECTORY and values.mode == _MODE:
            properties["mode"] = _DIRECTORY_MODE
        return properties

    def status_name(self, name: str) -> str:
        """Return a path below the current directory as an absolute one."""
        return os.path.abspath(name)


def _content(values: Values) -> Data:
    has_content = "content" in values.given
    if values.content_file and has_content:
        raise CCMError("cannot specify both contents and contents-file")
    if values.source and (has_content or values.content_file):
        raise CCMError("cannot specify both source and contents or contents-file")
    if values.content_file:
        from ...data.reading import read_text

        return {"content": read_text(values.content_file, piped=True)}
    if has_content:
        return {"content": values.content}
    return {"source": values.source} if values.source else {}


FLAGS = FileFlags()

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm ensure file`: a file or a directory, its content, owner and mode."""

from __future__ import annotations

from ..model.errors import CCMError
from ..resources.file.type import DIRECTORY, PRESENT
from ..resources.file.type import TYPE as FILE_TYPE
from .command import Argument, Command, Flag
from .ensure_resource import PropertyFlags, common_flags, ensure_resource
from .run import REGISTRATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .command import Values

_MODE, _DIRECTORY_MODE = "0644", "0755"

_OWN = PropertyFlags(
    FILE_TYPE,
    without=("content", "group", "owner", "source"),
    settings={"mode": {"default": _MODE}},
)


def _ensure(values: Values) -> int:
    owner, group = owners_given(values.owner)
    properties = {"name": values.name, "ensure": values.ensure, "owner": owner, "group": group}
    properties.update(_OWN.properties(values), **_content(values))
    if values.ensure == DIRECTORY and values.mode == _MODE:
        properties["mode"] = _DIRECTORY_MODE
    return ensure_resource(FILE_TYPE, properties, values)


def owners_given(given: str) -> tuple[str, str]:
    """The user and the group of `user:group`; who runs ccm stands in for what is not given."""
    import os

    from ..host.owners import group_name, user_name

    user, _colon, group = given.partition(":")
    return user or user_name(os.geteuid()), group or group_name(os.getegid())


def _content(values: Values) -> dict[str, Any]:
    has_content = "content" in values.given
    if values.content_file and has_content:
        raise CCMError("cannot specify both contents and contents-file")
    if values.source and (has_content or values.content_file):
        raise CCMError("cannot specify both source and contents or contents-file")
    if values.content_file:
        from ..data.reading import read_text

        return {"content": read_text(values.content_file, piped=True)}
    if has_content:
        return {"content": values.content}
    return {"source": values.source} if values.source else {}


FILE = Command(
    "ensure file",
    "File management",
    arguments=(
        Argument("name", "File name to manage", required=True, path="file"),
        Argument("ensure", "Ensure value", default=PRESENT, offered=FILE_TYPE.ensure_choices),
    ),
    flags=(
        Flag("owner", "text", "User and group (user:group), those who run ccm when not given"),
        *_OWN.flags,
        Flag("content", "text", "Contents of the file, will be template parsed", placeholder="STRING"),
        Flag("content-file", "file", "File containing the contents of the file, will be template parsed"),
        Flag("source", "file", "File to copy in place verbatim"),
        REGISTRATION,
        *common_flags(FILE_TYPE),
    ),
    run=_ensure,
)

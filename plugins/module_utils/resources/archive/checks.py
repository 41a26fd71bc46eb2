# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the archive type checks (behaviour.md 5)."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from ...lang.paths import base, clean
from ...model.errors import InvalidResource
from .type import archive_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .type import ArchiveProperties


def check_archive(properties: ArchiveProperties, choices: tuple[str, ...]) -> None:
    """Check source, names, ownership and how they fit together, in the recorded order.

    Raises InvalidResource for the first fault.
    """
    _check_url(properties)
    if properties.ensure not in choices:
        raise InvalidResource(
            'invalid ensure value: must be one of "present" or "absent"',
            property="ensure",
            value=properties.ensure,
        )
    for needed in ("extract_parent", "creates"):
        if properties.cleanup and not getattr(properties, needed):
            raise InvalidResource(f"cleanup requires {needed} to be set", property=needed)
    if clean(properties.name) != properties.name or not properties.name.startswith("/"):
        raise InvalidResource("file path must be absolute", property="name", value=properties.name)
    for path in ("creates", "extract_parent"):
        value = getattr(properties, path)
        if value and clean(value) != value:
            raise InvalidResource(f"{path} path must be absolute", property=path, value=value)
    for who in ("owner", "group"):
        if not getattr(properties, who):
            raise InvalidResource(f"{who} cannot be empty", property=who)


def _check_url(properties: ArchiveProperties) -> None:
    if not properties.url:
        raise InvalidResource("url cannot be empty", property="url")
    filename = base(_url_path(properties.url))
    if filename in (".", "/"):
        raise InvalidResource("url must have a filename in the path", property="url")
    url_kind, name_kind = archive_kind(filename), archive_kind(properties.name)
    for what, kind in (("url filename", url_kind), ("name", name_kind)):
        if not kind:
            raise InvalidResource(f"{what} must end in .zip, .tar.gz, .tgz, or .tar", property=what.split()[0])
    if url_kind != name_kind:
        raise InvalidResource(
            f"url and name must have the same archive type: url is {url_kind}, name is {name_kind}", property="url"
        )


def _url_path(url: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        # What cannot be read may be a part of the password.
        reason = "the address cannot be read" if "@" in url else error
        raise InvalidResource(f"invalid url: {reason}", property="url") from None
    if url.startswith(":") or port == 0:
        raise InvalidResource("invalid url: missing protocol scheme or port", property="url")
    if not parts.scheme:
        raise InvalidResource("url must be absolute (include scheme like http:// or https://)", property="url")
    for escape in parts.path.split("%")[1:]:
        if len(escape) < 2 or set(escape[:2]) - set("0123456789abcdefABCDEF"):
            raise InvalidResource(f'invalid url: invalid URL escape "%{escape[:2]}"', property="url")
    has_place = parts.netloc or url[len(parts.scheme) + 1 :].startswith("/")
    return unquote(parts.path) if has_place else ""

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The archive type: a downloaded archive and what was unpacked from it."""

from __future__ import annotations

from ...lang.paths import base, clean
from ...model.errors import InvalidResource
from ...model.property import Property
from ...model.resource import NOTHING, Decision, Properties, ResourceType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.state import State

PRESENT = "present"
ABSENT = "absent"
# What means nothing but itself in an address.
_PLAIN = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
_SUFFIXES = ((".tar.gz", "tar.gz"), (".tgz", "tar.gz"), (".tar", "tar"), (".zip", "zip"))


def archive_kind(filename: str) -> str:
    """The kind of archive a file name promises: tar.gz, tar, zip, or nothing."""
    lowered = filename.lower()
    return next((kind for suffix, kind in _SUFFIXES if lowered.endswith(suffix)), "")


class ArchiveType(ResourceType):
    """Archives (features.md 5)."""

    name = "archive"
    ensure_choices = (PRESENT, ABSENT)
    provider_names = ("http",)
    settled_after_change = True
    own_properties = (
        Property("url", always_shown=True, url=True, help="Where to download it from, http or https."),
        Property("headers", "string_map", secret=True, help="Headers to send with the request."),
        Property("username", help="The user for basic authentication."),
        Property("password", secret=True, help="The password for basic authentication."),
        Property("checksum", help="The SHA-256 of the archive in hexadecimal."),
        Property("extract_parent", help="The directory to unpack it in; made when missing."),
        Property("cleanup", "boolean", help="Whether to remove the archive once it is unpacked."),
        Property("creates", help="A path that unpacking creates; the archive is unpacked when it is not there."),
        Property("owner", help="The user that owns the archive, by name or number."),
        Property("group", help="The group that owns the archive, by name or number."),
    )

    def validate_own(self, properties: Properties) -> None:
        """Check source, names, ownership and how they fit together, in the recorded order."""
        self._check_url(properties)
        if properties.ensure not in self.ensure_choices:
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

    def provider(self, name: str) -> type:
        """The provider class of a name."""
        from .http import HttpArchiveProvider

        return HttpArchiveProvider

    def decide(self, state: State, properties: Properties, refresh: bool) -> Decision:
        """The decision table of features.md 5."""
        if not mismatch(state, properties):
            return NOTHING
        from .decision import remedy

        return remedy(state, properties)

    def shortfall(self, state: State, properties: Properties) -> str:
        """Why the archive, or what it creates, is not what was asked for."""
        reason = mismatch(state, properties)
        return f"{properties.ensure}: {reason}" if reason else ""

    def _check_url(self, properties: Properties) -> None:
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


ARCHIVE = ArchiveType()


def mismatch(state: State, properties: Properties) -> str:
    """The first difference between what is there and what is wanted, in the recorded words; empty when none."""
    exists = state.ensure == PRESENT
    if properties.ensure == ABSENT:
        return f"archive still exists (ensure={state.ensure})" if exists else ""
    there, known = state.metadata, state.known
    if properties.creates and not there.get("creates_exists"):
        return f"creates path missing: {properties.creates}"
    if not exists:
        return "" if properties.cleanup else "archive file missing"
    for who, wanted_id, actual_id in (("owner", "wanted_uid", "uid"), ("group", "wanted_gid", "gid")):
        wanted = getattr(properties, who)
        if there[who] != wanted and known[wanted_id] != known[actual_id]:
            return f"{who} mismatch: state={there[who]} requested={wanted}"
    found = there.get("checksum", "")
    if properties.checksum and properties.checksum.lower() != found:
        return f"checksum mismatch: state={found} requested={properties.checksum}"
    return ""


def _url_path(url: str) -> str:
    scheme, _colon, rest = url.partition("://")
    host, _slash, path = rest.partition("/")
    if scheme in ("http", "https") and host and _PLAIN.issuperset(host) and _PLAIN.issuperset(path.replace("/", "")):
        return "/" + path
    from urllib.parse import unquote, urlsplit

    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise InvalidResource(f"invalid url: {error}", property="url") from None
    if url.startswith(":") or port == 0:
        raise InvalidResource("invalid url: missing protocol scheme or port", property="url")
    if not parts.scheme:
        raise InvalidResource("url must be absolute (include scheme like http:// or https://)", property="url")
    for escape in parts.path.split("%")[1:]:
        if len(escape) < 2 or set(escape[:2]) - set("0123456789abcdefABCDEF"):
            raise InvalidResource(f'invalid url: invalid URL escape "%{escape[:2]}"', property="url")
    has_place = parts.netloc or url[len(parts.scheme) + 1 :].startswith("/")
    return unquote(parts.path) if has_place else ""

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The archive type: a downloaded archive and what was unpacked from it."""

from __future__ import annotations

from ...lang.paths import clean
from ...model.decision import NOTHING, Decision
from ...model.property import ABSOLUTE, Property
from ...model.resource import Properties, ResourceType
from ...model.state import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.provider import Provider

PRESENT = "present"
ABSENT = "absent"
# What means nothing but itself in an address.
_PLAIN = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
_SUFFIXES = ((".tar.gz", "tar.gz"), (".tgz", "tar.gz"), (".tar", "tar"), (".zip", "zip"))


def archive_kind(filename: str) -> str:
    """The kind of archive a file name promises: tar.gz, tar, zip, or nothing."""
    lowered = filename.lower()
    return next((kind for suffix, kind in _SUFFIXES if lowered.endswith(suffix)), "")


class ArchiveProperties(Properties):
    """The properties of an archive."""

    url: str
    headers: dict[str, str]
    username: str
    password: str
    checksum: str
    extract_parent: str
    cleanup: bool
    creates: str
    owner: str
    group: str


class ArchiveState(State):
    """What is there: its `kind` (a file, what is in its place, or "not unpacked"), who owns it and who has to."""

    type = "archive"
    kind: str = "file"
    uid: int | None = None
    gid: int | None = None
    wanted_uid: int | None = None
    wanted_gid: int | None = None


class ArchiveType(ResourceType[ArchiveProperties, ArchiveState]):
    """Archives (behaviour.md 5)."""

    name = "archive"
    ensure_choices = (PRESENT, ABSENT)
    provider_names = ("http",)
    verbs = ("clean_up", "download", "extract", "fetch", "remove", "set_owner", "store")
    settled_after_change = True
    properties_class = ArchiveProperties
    own_properties = (
        Property("url", always_shown=True, may_hold_secrets=True, help="Where to download it from, http or https."),
        Property("headers", "string_map", secret=True, help="Headers to send with the request."),
        Property("username", help="The user for basic authentication."),
        Property("password", secret=True, help="The password for basic authentication."),
        Property("checksum", help="The SHA-256 of the archive in hexadecimal."),
        Property("extract_parent", pattern=ABSOLUTE, help="The directory to unpack it in; made when missing."),
        Property("cleanup", "boolean", help="Whether to remove the archive once it is unpacked."),
        Property(
            "creates",
            pattern=ABSOLUTE,
            help="A path that unpacking creates; it is unpacked when that is missing.",
        ),
        Property("owner", help="The user that owns the archive, by name or number."),
        Property("group", help="The group that owns the archive, by name or number."),
    )

    def validate_own(self, properties: ArchiveProperties) -> None:
        """Check source, names, ownership and how they fit together, in the recorded order."""
        if not _is_plain(properties):
            from .checks import check_archive

            check_archive(properties, self.ensure_choices)

    def provider(self, name: str) -> type[Provider[ArchiveProperties, ArchiveState]]:
        """The provider class of a name."""
        from .http import HttpArchiveProvider

        found: type[Provider[ArchiveProperties, ArchiveState]] = HttpArchiveProvider
        return found

    def decide(self, state: ArchiveState, properties: ArchiveProperties, refresh: bool) -> Decision:
        """The decision table of behaviour.md 5."""
        if not mismatch(state, properties):
            return NOTHING
        from .decision import remedy

        return remedy(state, properties)

    def shortfall(self, state: ArchiveState, properties: ArchiveProperties) -> str:
        """Why the archive, or what it creates, is not what was asked for."""
        reason = mismatch(state, properties)
        return f"{properties.ensure}: {reason}" if reason else ""


TYPE = ArchiveType()


def _is_plain(properties: ArchiveProperties) -> bool:
    """Whether properties of the most usual kind have no fault; others have to be looked at."""
    name, url = properties.name, properties.url
    scheme, _colon, rest = url.partition("://")
    host, _slash, path = rest.partition("/")
    kind = archive_kind(path.rpartition("/")[2])
    return bool(
        scheme in ("http", "https")
        and host
        and _PLAIN.issuperset(host + path.replace("/", ""))
        and kind
        and kind == archive_kind(name)
        and name.startswith("/")
        and all(clean(path) == path for path in (name, properties.creates, properties.extract_parent) if path)
        and not properties.cleanup
        and properties.ensure in (PRESENT, ABSENT)
        and properties.owner
        and properties.group
    )


def mismatch(state: ArchiveState, properties: ArchiveProperties) -> str:
    """The first difference between what is there and what is wanted, in the recorded words; empty when none."""
    exists = state.ensure == PRESENT
    if properties.ensure == ABSENT:
        return f"archive still exists (ensure={state.ensure})" if exists else ""
    there = state.metadata
    if properties.creates and not there.get("creates_exists"):
        return f"creates path missing: {properties.creates}"
    if not exists:
        return "" if properties.cleanup else "archive file missing"
    if state.kind != "file":
        return f"archive is unusable: {state.kind}"
    if there["owner"] != properties.owner and state.uid != state.wanted_uid:
        return f"owner mismatch: state={there['owner']} requested={properties.owner}"
    if there["group"] != properties.group and state.gid != state.wanted_gid:
        return f"group mismatch: state={there['group']} requested={properties.group}"
    found = there.get("checksum", "")
    if properties.checksum and properties.checksum.lower() != found:
        return f"checksum mismatch: state={found} requested={properties.checksum}"
    return ""

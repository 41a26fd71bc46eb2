# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The archive type: a downloaded archive and the files unpacked from it."""

from __future__ import annotations

from ...lang.paths import clean
from ...model.decision import NOTHING, Decision, Step
from ...model.errors import InvalidResource, ResourceFailed
from ...model.property import ABSOLUTE, Property
from ...model.resource import ResourceType
from ...model.state import State
from ..archive_addresses import kind_of_path, required_kind, split_address
from ..download_properties import DownloadProperties, download_properties

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    # Ansible sends what import statements name to nodes; `provider` imports these by their names.
    from . import http  # noqa: F401

    class ArchiveMetadata(TypedDict, total=False):
        """The fields of an archive's state in events."""

        name: str
        checksum: str
        archive_exists: bool
        creates_exists: bool
        owner: str
        group: str
        mtime: str
        size: int
        provider: str


PRESENT = "present"
ABSENT = "absent"
#: The mode of an archive that could not be unpacked.
SHUT = 0

_DOWNLOAD = Step("download", "Would have downloaded", "Downloaded")
_FETCH = Step("fetch", "Would have downloaded", "Downloaded")
_EXTRACT = Step("extract", "Would have extracted", "Extracted")
_CLEAN_UP = Step("clean_up", "Would have cleaned up", "Cleaned up")
_STORE = Step("store")
_SET_OWNER = Step("set_owner", "Would have updated attributes", "Updated attributes")
# Why an archive that was unpacked is removed (decisions.md Q86).
_LEFT = "archive file still present despite cleanup=true"


class ArchiveProperties(DownloadProperties):
    """The properties of an archive."""

    url: str
    extract_parent: str
    cleanup: bool
    creates: str
    owner: str
    group: str


class ArchiveState(State):
    """The file at the path: its `kind` (a file, another kind, or "not unpacked"), its owners and the wanted ones.

    `leads_nowhere` is whether the path is a link to nothing, which is absent. `irregular` is "a device", "a directory",
    "a named pipe" or "a socket" when the path itself is one, else "".
    """

    type = "archive"
    metadata: ArchiveMetadata
    kind: str = "file"
    leads_nowhere: bool = False
    irregular: str = ""
    uid: int | None = None
    gid: int | None = None
    wanted_uid: int | None = None
    wanted_gid: int | None = None


class ArchiveType(ResourceType[ArchiveProperties, ArchiveState]):
    """Archives (behaviour.md 5)."""

    name = "archive"
    name_aliases = ("path",)
    default_ensure = PRESENT
    takes_empty_ensure = False
    ensure_choices = (PRESENT, ABSENT)
    provider_names = ("http",)
    verbs = ("clean_up", "download", "extract", "fetch", "remove", "set_owner", "store")
    stable_after_change = True
    properties_class = ArchiveProperties
    own_properties = (
        Property("url", always_shown=True, may_hold_secrets=True, help="Where to download it from, http or https."),
        *download_properties(),
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

    def validate(self, properties: ArchiveProperties) -> None:
        """Check source, names, ownership and their combination, in the order of the original."""
        super().validate(properties)
        _check_url(properties)
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
        for property in ("owner", "group"):
            if not getattr(properties, property):
                raise InvalidResource(f"{property} cannot be empty", property=property)

    def decide(self, state: ArchiveState, properties: ArchiveProperties, refresh: bool) -> Decision:
        """Return the decision, by the table in behaviour.md 5.

        A downloaded archive is put in its place after it was unpacked: a run that is killed in between repeats
        everything. Raises ResourceFailed for a directory, a device, a named pipe or a socket in its place, of which
        only a directory is not removed either (decisions.md Q87).
        """
        reason = mismatch(state, properties)
        if not reason:
            return NOTHING
        if properties.ensure == ABSENT:
            if state.irregular and state.kind == "directory":
                raise ResourceFailed(
                    f"{properties.name} exists as a directory; cannot remove it as an archive", property="name"
                )
            return Decision(Step("remove", "Would have removed", "Removed"))
        if state.irregular:
            raise ResourceFailed(
                f"{properties.name} exists as {state.irregular}; cannot replace it by an archive", property="name"
            )
        if reason == _LEFT:
            return Decision(_CLEAN_UP)
        there = state.metadata
        is_right = state.ensure == PRESENT and bool(properties.checksum) and state.kind != "not unpacked"
        is_right = is_right and properties.checksum.lower() == there.get("checksum", "")
        extracts = bool(properties.extract_parent)
        if is_right:
            extracts = extracts and bool(properties.creates) and not there.get("creates_exists")
        is_fetched = not is_right and (extracts or properties.cleanup)
        steps = []
        if not is_right:
            steps.append(_FETCH if is_fetched else _DOWNLOAD)
        if extracts:
            steps.append(_EXTRACT)
        if properties.cleanup:
            steps.append(_CLEAN_UP)
        elif is_fetched:
            steps.append(_STORE)
        elif is_right and not _is_owned(state, properties):
            steps.append(_SET_OWNER)
        return Decision(*steps, separator=". ")

    def shortfall(self, state: ArchiveState, properties: ArchiveProperties) -> str:
        """Return why the archive, or the path that it creates, is not in the wanted state."""
        reason = mismatch(state, properties)
        return f"{properties.ensure}: {reason}" if reason else ""


def mismatch(state: ArchiveState, properties: ArchiveProperties) -> str:
    """Return the first difference between the state and the wanted state, in the words of the original."""
    exists = state.ensure == PRESENT
    if properties.ensure == ABSENT:
        if state.leads_nowhere:
            return "archive still exists (a symlink to nothing)"
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
    return _LEFT if properties.cleanup else ""


def _check_url(properties: ArchiveProperties) -> None:
    if not properties.url:
        raise InvalidResource("url cannot be empty", property="url")
    scheme, path = split_address(properties.url, "url")
    if not scheme:
        raise InvalidResource("url must be absolute (include scheme like http:// or https://)", property="url")
    url_kind = kind_of_path(path, "url")
    name_kind = required_kind(properties.name, "name", "name")
    if url_kind != name_kind:
        raise InvalidResource(
            f"url and name must have the same archive type: url is {url_kind}, name is {name_kind}", property="url"
        )


def _is_owned(state: ArchiveState, properties: ArchiveProperties) -> bool:
    there = state.metadata
    is_users = there["owner"] == properties.owner or state.wanted_uid == state.uid
    return is_users and (there["group"] == properties.group or state.wanted_gid == state.gid)


TYPE = ArchiveType()

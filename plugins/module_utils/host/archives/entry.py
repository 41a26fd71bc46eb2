# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries of archives, and their errors (decisions.md Q62)."""

from __future__ import annotations

from ..errors import HostError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

FILE = "file"
DIRECTORY = "directory"
LINK = "symbolic link"
HARD_LINK = "hard link"

_LONGEST_NAME = 4095
_DEEPEST = 250
_LATEST = (1 << 63) - 1


class ArchiveError(HostError):
    """An archive cannot be unpacked; nothing of it stays. `code` is the exit status that tar or unzip has for it."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


class EntryRefused(HostError):
    """One entry is not unpacked; the others may be."""

    def __init__(self, name: bytes, reason: str) -> None:
        super().__init__(f"{shown(name)}: {reason}")


class SpecialEntry(EntryRefused):
    """An entry is of a kind that is never unpacked, like a device."""


class Access:
    """Mode and owner of entries, which share this object and never change it.

    `mode` is 0..0o7777, None where the archive has none; `uid` and `gid` are None where the archive has no owner,
    `user` and `group` names that win over them, if this machine knows them.
    """

    __slots__ = ("gid", "group", "mode", "uid", "user")

    def __init__(
        self,
        mode: int | None,
        uid: int | None = None,
        gid: int | None = None,
        user: bytes = b"",
        group: bytes = b"",
    ) -> None:
        self.mode = mode
        self.uid = uid
        self.gid = gid
        self.user = user
        self.group = group


class Entry:
    """One entry: `kind` is one of the constants above, `name` as it is written.

    Its path are the directories `above` it and its last component `leaf`, which is empty for the top of the archive.
    `mtime` is in ns since 1970, None to leave it. `target` is the target of a link. `extents` are the places of a
    sparse file's data as (offset, bytes).
    """

    __slots__ = ("above", "access", "extents", "kind", "leaf", "mtime", "name", "target")

    def __init__(
        self, kind: str, name: bytes, above: tuple[bytes, ...], leaf: bytes, access: Access, mtime: int | None
    ) -> None:
        self.kind = kind
        self.name = name
        self.above = above
        self.leaf = leaf
        self.access = access
        self.mtime = mtime
        self.target = b""
        self.extents: Sequence[tuple[int, int]] | None = None


class Paths:
    """The paths of names. Most names have the directory of the name before them, which is not read again."""

    def __init__(self) -> None:
        self._head: bytes | None = None
        self._above: tuple[bytes, ...] = ()

    def split(self, name: bytes) -> tuple[tuple[bytes, ...], bytes]:
        """Return the components of a name above its last one, and that, empty where there is none; as `parts_of`."""
        head, _slash, leaf = name.rpartition(b"/")
        is_last = leaf not in (b"", b".")
        if is_last and head == self._head and len(name) <= _LONGEST_NAME and b"\0" not in leaf:
            return self._above, leaf
        parts = parts_of(name)
        if is_last:
            self._head, self._above = head, parts[:-1]
        return parts[:-1], parts[-1] if parts else b""


def parts_of(name: bytes) -> tuple[bytes, ...]:
    """Return the components of a name, without the empty ones and `.`.

    `..` is kept. Raises EntryRefused for impossible names.
    """
    if len(name) > _LONGEST_NAME:
        raise EntryRefused(name[:80], "its name is too long")
    if b"\0" in name:
        raise EntryRefused(name, "its name holds a NUL")
    parts = tuple(part for part in name.split(b"/") if part not in (b"", b"."))
    if len(parts) > _DEEPEST:
        raise EntryRefused(name[:80], f"it is more than {_DEEPEST} directories deep")
    return parts


def representable_time(nanoseconds: int) -> int:
    """Return the time, limited to values that can be set."""
    return max(-_LATEST, min(nanoseconds, _LATEST))


def shown(name: bytes) -> str:
    """Return a name for messages, on one line."""
    text = name.decode("utf-8", "backslashreplace")
    return text if text.isprintable() else text.encode("unicode_escape").decode()

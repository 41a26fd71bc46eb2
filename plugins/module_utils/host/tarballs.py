# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Unpacking of gzipped tarballs that hold nothing but files and directories (features.md 15.6)."""

from __future__ import annotations

import os

from .errors import HostError
from .system_errors import SystemCallError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tarfile import TarFile, TarInfo
    from typing import Any

_LARGEST = 1 << 30
_MOST_ENTRIES = 100_000
_BLOCK = 1 << 16


class TarballError(HostError):
    """A tarball that is none, or that holds what we do not unpack."""


def unpack(stream: Any, directory: str) -> list[str]:
    """Unpack the gzipped tar that `stream` reads into `directory`; the names of its files, in their order.

    Nothing is written outside `directory`, no link is made or followed. Raises TarballError for links, devices,
    names that lead elsewhere, more than 100,000 entries or 1 GiB, and for what is no gzipped tar.
    """
    import tarfile
    import zlib

    names: list[str] = []
    left = _LARGEST
    try:
        with tarfile.open(fileobj=stream, mode="r|gz") as archive:
            for count, member in enumerate(archive):
                left -= member.size
                if count >= _MOST_ENTRIES or left < 0:
                    raise TarballError("invalid tar file detected: it unpacks to more than a manifest can need")
                name = _checked_name(member)
                if member.isdir():
                    os.makedirs(os.path.join(directory, name), 0o755, exist_ok=True)
                else:
                    _write(archive, member, os.path.join(directory, name))
                    names.append(name)
    except tarfile.ReadError as error:
        text = str(error)
        raise TarballError(
            "unzip failed: gzip: invalid header" if "gzip" in text else f"invalid tar file detected: {text}"
        ) from None
    except (tarfile.TarError, zlib.error, EOFError, ValueError) as error:  # tarfile does not tell all as its own
        raise TarballError(f"invalid tar file detected: {error}") from None
    except OSError as error:
        raise SystemCallError("unpack", directory, error) from None
    return names


def _checked_name(member: TarInfo) -> str:
    if not (member.isreg() or member.isdir()):
        raise TarballError(f"only regular files and directories are supported: {member.name}")
    parts = [part for part in member.name.split("/") if part not in ("", ".")]
    if ".." in parts or member.name.startswith("/"):
        raise TarballError(f"invalid tar file detected: {member.name}")
    return "/".join(parts)


def _write(archive: TarFile, member: TarInfo, path: str) -> None:
    os.makedirs(os.path.dirname(path), 0o755, exist_ok=True)
    source = archive.extractfile(member)
    if source is None:
        return
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, member.mode & 0o755 | 0o600)
    with open(descriptor, "wb") as target:
        while True:
            block = source.read(_BLOCK)
            if not block:
                return
            target.write(block)

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Addresses of archives, whose kind is the end of their file name (behaviour.md 5, decisions.md Q89)."""

from __future__ import annotations

from ..lang.paths import base
from ..model.errors import InvalidResource

# Characters that mean only themselves in an address.
_PLAIN = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
#: The ends of names of archives, each with its kind, in the order of messages; the first ones are the original's.
SUFFIXES = {
    ".zip": "zip",
    ".tar.gz": "tar.gz",
    ".tgz": "tar.gz",
    ".tar": "tar",
    ".tar.xz": "tar.xz",
    ".txz": "tar.xz",
    ".tar.bz2": "tar.bz2",
    ".tbz2": "tar.bz2",
    ".tar.zst": "tar.zst",
}
#: The kinds that the original takes.
OF_ORIGINAL = ("zip", "tar.gz", "tar")


def archive_kind(filename: str) -> str:
    """Return the kind of archive by the end of its file name, one of SUFFIXES, or nothing."""
    lowered = filename.lower()
    return next((kind for suffix, kind in SUFFIXES.items() if lowered.endswith(suffix)), "")


def kind_of_address(url: str, property: str) -> str:
    """Return the kind of archive that the address in a `property` has. Raises InvalidResource."""
    return kind_of_path(split_address(url, property)[1], property)


def kind_of_path(path: str, property: str) -> str:
    """Return the kind of archive that the path of an address has. Raises InvalidResource."""
    filename = base(path)
    if filename in (".", "/"):
        raise InvalidResource(f"{property} must have a filename in the path", property=property)
    return required_kind(filename, f"{property} filename", property)


def required_kind(filename: str, what: str, property: str) -> str:
    """Return the kind of archive of a file name; `what` names it in the error. Raises InvalidResource."""
    kind = archive_kind(filename)
    if not kind:
        raise InvalidResource(
            f"{what} must end in .zip, .tar.gz, .tgz, or .tar",
            property=property,
            advice=f"an archive is of the kind that the end of its name says: {', '.join(SUFFIXES)}",
        )
    return kind


def split_address(url: str, property: str) -> tuple[str, str]:
    """Return the scheme, "" for none, and the path of an address, without escapes. Raises InvalidResource."""
    scheme, _separator, rest = url.partition("://")
    host, _slash, path = rest.partition("/")
    if scheme in ("http", "https") and host and _PLAIN.issuperset(host + path.replace("/", "")):
        return scheme, "/" + path
    from urllib.parse import unquote, urlsplit

    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        # An unreadable part may belong to the password.
        reason = "the address cannot be read" if "@" in url else error
        raise InvalidResource(f"invalid {property}: {reason}", property=property) from None
    if url.startswith(":") or port == 0:
        raise InvalidResource(f"invalid {property}: missing protocol scheme or port", property=property)
    for escape in parts.path.split("%")[1:] if parts.scheme else ():
        if len(escape) < 2 or set(escape[:2]) - set("0123456789abcdefABCDEF"):
            raise InvalidResource(f'invalid {property}: invalid URL escape "%{escape[:2]}"', property=property)
    has_place = parts.netloc or url[len(parts.scheme) + 1 :].startswith("/")
    return parts.scheme, unquote(parts.path) if has_place else ""

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Extended attributes of files: access control lists, labels, attributes of users, capabilities (decisions.md Q95)."""

from __future__ import annotations

import errno
import os
import struct

from .errors import SystemCallError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Tuple, Union

    #: An open file, or its path in /proc, as attributes are not read by descriptors of O_PATH.
    File = Union[int, str]
    #: The names of the attributes of an old file and of a new one.
    Names = Tuple[List[str], List[str]]

_ACL = "system.posix_acl_access"
# The access control list of NFSv4, which each file there has.
_NFS_ACL = "system.nfs4_acl"
_CAPABILITY = "security.capability"
_LABEL = "security.selinux"
_USER = "user."
# What a file system without such attributes answers.
_UNSUPPORTED = (errno.ENOTSUP, errno.ENOSYS)
# What a kernel or a server answers that does not let the process set a label or a list, or does not know its content.
_REFUSED = (errno.EPERM, errno.EACCES, errno.EINVAL)
_MAY_BE_REFUSED = (_LABEL, _NFS_ACL)
# The form of an access control list: its version, then the tag, the permissions and the id of each entry.
_ACL_ENTRIES, _ACL_ENTRY = 4, struct.Struct("<HHI")
#: The permissions of a list, by tag, for which its file has mode 0600: of the owner, the mask, all others.
_CLOSED = {0x01: 6, 0x10: 0, 0x20: 0}


def names_of_both(old: File, new: int) -> Names | None:
    """Return the names of the attributes of two files; None when one cannot be read, which copying reports."""
    try:
        return _listed(old), _listed(new)
    except OSError:
        return None


def copy_attributes(old: File, new: int, path: str, found: Names | None = None) -> tuple[list[str], bool]:
    """Give the new file `new`, 0600, the access control list, the label and the attributes of users of the file `old`.

    The mask of the list is closed, so that the mode stays 0600 until it is set. A list that the directory gave to the
    new file is removed. Returns the sorted names of what `old` has besides, of what the file system of the new file
    does not support, and of a label, or a list of NFSv4, that the process may not set; and whether `new` has the
    list of `old`. `found` are the names if they are known. Raises SystemCallError for `path`.
    """
    dropped, has_list = [], False
    names, given = found or (_names(old, path), _names(new, path))
    for name in sorted(names):
        if name not in (_ACL, _NFS_ACL, _LABEL) and not name.startswith(_USER):
            dropped.append(name)
            continue
        value = _value(old, name, path)
        if value is None:
            continue
        if not (name in given and value == _value(new, name, path)):
            if not _set(new, name, _closed(value) if name == _ACL else value, path):
                dropped.append(name)
                continue
            if name == _NFS_ACL:
                # The server has the mask.
                _close(new, path)
        has_list = has_list or name in (_ACL, _NFS_ACL)
    if _ACL in given and _ACL not in names:
        with _Named("removexattr", _ACL, path):
            os.removexattr(new, _ACL)
    return dropped, has_list


def capabilities(file: File, path: str) -> bytes | None:
    """Return the capabilities of a file, None when it has none.

    Raises SystemCallError for `path` also when they could not be set again after a change of owner, which clears them.
    """
    value = _value(file, _CAPABILITY, path)
    if value is not None:
        set_capabilities(file, value, path)
    return value


def set_capabilities(file: File, value: bytes, path: str) -> None:
    """Set the capabilities of a file. Raises SystemCallError for `path`."""
    with _Named("setxattr", _CAPABILITY, path):
        os.setxattr(file, _CAPABILITY, value)


def _names(file: File, path: str) -> list[str]:
    try:
        return _listed(file)
    except OSError as error:
        raise SystemCallError("listxattr", path, error) from None


def _listed(file: File) -> list[str]:
    try:
        return os.listxattr(file)
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            return []
        raise


def _value(file: File, name: str, path: str) -> bytes | None:
    with _Named("getxattr", name, path):
        try:
            return os.getxattr(file, name)
        except OSError as error:
            if error.errno not in (errno.ENODATA, *_UNSUPPORTED):
                raise
    return None


def _set(file: int, name: str, value: bytes, path: str) -> bool:
    """Set an attribute; return whether the file system supports it, and does not refuse what may be refused."""
    with _Named("setxattr", name, path):
        try:
            os.setxattr(file, name, value)
        except OSError as error:
            if error.errno not in (*_UNSUPPORTED, *(_REFUSED if name in _MAY_BE_REFUSED else ())):
                raise
            return False
    return True


def _close(new: int, path: str) -> None:
    try:
        os.chmod(new, 0o600)
    except OSError as error:
        raise SystemCallError("chmod", path, error) from None


class _Named:
    """Names the call, the attribute and the file in an error of the system that is raised within `with`."""

    def __init__(self, call: str, name: str, path: str) -> None:
        self._call = call
        self._name = name
        self._path = path

    def __enter__(self) -> None:
        return

    def __exit__(self, _type: object, error: object, _traceback: object) -> None:
        if isinstance(error, OSError):
            raise SystemCallError(self._call, self._path, error, lead=f"attribute {self._name}: ") from None


def _closed(acl: bytes) -> bytes:
    """Return an access control list whose file has mode 0600, with the same entries of users and groups."""
    entries = _ACL_ENTRY.iter_unpack(acl[_ACL_ENTRIES:])
    closed = (_ACL_ENTRY.pack(tag, _CLOSED.get(tag, permissions), owner) for tag, permissions, owner in entries)
    return acl[:_ACL_ENTRIES] + b"".join(closed)

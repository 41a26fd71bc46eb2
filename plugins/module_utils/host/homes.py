# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The homes of users, before they are made or removed."""

from __future__ import annotations

import os
import stat

from .errors import SystemCallError
from .owners import user_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Mapping


_SETTINGS, _KEY, _DEFAULT = "/etc/default/useradd", "HOME=", "/home"


def default_directory() -> str:
    """Return the directory in which useradd makes homes."""
    try:
        with open(_SETTINGS, encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                if line.startswith(_KEY):
                    return line[len(_KEY) :].strip() or _DEFAULT
    except OSError:
        pass
    return _DEFAULT


def is_there(home: str) -> bool:
    """Return whether anything is at the path of a home."""
    return os.path.lexists(home)


def fault_of(home: str, uid: int | None) -> str:
    """Return why a path cannot be the home of a user with this number, None for a number that is not known yet.

    "" where nothing is at the path, or a directory that belongs to the user.
    """
    try:
        found = os.lstat(home)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        return str(SystemCallError("stat", home, error))
    if stat.S_ISLNK(found.st_mode):
        return f"{home} is a link"
    if not stat.S_ISDIR(found.st_mode):
        return f"{home} is not a directory"
    return "" if found.st_uid == uid else f"{home} belongs to {user_name(found.st_uid)}"


def homes_within(home: str, homes: Mapping[str, str], user: str) -> list[str]:
    """Return the users, other than `user`, whose home is this path or below it."""
    below = home.rstrip("/") + "/"
    return sorted(name for name, other in homes.items() if name != user and (other.rstrip("/") + "/").startswith(below))


def of_others(home: str, uid: int) -> Iterator[str]:
    """Yield the paths below a home that belong to another user than `uid`; a directory that cannot be read is one."""
    directories = [home]
    while directories:
        directory = directories.pop()
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    found = entry.stat(follow_symlinks=False)
                    if found.st_uid != uid:
                        yield entry.path
                    elif stat.S_ISDIR(found.st_mode):
                        directories.append(entry.path)
        except FileNotFoundError:
            continue
        except OSError:
            yield directory

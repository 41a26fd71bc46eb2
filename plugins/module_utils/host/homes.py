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

#: Settings of the programs of shadow: the file, the word before the value, and the value where it is not set.
_SETTINGS, _KEY, _DEFAULT = "/etc/default/useradd", "HOME=", "/home"
_LOGIN_SETTINGS, _MAIL_KEY, _MAIL_DIRECTORY = "/etc/login.defs", "MAIL_DIR", "/var/mail"


def default_directory() -> str:
    """Return the directory in which useradd makes homes."""
    found = [line[len(_KEY) :].strip() for line in _lines(_SETTINGS) if line.startswith(_KEY)]
    return (found[0] if found else "") or _DEFAULT


def mail_of(user: str) -> str:
    """Return the path of the mail that userdel removes with a home."""
    settings = (line.split() for line in _lines(_LOGIN_SETTINGS))
    found = [words[1] for words in settings if len(words) == 2 and words[0] == _MAIL_KEY]
    return f"{found[-1] if found else _MAIL_DIRECTORY}/{user}"


def _lines(path: str) -> list[str]:
    """Return the lines of a file of settings, none of a file that cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.readlines()
    except OSError:
        return []


def is_there(home: str) -> bool:
    """Return whether anything is at the path of a home."""
    return os.path.lexists(home)


def fault_of(home: str, uid: int | None) -> str:
    """Return why a path cannot be the home of a user with this number, None for a number that is not known yet.

    "" where nothing is at the path, or a directory that belongs to the user.
    """
    if os.path.normpath(home) != home or home[:1] != "/":
        return f"its path is {home or 'empty'}"
    try:
        found = os.lstat(home)
    except FileNotFoundError:
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
                    try:
                        found = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    if found.st_uid != uid:
                        yield entry.path
                    elif stat.S_ISDIR(found.st_mode):
                        directories.append(entry.path)
        except FileNotFoundError:
            continue
        except OSError:
            yield directory

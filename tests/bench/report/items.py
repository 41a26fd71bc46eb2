# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be on a host, in no program's language."""

from __future__ import annotations

import typing


class Folder(typing.NamedTuple):
    path: str


class File(typing.NamedTuple):
    path: str
    content: str


class Copy(typing.NamedTuple):
    path: str
    source: str


class Template(typing.NamedTuple):
    """A file with the values of DATA in it; no two numbers have the same text."""

    path: str
    number: int


class Command(typing.NamedTuple):
    """A command that makes a file, and runs only without it."""

    line: str
    creates: str


class Archive(typing.NamedTuple):
    """An archive that is fetched, and unpacked unless a file is there."""

    path: str
    url: str
    checksum: str
    parent: str
    creates: str


class Package(typing.NamedTuple):
    name: str


class Service(typing.NamedTuple):
    """A service that runs now and after a boot; `subscribe` is a file that restarts it."""

    name: str
    subscribe: str = ""


Item = Folder | File | Copy | Template | Command | Archive | Package | Service

#: What templates are filled with.
DATA = {"on": True, "site": "example.net", "port": 8000, "account": "www"}

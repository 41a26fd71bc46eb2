# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm ensure`: the commands that manage one resource (behaviour.md 19.2)."""

from __future__ import annotations

from .command import Command, Flag
from .run import HIERA_FILE, NATS_CONTEXT, READ_ENV, SESSION_STORE
from .sources import HIERA

_COMMANDS = (
    ("archive", "Archive management"),
    ("exec", "Execution management"),
    ("file", "File management"),
    ("package", "Package management"),
    ("scaffold", "Scaffold management"),
    ("service", "Service management"),
    ("api", "Resource management API"),
)


def _find(name: str) -> Command | None:
    if name == "archive":
        from .ensure_archive import ARCHIVE

        return ARCHIVE
    if name == "exec":
        from .ensure_exec import EXEC

        return EXEC
    if name == "file":
        from .ensure_file import FILE

        return FILE
    if name in ("package", "pkg"):
        from .ensure_package import PACKAGE

        return PACKAGE
    if name == "scaffold":
        from .ensure_scaffold import SCAFFOLD

        return SCAFFOLD
    if name in ("service", "svc"):
        from .ensure_service import SERVICE

        return SERVICE
    if name == "api":
        from .ensure_api import API

        return API
    return None


ENSURE = Command(
    "ensure",
    "Manage individual resources",
    flags=(
        Flag("noop", "set", "Do not make any changes to the system"),
        Flag("session", "text", "Session store to use", env=SESSION_STORE, path="directory"),
        Flag("hiera", "text", "Hiera data file to use as data source", default=HIERA_FILE, env=HIERA, path="file"),
        READ_ENV,
        NATS_CONTEXT,
    ),
    commands=_COMMANDS,
    find=_find,
)

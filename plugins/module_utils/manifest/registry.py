# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The list of resource types: the one place that knows them all."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.resource import ResourceType

TYPE_NAMES = ("apply", "archive", "exec", "file", "package", "scaffold", "service")


def resource_type(name: str) -> ResourceType | None:
    """The type of a name, imported now; None when there is no such type."""
    found: ResourceType
    if name == "file":
        from ..resources.file.type import FILE

        found = FILE
    elif name == "exec":
        from ..resources.exec.type import EXEC

        found = EXEC
    elif name == "package":
        from ..resources.package.type import PACKAGE

        found = PACKAGE
    elif name == "service":
        from ..resources.service.type import SERVICE

        found = SERVICE
    elif name == "archive":
        from ..resources.archive.type import ARCHIVE

        found = ARCHIVE
    elif name == "scaffold":
        from ..resources.scaffold.type import SCAFFOLD

        found = SCAFFOLD
    elif name == "apply":
        from .apply_type import APPLY

        found = APPLY
    else:
        return None
    return found

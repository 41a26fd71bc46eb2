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
    if name == "file":
        from ..resources.file.type import FILE as found
    elif name == "exec":
        from ..resources.exec.type import EXEC as found
    elif name == "package":
        from ..resources.package.type import PACKAGE as found
    elif name == "service":
        from ..resources.service.type import SERVICE as found
    elif name == "archive":
        from ..resources.archive.type import ARCHIVE as found
    elif name == "scaffold":
        from ..resources.scaffold.type import SCAFFOLD as found
    elif name == "apply":
        from .apply_type import APPLY as found
    else:
        return None
    return found

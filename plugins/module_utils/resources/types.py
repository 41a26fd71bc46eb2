# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The list of resource types: the one place that knows them all (design.md, Contract).

What a type has to say for itself is in its directory: `type.py` its declaration and the instance `TYPE`,
`state_fields.py` what its states show.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.contract import AnyType
    from ..model.property import Property

    # Ansible ships to nodes what import statements name, wherever they are.
    from .apply import type as _apply  # noqa: F401
    from .archive import type as _archive  # noqa: F401
    from .exec import type as _exec  # noqa: F401
    from .file import type as _file  # noqa: F401
    from .package import type as _package  # noqa: F401
    from .scaffold import type as _scaffold  # noqa: F401
    from .service import type as _service  # noqa: F401

TYPE_NAMES = ("apply", "archive", "exec", "file", "package", "scaffold", "service")


def resource_type(name: str) -> AnyType | None:
    """The type of a name, imported now; None when there is no such type."""
    if name not in TYPE_NAMES:
        return None
    found: AnyType = _imported(f"{name}.type").TYPE
    return found


def state_fields(name: str) -> tuple[Property, ...]:
    """The fields that the states of a type have of their own."""
    found: tuple[Property, ...] = _imported(f"{name}.state_fields").STATE_FIELDS
    return found


def _imported(module: str) -> Any:
    """A module below this package; `importlib` would take longer to import than it."""
    return __import__(f"{__package__}.{module}", fromlist=["*"])

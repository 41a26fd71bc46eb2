# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The list of resource types: the only place that knows them all (architecture.md, Contract).

A type is a directory: `type.py` has its declaration and the instance `TYPE`, the providers manage its resources, and
`facets.py` has what else is asked of it. `description` and `flags` there are functions, for few runs need them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from ..model.contract import AnyType
    from ..model.facets import AnyRelations, AnyReversal
    from ..model.type_flags import TypeFlags


class ListedType:
    """A type: its `name`, and its names on the command line.

    `help` is the line of `ccm ensure NAME`, "" when there is no such command; `aliases` are other names of that.
    `has_status` adds it to `ccm status`. The original has no type that is an `extension`.
    """

    def __init__(
        self,
        name: str,
        help: str = "",
        *,
        aliases: tuple[str, ...] = (),
        has_status: bool = False,
        extension: bool = False,
    ) -> None:
        self.name = name
        self.help = help
        self.aliases = aliases
        self.has_status = has_status
        self.extension = extension


TYPES = (
    ListedType("apply"),
    ListedType("archive", "Archive management"),
    ListedType("exec", "Execution management"),
    ListedType("file", "File management", has_status=True),
    ListedType("group", "Group management", has_status=True, extension=True),
    ListedType("package", "Package management", aliases=("pkg",), has_status=True),
    ListedType("scaffold", "Scaffold management"),
    ListedType("service", "Service management", aliases=("svc",), has_status=True),
    ListedType("ssh_authorized_key", "Management of keys with which users log in", extension=True),
    ListedType("user", "User management", has_status=True, extension=True),
)
#: The output of `ccm status` for types whose state depends on more than a name.
NO_STATUS = (
    "Status for 'exec' and 'archive' resources is not supported yet due to them relying heavily on specific properties "
    "and may require additional context for accurate status determination."
)
TYPE_NAMES = tuple(listed.name for listed in TYPES)


def resource_type(name: str) -> AnyType | None:
    """Return the type of a name, imported now: a built-in one, else one of an installed package; None without any.

    Raises InvalidResource for a type of a package that cannot be used.
    """
    if name in TYPE_NAMES:
        found: AnyType = imported(f"{name}.type").TYPE
        return found
    other: AnyType | None = imported("installed").installed_type(name)
    return other


def type_names() -> tuple[str, ...]:
    """Return the names of all types: built-in types, then types of installed packages."""
    names: tuple[str, ...] = imported("installed").installed_names()
    return (*TYPE_NAMES, *names)


def relations(of_type: AnyType) -> AnyRelations | None:
    """Return what the resources of a type provide and want, None when it does not say.

    Raises as `resource_type` does.
    """
    if of_type.name in TYPE_NAMES:
        found: AnyRelations = imported(f"{of_type.name}.facets").RELATIONS
        return found
    declared: AnyRelations | None = getattr(of_type, "relations", None)
    return declared


def reversal(of_type: AnyType) -> AnyReversal | None:
    """Return how the changes of a type's resources are undone, None when they cannot be.

    Raises as `resource_type` does.
    """
    if of_type.name not in TYPE_NAMES:
        declared: AnyReversal | None = getattr(of_type, "reversal", None)
        return declared
    if not of_type.reversible:
        return None
    found: AnyReversal = imported(f"{of_type.name}.facets").REVERSAL
    return found


def type_flags(name: str) -> TypeFlags:
    """Return the command line of the type of a name that has a command. Raises as `resource_type` does."""
    if name in TYPE_NAMES:
        found: TypeFlags = imported(f"{name}.facets").flags()
        return found
    from .generic_flags import GenericFlags

    return GenericFlags(required_type(name))


def required_type(name: str) -> AnyType:
    """Return the type of a name. Raises LookupError when there is none, and as `resource_type` does."""
    found = resource_type(name)
    if found is None:
        raise LookupError(name)
    return found


def references(current: str) -> list[str]:
    """Return the completions for a reference of which `current` was typed: `TYPE#` for each type."""
    return [] if "#" in current else [f"{name}#" for name in type_names()]


def imported(module: str) -> ModuleType:
    """Return a module below this package; `importlib` would take longer to import than it."""
    return __import__(f"{__package__}.{module}", fromlist=["*"])

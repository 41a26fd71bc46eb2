# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the rest of ccm asks of packages beside managing them: documentation, flags, relations and reversal."""

from __future__ import annotations

from ...model.facets import Relations, Reversal, TaskValue, TypeDescription
from ...model.flags import Argument, Flag
from ...model.property import Property
from ...model.type_flags import TypeFlags, ensure_argument
from .type import ABSENT, HOLD, LATEST, NONE, PRESENT, PURGED, REMOVED, TYPE, WORDS, PackageProperties, PackageState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.facets import Parts
    from ...model.flags import Values
    from ...model.state import State
    from ...model.values import Data


def _ensure(value: object) -> str:
    """Return what the original does with `purged` (decisions.md Q97)."""
    return f"the original takes {PURGED} for a version" if value == PURGED else ""


def description() -> TypeDescription:
    """Return what schemas, documentation and lint show of packages."""
    return TypeDescription(
        (
            Property(
                "metadata",
                "object",
                required=True,
                fields=(
                    Property("name", required=True, help="The name of the package, which another package may provide."),
                    Property("version", required=True, help="The installed version, or absent."),
                    Property("arch", help="The architecture of what is installed."),
                    Property("provider", required=True, help="The provider that read the state."),
                    Property("extended", "data", help="What only this package manager reports."),
                ),
            ),
        ),
        task_values=(
            TaskValue(
                "msg",
                help="What was done, what would be done in check mode, or why it failed. For several names, how many "
                "changed or which failed.",
                returned="always",
                sample="3 of 5 packages changed",
            ),
            TaskValue(
                "event",
                "data",
                help="CCM's own record of what became of the package.",
                returned="when there is one name, unless the arguments were refused",
            ),
            TaskValue(
                "events",
                "objects",
                help="The event of each package, in the order of the names.",
                returned="unless the arguments were refused",
            ),
        ),
        required_by_original=("ensure",),
        portability={"ensure": _ensure},
        version_words=WORDS,
    )


class PackageFlags(TypeFlags):
    """A package's name, version and mark, and how long to wait for other processes."""

    options = ("lock_timeout",)

    def __init__(self) -> None:
        super().__init__(TYPE, settings={"mark": {"offered": (HOLD, NONE)}})
        self.arguments = (
            Argument("name", "Package name to manage", required=True),
            ensure_argument(TYPE, (PRESENT, ABSENT, LATEST, PURGED), other="a version"),
        )
        self.flags = (
            *self.own_flags,
            Flag(
                "lock-timeout",
                "text",
                "How long to wait for a package manager that another process is using, 5m when not given",
                placeholder="DURATION",
            ),
        )

    def properties(self, values: Values) -> Data:
        """Return the given properties."""
        return {"name": values.name, "ensure": values.ensure, **self.own_properties(values)}


def flags() -> TypeFlags:
    """Return the command line of packages (behaviour.md 19.2)."""
    return PackageFlags()


# The databases that show the last change: dpkg's, rpm's, and rpm's where it is with the files of the system.
_DATABASES = (
    "/var/lib/dpkg/status",
    "/var/lib/rpm/rpmdb.sqlite",
    "/var/lib/rpm/rpmdb.sqlite-wal",
    "/usr/lib/sysimage/rpm/rpmdb.sqlite",
    "/usr/lib/sysimage/rpm/rpmdb.sqlite-wal",
)


class PackageRelations(Relations["PackageProperties"]):
    """What resources of packages provide."""

    sends = (
        Property("version", help="The installed version, or absent."),
        Property("arch", help="The architecture of what is installed."),
    )

    def installs(self, properties: PackageProperties) -> list[str]:
        """Return the package."""
        return [properties.name]

    def watches(self, properties: PackageProperties) -> list[str]:
        """Return the databases of package managers."""
        return list(_DATABASES)

    def remains(self, properties: PackageProperties) -> str | None:
        """Return that its state shows it, unless the package is removed."""
        return None if properties.ensure in REMOVED else ""

    def sent(self, properties: PackageProperties, state: State) -> Data:
        """Return the version and the architecture of the installed package."""
        return {key: state.metadata[key] for key in ("version", "arch") if key in state.metadata}


RELATIONS = PackageRelations()


_VERSION, _MARK = "version", "mark"
_MARKING = {"hold", "unhold"}


class PackageReversal(Reversal[PackageProperties, PackageState]):
    """A package that was not installed before is removed again, and one whose mark was changed has it again.

    Upgrades and removals are not undone. A package with another name than the resource is not removed: its undo fails.
    """

    def is_reversible(self, properties: PackageProperties, state: PackageState) -> bool:
        """Return whether the package is going to be installed, which it was not, or only its mark changes."""
        if properties.ensure in REMOVED:
            return False
        if state.ensure == ABSENT:
            return not state.partial
        return bool(state.mark) and _MARKING.issuperset(TYPE.decide(state, properties, False).verbs)

    def parts(self, properties: PackageProperties, state: PackageState) -> Parts:
        """Return the version, and the mark where that is managed."""
        found: Parts = {_VERSION: _version(properties, state)}
        if state.mark:
            found[_MARK] = state.mark
        return found

    def undone(self, properties: PackageProperties, parts: Parts) -> Data:
        """Return the properties of a package to remove, or of a package to give its former mark again."""
        if parts[_VERSION] == ABSENT:
            mark = {"mark": NONE} if _MARK in parts else {}
            return {"ensure": ABSENT, **mark, "provider": properties.provider}
        return {"ensure": PRESENT, "mark": parts.get(_MARK, NONE), "provider": properties.provider}


def _version(properties: PackageProperties, state: PackageState) -> str:
    """Return the version, or what provides the name: that is another text before and after, so no undo passes it."""
    if state.provided_by:
        return f"{state.ensure}, provided by {', '.join(state.provided_by)}"
    if state.package not in ("", properties.name, properties.name.partition(":")[0]):
        return f"{state.ensure} of {state.package}"
    return state.ensure


REVERSAL = PackageReversal()

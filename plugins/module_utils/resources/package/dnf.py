# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Packages through dnf and rpm (behaviour.md 8.2)."""

from __future__ import annotations

from ...lang.go.quoting import quote
from ...lang.versions.rpm import compare_part, parse
from ...model.errors import ResourceFailed
from .difference import differences
from .dnf_grouping import WORTHWHILE, Offers, installable, removable
from .dnf_locks import DnfLockWaiter
from .dnf_updates import read_updates
from .index import refresh_dnf
from .package_provider import PackageProvider
from .rpm_database import RpmDatabase
from .type import ABSENT, HOLD, LATEST, REMOVED, WORDS, PackageProperties, PackageState, option_refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...host.results import Result
    from ...lang.versions.rpm import RpmVersion
    from ...model.provider import ProviderContext
    from ...model.values import Data, Difference
    from .dnf_marks import Holds
    from .dnf_provided import ProvidedNames
    from .dnf_simulation import DnfSimulation
    from .provided import ProvidedLog
    from .rpm_database import Installed
    from .type import PackageMetadata

_NOTHING_DONE = b"Nothing to do."


class DnfProvider(PackageProvider):
    """Installs with dnf, queries rpm.

    Of several installed versions of a package the newest counts; the metadata's `extended.others` lists the others as
    [EPOCH:]VERSION-RELEASE.ARCH (decisions.md Q27).
    """

    name = "dnf"
    platform_families = ("rhel", "fedora", "suse")
    batch_verbs = ("install", "install_latest", "uninstall")

    _provided_names: ProvidedNames | None = None
    _provided_log: ProvidedLog | None = None
    _holds: Holds | None = None

    def __init__(self, context: ProviderContext) -> None:
        super().__init__(context)
        self.database = RpmDatabase(self.machine, provides=any(each.ensure in REMOVED for each in self.siblings))
        self._offers: Offers | None = None
        self._updates: dict[str, str] = {}
        self._updates_seen: object = None
        self._simulation: DnfSimulation | None = None

    def status(self, properties: PackageProperties) -> PackageState:
        """Return the installed version, and for `latest` how it compares to the candidate (decisions.md Q24, Q27, Q55).

        Raises ResourceFailed when rpm's output is invalid, or when the candidate cannot be found.
        """
        if properties.name[0] == "-":
            raise option_refused(properties.name)
        self._refresh_index()
        if properties.ensure in REMOVED:
            return self._status_to_remove(properties)
        found = self._find(properties.name)
        stand_in = None if found or properties.ensure not in WORDS else self._stand_in(properties)
        state = self._state(properties, found, stand_in or properties.name)
        if state.ensure != ABSENT and properties.ensure == LATEST:
            state.order = -1 if self._candidate(state.package) else 0
        return state

    def status_after(self, properties: PackageProperties, before: PackageState) -> PackageState:
        """Return the state after a verb, compared with the target of `install_latest`, if it was known."""
        found, package = self._find(before.package), before.package
        if found and package != properties.name:
            self._taken_log().provides(properties.name, [package])
        elif not found and properties.ensure in WORDS and properties.ensure not in REMOVED:
            package = self._stand_in(properties) or package
        state = self._state(properties, found, package)
        if before.version_before and state.ensure != ABSENT:
            state.candidate, state.version_before = before.candidate, before.version_before
            state.order = _order(self._find(package)[0], parse(state.candidate))
        return state

    def differences(self, properties: PackageProperties, state: PackageState) -> list[Difference]:
        """Return what acting will change."""
        return differences(properties, state)

    def install(self, properties: PackageProperties, state: PackageState) -> None:
        """Install the version that dnf prefers."""
        self._resolve(state)
        self._install(properties.name, state.package)

    def install_latest(self, properties: PackageProperties, state: PackageState) -> None:
        """Install the version that dnf prefers, or change to the candidate; the state keeps it, and the version before.

        A dnf without the option `best` does not change an installed package at `install`: then an upgrade is run.
        """
        if state.ensure == ABSENT:
            self._resolve(state)
        candidate = "" if state.ensure == ABSENT else self._candidate(state.package)
        output = self._install(properties.name, state.package)
        if not candidate:
            return
        if _NOTHING_DONE in output:
            name = state.package
            self._dnf(["upgrade", "-y", name], f"failed to Install package {quote(properties.name)}", [name])
        state.candidate, state.version_before = candidate, state.metadata["version"]

    def install_version(self, properties: PackageProperties, state: PackageState) -> None:
        """Install the wanted version."""
        self._install(properties.name, f"{properties.name}-{properties.ensure}")

    upgrade = install_version

    def downgrade(self, properties: PackageProperties, state: PackageState) -> None:
        """Downgrade to the wanted version."""
        package = f"{properties.name}-{properties.ensure}"
        self._dnf(["downgrade", "-y", package], f"failed to Downgrade {properties.name}", [properties.name])

    def uninstall(self, properties: PackageProperties, state: PackageState) -> None:
        """Remove the package, the packages that need it and its unused dependencies, as dnf is configured."""
        failure = f"failed to Uninstall {properties.name}"
        self._dnf(["remove", "-y", state.package], failure, [properties.name], [state.metadata["name"]])

    purge = uninstall

    def hold(self, properties: PackageProperties, state: PackageState) -> None:
        """Let versionlock hold the package at its version."""
        package = self.status_after(properties, state).metadata["name"]
        self._dnf(["versionlock", "add", package], f"failed to hold {properties.name}", [package])

    def unhold(self, properties: PackageProperties, state: PackageState) -> None:
        """Remove the package from what versionlock holds."""
        package = state.metadata["name"]
        self._dnf(["versionlock", "delete", package], f"failed to unhold {properties.name}", [package])

    def require_possible(self, verb: str, properties: PackageProperties, state: PackageState) -> None:
        """Raise ResourceFailed for a held package (decisions.md Q97).

        In noop log which other packages the verb would remove, or why dnf would fail (Q98).
        """
        from .marks import require_not_held

        require_not_held(verb, properties, state, lambda state: self._taken_holds().is_held(state.metadata["name"]))
        # While versionlock holds a package, dnf cannot simulate what comes after the end of the hold.
        if self.context.noop and (state.mark != HOLD or verb in ("uninstall", "purge")):
            from .dnf_simulation import DnfSimulation

            self._simulation = self._simulation or DnfSimulation(self)
            self._simulation.show(verb, properties, state)

    def simulate(self, words: list[str]) -> Result:
        """Return the output of a change that dnf is not allowed to make."""
        return self._query(["--assumeno", *words])

    def partition(
        self, verb: str, acting: list[PackageProperties], settled: list[PackageProperties]
    ) -> list[list[PackageProperties]]:
        """Cut where one package may be related to another; see dnf_grouping."""
        names = [member.name for member in acting]
        free = removable(self.machine, names) if verb == "uninstall" else self._installable(names)
        parts: list[list[PackageProperties]] = []
        was_free = False
        for member in acting:
            is_free = member.name in free
            if is_free and was_free:
                parts[-1].append(member)
            else:
                parts.append([member])
            was_free = is_free
        return parts

    def act_on_batch(self, verb: str, members: list[tuple[PackageProperties, PackageState]]) -> None:
        """Run dnf once for packages without relations to each other. Raises ResourceFailed."""
        word = "remove" if verb == "uninstall" else "install"
        names = [state.package for _properties, state in members]
        self._dnf([word, "-y", *names], f"failed to {word} {', '.join(names)}", names)

    def _installable(self, names: list[str]) -> set[str]:
        installed = self.database.snapshot()
        absent = [name for name in names if name not in installed]
        if len(absent) < WORTHWHILE or not installed:
            return set()
        if self._offers is None or not self._offers.cover(absent):
            self._offers = Offers(absent, self._quiet_query)
        return installable(self.machine, absent, self._offers.packages)

    def _refresh_index(self) -> None:
        oldest = self.context.options.package_index
        if oldest is not None:
            refresh_dnf(oldest, self.machine, self.user_log, self._run, noop=self.context.noop)

    def _find(self, name: str) -> list[Installed]:
        return self.database.find(name) if self._is_alone() else self.database.find_in_snapshot(name)

    def _is_alone(self) -> bool:
        return len({expected.name for expected in self.siblings}) <= 1

    def _status_to_remove(self, properties: PackageProperties) -> PackageState:
        """Return the state of a package that is to be removed, and log what provides its name when it is absent."""
        name = properties.name
        if self._is_alone():
            found, providing = self.database.look_for_removal(name)
        else:
            found, providing = self.database.look_in_snapshot_for_removal(name)
        if providing:
            self._taken_log().stays(name, providing)
        state = self._state(properties, found, name)
        state.provided_by = providing
        return state

    def _stand_in(self, properties: PackageProperties) -> str:
        """Return the installed package that provides a name that no package has, "" for none (Q96).

        Raises ResourceFailed when there are several, and `latest` is wanted.
        """
        name, names = properties.name, self._taken_names()
        found = names.standing_in(name)
        if not found:
            return ""
        if properties.ensure == LATEST:
            self._taken_log().require_one(name, found)
        self._taken_log().provides(name, found)
        return found[0]

    def _resolve(self, state: PackageState) -> None:
        """Note the only offered package that provides a name that no package has (Q96).

        Raises ResourceFailed when there are several.
        """
        names = self._taken_names()
        if not names.has_package(state.name):
            found = names.installable(state.name)
            self._taken_log().require_one(state.name, found)
            state.package = found[0] if found else state.package

    def _taken_names(self) -> ProvidedNames:
        if self._provided_names is None:
            from .dnf_provided import ProvidedNames

            self._provided_names = ProvidedNames(self.machine, self._quiet_query, self._missing, self._fingerprint)
        return self._provided_names

    def _missing(self) -> list[str]:
        """Return the names of the run, when it has several, that no installed package has."""
        if self._is_alone():
            return []
        installed = self.database.snapshot()
        return [each.name for each in self.siblings if each.ensure in WORDS and each.name not in installed]

    def _fingerprint(self) -> object:
        return self.database.fingerprint() if len(self.siblings) > 1 else None

    def _taken_log(self) -> ProvidedLog:
        if self._provided_log is None:
            from .provided import ProvidedLog

            self._provided_log = ProvidedLog(self.user_log)
        return self._provided_log

    def _taken_holds(self) -> Holds:
        if self._holds is None:
            from .dnf_marks import Holds

            self._holds = Holds(self.machine, self._quiet_query)
        return self._holds

    def _state(self, properties: PackageProperties, found: list[Installed], package: str) -> PackageState:
        """Return the state for a resource; `found` are the installed packages of its name, else look for `package`."""
        if not found and package != properties.name:
            found = self._find(package)
        state = _state(properties, found)
        state.package = package
        if properties.mark:
            mark = state.mark = self._taken_holds().mark(found[0].name if found else package)
            state.details["metadata"].setdefault("extended", {})["mark"] = mark
        return state

    def _candidate(self, name: str) -> str:
        """Return the version that dnf would upgrade an installed package to, empty when it is the newest.

        Queried for all packages with `latest` together, and again after any change.
        """
        now = (self.machine.generation, self._fingerprint())
        if now != self._updates_seen or name not in self._updates:
            names = [name]
            if len(self.siblings) > 1:
                installed = self.database.snapshot()
                wanted = (expected.name for expected in self.siblings if expected.ensure == LATEST)
                names += sorted({other for other in wanted if other in installed and other != name})
            result = self._quiet_query(["check-update", *names])
            if result.exit_code not in (0, 100):
                raise self._failed(f"could not find the candidate of {name}", result)
            updates = read_updates(result.stdout) if result.exit_code else {}
            self._updates = {name: updates.get(name, "") for name in names}
            self._updates_seen = now
        return self._updates[name]

    def _install(self, name: str, package: str) -> bytes:
        return self._dnf(["install", "-y", package], f"failed to Install package {quote(name)}", [name])

    def _dnf(self, words: list[str], failure: str, names: list[str], own: Sequence[str] = ()) -> bytes:
        """Run a change of the named packages, which rpm calls `own`, with dnf; return its output.

        Raises ResourceFailed beginning with `failure`. dnf exits 0 when it removes nothing.
        """
        from .removals import NOTHING_REMOVED, log_removed, removed_by_dnf

        result = self._run(["dnf", *words])
        if result.exit_code or NOTHING_REMOVED in result.stderr:
            raise self._failed(failure, result)
        log_removed(self.user_log, removed_by_dnf(result.stdout), own or names, ", ".join(names))
        return result.stdout

    def _failed(self, failure: str, result: Result) -> ResourceFailed:
        from .dnf_reasons import reason

        return ResourceFailed(f"{failure}, dnf exited {result.exit_code}{reason(result)}")

    def _run(self, argv: list[str], *, changes: bool = True) -> Result:
        """Run dnf to its end. Raises ResourceFailed when another process holds its locks for too long."""
        from .package_manager import change, query

        self._wait()
        return change(self.machine, argv, self.user_log) if changes else query(self.machine, argv)

    def _quiet_query(self, words: list[str]) -> Result:
        return self._query(["-q", *words])

    def _query(self, words: list[str]) -> Result:
        """Return the output of a dnf command that changes nothing."""
        return self._run(["dnf", *words], changes=False)

    def _wait(self) -> None:
        timeout = self.machine.within(self.context.options.lock_timeout)
        DnfLockWaiter(self.machine, timeout, self.user_log).wait()


def _state(properties: PackageProperties, found: list[Installed]) -> PackageState:
    """Return the state of a package of which `found` is installed, the newest first."""
    name, ensure = properties.name, properties.ensure
    if not found:
        return PackageState(name, ABSENT, {"metadata": {"name": name, "version": ABSENT, "provider": DnfProvider.name}})
    newest, *others = found
    extended: Data = {"epoch": newest.epoch, "release": newest.release}
    if others:
        extended["others"] = [f"{other.full_version}.{other.arch}" for other in others]
    metadata: PackageMetadata = {
        "name": newest.name,
        "version": f"{newest.version}-{newest.release}",
        "arch": newest.arch,
        "provider": DnfProvider.name,
        "extended": extended,
    }
    state = PackageState(name, newest.version, {"metadata": metadata})
    if ensure not in WORDS:
        wanted = parse(ensure)
        state.order = _order(newest, wanted)
        if wanted.epoch is not None or wanted.release is not None:
            state.ensure = newest.full_version
    return state


def _order(installed: Installed, wanted: RpmVersion) -> int:
    """Return -1, 0 or 1 as the installed version is older than `wanted`, the same or newer, in its parts (Q24)."""
    have = parse(installed.full_version)
    order = 0
    if wanted.epoch is not None:
        order = (have.epoch or 0) - wanted.epoch
    order = order or compare_part(have.version, wanted.version)
    if not order and wanted.release is not None:
        order = compare_part(installed.release, wanted.release)
    return (order > 0) - (order < 0)


PROVIDER: type[PackageProvider] = DnfProvider

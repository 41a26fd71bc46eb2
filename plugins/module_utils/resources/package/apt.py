# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Packages of Debian and related systems, by apt and dpkg (behaviour.md 8.1)."""

from __future__ import annotations

from ...model.errors import ResourceFailed
from .apt_database import CONFIGURATION, look, without_any
from .package_provider import PackageProvider, advise
from .type import ABSENT, HOLD, LATEST, REMOVED, WORDS, PackageProperties, PackageState, option_refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.values import Data, Difference
    from .apt_candidates import Candidates
    from .apt_changes import AptChanges
    from .apt_database import Package
    from .apt_grouping import Plan
    from .apt_provided import VirtualNames
    from .apt_simulation import AptSimulation
    from .apt_snapshot import AptSnapshot
    from .apt_status import StatusFile
    from .provided import ProvidedLog


class AptProvider(PackageProvider):
    """Reads with dpkg-query and apt-cache, changes with apt-get.

    Reads once for all packages of a run, and again when dpkg's database has changed.
    """

    name = "apt"
    platform_families = ("debian",)
    batch_verbs = ("install", "install_latest", "uninstall")

    _snapshot: AptSnapshot | None = None
    _candidates: Candidates | None = None
    _plan: Plan | None = None
    _simulation: AptSimulation | None = None
    _virtual_names: VirtualNames | None = None
    _provided_log: ProvidedLog | None = None
    _status_file: StatusFile | None = None

    def status(self, properties: PackageProperties) -> PackageState:
        """Return the installed version, and how it compares with the wanted version.

        Raises ResourceFailed when an installed package has no candidate for `latest`, or cannot be compared with an
        invalid wanted version (decisions.md Q25); for a package that is not installed apt-get reports that it has no
        such version, as in the original.
        """
        if properties.name[0] == "-":
            raise option_refused(properties.name)
        self._refresh_index()
        state = self._observed(properties, without_any(properties.name))
        if state.ensure == ABSENT and not state.partial:
            state = self._stand_in(properties, state)
        if properties.ensure == LATEST and state.ensure != ABSENT:
            state.candidate = self.candidate(state.package)
        return _compared(state, properties.ensure)

    def status_after(self, properties: PackageProperties, before: PackageState) -> PackageState:
        """Return the state after acting, compared with the candidate when `latest` was wanted."""
        state = self._observed(properties, before.package)
        if state.ensure == ABSENT and not state.partial and properties.ensure not in REMOVED:
            state = self._stand_in(properties, state)
        elif before.package != without_any(properties.name):
            self._taken_provided_log().provides(properties.name, [before.package])
        if before.version_before:
            state.candidate, state.version_before = before.candidate, before.version_before
        return _compared(state, properties.ensure)

    def differences(self, properties: PackageProperties, state: PackageState) -> list[Difference]:
        """Return what acting will change."""
        from .difference import differences

        return differences(properties, state)

    def _changes(self) -> AptChanges:
        from .apt_changes import AptChanges

        return AptChanges(self)

    def install(self, properties: PackageProperties, state: PackageState) -> None:
        """Install the version that apt prefers."""
        self._changes().install(state)

    def install_latest(self, properties: PackageProperties, state: PackageState) -> None:
        """Install the candidate, or upgrade to it."""
        self._changes().install_latest(state)

    def install_version(self, properties: PackageProperties, state: PackageState) -> None:
        """Upgrade or downgrade a package to the version that `ensure` names, or downgrade it to the candidate."""
        self._changes().install_version(properties, state)

    upgrade = downgrade = install_version

    def uninstall(self, properties: PackageProperties, state: PackageState) -> None:
        """Remove a package in all its installed architectures; its configuration stays."""
        self._changes().uninstall(state)

    def purge(self, properties: PackageProperties, state: PackageState) -> None:
        """Remove a package in all its architectures, and its configuration."""
        self._changes().purge(state)

    def hold(self, properties: PackageProperties, state: PackageState) -> None:
        """Hold the package at its version, also when it was installed only now."""
        self._changes().change_mark("hold", self.status_after(properties, state))

    def unhold(self, properties: PackageProperties, state: PackageState) -> None:
        """End the hold of the package."""
        self._changes().change_mark("unhold", state)

    def require_possible(self, verb: str, properties: PackageProperties, state: PackageState) -> None:
        """Raise ResourceFailed for a held package (decisions.md Q97).

        In noop log which other packages the verb would remove, or why apt would fail (Q98).
        """
        from .marks import require_not_held

        require_not_held(verb, properties, state, lambda state: self._status().mark(state) == HOLD)
        if self.context.noop:
            from .apt_simulation import AptSimulation

            self._simulation = self._simulation or AptSimulation(self)
            self._simulation.show(verb, properties, state)

    def partition(
        self, verb: str, acting: list[PackageProperties], settled: list[PackageProperties]
    ) -> list[list[PackageProperties]]:
        """Cut where a package is related to one before it, according to apt and dpkg.

        While a package is installed only in part, the result of each package depends on it.
        """
        from .apt_grouping import Plan

        if not self._taken_snapshot().all_configured():
            return [[properties] for properties in acting]
        if self._plan is None or not self._plan.covers(verb, acting):
            self._plan = Plan.make(verb, acting, self, self._plan)
        return self._plan.parts(acting, settled)

    def act_on_batch(self, verb: str, members: list[tuple[PackageProperties, PackageState]]) -> None:
        """Do the step of a verb in one run of apt-get."""
        self._changes().act_on_batch(verb, [state for _properties, state in members])

    def candidate(self, name: str) -> str:
        """Return the version that apt would install. Raises ResourceFailed when there is none (decisions.md Q26)."""
        if self._candidates is None:
            from .apt_candidates import Candidates

            expected = [without_any(each.name) for each in self.siblings if each.ensure == LATEST]
            self._candidates = Candidates(self.machine, expected)
        return self._candidates.of(name)

    def package(self, name: str) -> Package:
        """Return dpkg's record of a package, `name` or `name:arch`; query only that one if the run has no other."""
        if len(self.siblings) > 1:  # one of them is the package itself
            return self._taken_snapshot().look(name)
        return look(self.machine, name)

    def _refresh_index(self) -> None:
        oldest = self.context.options.package_index
        if oldest is None:
            return
        from .apt_get import AptGet
        from .index import refresh_apt

        refresh_apt(oldest, self.machine, self.user_log, AptGet(self.context).run, noop=self.context.noop)

    def _taken_snapshot(self) -> AptSnapshot:
        if self._snapshot is None:
            from .apt_snapshot import AptSnapshot

            self._snapshot = AptSnapshot(self.machine)
        return self._snapshot

    def virtual_names(self) -> VirtualNames:
        """Return which names of the run are only provided by packages."""
        if self._virtual_names is None:
            from .apt_provided import VirtualNames

            expected = [without_any(each.name) for each in self.siblings if each.ensure in WORDS]
            self._virtual_names = VirtualNames(self.machine, expected)
        return self._virtual_names

    def _taken_provided_log(self) -> ProvidedLog:
        if self._provided_log is None:
            from .provided import ProvidedLog

            self._provided_log = ProvidedLog(self.user_log)
        return self._provided_log

    def _status(self) -> StatusFile:
        """Return dpkg's file of all packages, as it is now."""
        if self._status_file is None:
            from .apt_status import StatusFile

            self._status_file = StatusFile()
        seen = self._taken_snapshot().fingerprint if len(self.siblings) > 1 else None
        self._status_file.load((self.machine.generation, seen))
        return self._status_file

    def _stand_in(self, properties: PackageProperties, state: PackageState) -> PackageState:
        """Return the state of the installed package that provides a name that no package has (Q96).

        Return `state`, the state of the name, when there is none or the package is to be removed. Raises ResourceFailed
        when there are several, and `latest` is wanted.
        """
        wanted = properties.ensure
        found = self._status().providing(state.package) if wanted in WORDS else []
        if not found:
            return state
        if wanted in REMOVED:
            self._taken_provided_log().stays(state.name, found)
            state.provided_by = found
            return state
        if not self.virtual_names().has(state.package):
            return state
        if wanted == LATEST:
            self._taken_provided_log().require_one(state.name, found)
        self._taken_provided_log().provides(state.name, found)
        return self._observed(properties, found[0])

    def _observed(self, properties: PackageProperties, name: str) -> PackageState:
        """Return the installed version of the package `name`, `name` or `name:arch`, for a resource."""
        package = self.package(name)
        extended: Data = {"status": package.status}
        others = package.others
        if others:
            extended["others"] = [
                {"version": other.version, "arch": other.arch, "status": other.status} for other in others
            ]
        if package.is_installed:
            metadata = {"name": package.name, "version": package.version, "arch": package.arch}
        else:
            metadata = {"name": properties.name, "version": ABSENT}
        ensure = metadata["version"]
        elsewhere = [other.arch for other in others if other.is_installed or other.is_partial]
        state = PackageState(
            properties.name, ensure, {"metadata": {**metadata, "provider": self.name, "extended": extended}}
        )
        state.package = name
        state.other_architectures = elsewhere
        state.configuration = [each.arch for each in (package, *others) if each.status == CONFIGURATION]
        if properties.mark:
            state.mark = extended["mark"] = self._status().mark(state)
        state.partial = next((each.status for each in (package, *others) if each.is_partial), "")
        return state


def _compared(state: PackageState, ensure: str) -> PackageState:
    """Return the state with the `order` of the installed version against the wanted one, when both exist."""
    wanted = state.candidate or ensure
    if state.ensure != ABSENT and wanted not in WORDS:
        from ...lang.versions.debian import VersionError, compare

        try:
            state.order = compare(state.ensure, wanted)
        except VersionError as error:
            failure = ResourceFailed(str(error), property="ensure", value=wanted)
            advise(failure, wanted)
            raise failure from None
    return state


PROVIDER: type[PackageProvider] = AptProvider

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Packages of Debian and related systems, by apt and dpkg (behaviour.md 8.1)."""

from __future__ import annotations

from ...model.batch_provider import BatchProvider
from ...model.errors import ResourceFailed
from .apt_database import look
from .type import ABSENT, LATEST, PRESENT, PackageProperties, PackageState, option_refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.values import Data, Difference
    from .apt_candidates import Candidates
    from .apt_database import Package
    from .apt_grouping import Plan
    from .apt_simulation import AptSimulation
    from .apt_snapshot import AptSnapshot


class AptProvider(BatchProvider[PackageProperties, PackageState]):
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

    def status(self, properties: PackageProperties) -> PackageState:
        """Return what is installed, and how it compares with the wanted version.

        Raises ResourceFailed when an installed package has no candidate for `latest`, or cannot be compared with an
        invalid wanted version (decisions.md Q25); for a package that is not installed apt-get reports that it has no
        such version, as in the original.
        """
        if properties.name[0] == "-":
            raise option_refused(properties.name)
        self._refresh_index()
        state = self._observed(properties)
        if properties.ensure == LATEST and state.ensure != ABSENT:
            state.candidate = self.candidate(properties.name)
        return _compared(state, properties.ensure)

    def status_after(self, properties: PackageProperties, before: PackageState) -> PackageState:
        """Return the state after acting, compared with the candidate when `latest` was wanted."""
        state = self._observed(properties)
        if before.version_before:
            state.candidate, state.version_before = before.candidate, before.version_before
        return _compared(state, properties.ensure)

    def differences(self, properties: PackageProperties, state: PackageState) -> list[Difference]:
        """Return what acting will change."""
        from .difference import differences

        return differences(properties, state)

    def require_possible(self, verb: str, properties: PackageProperties, state: PackageState) -> None:
        """In noop log which other packages the verb would remove, or why apt would fail (decisions.md Q98)."""
        if self.context.noop:
            from .apt_simulation import AptSimulation

            self._simulation = self._simulation or AptSimulation(self)
            self._simulation.show(verb, properties)

    def install(self, properties: PackageProperties, state: PackageState) -> None:
        """Install the version that apt prefers."""
        from .apt_changes import install

        install(self, properties.name)

    def install_latest(self, properties: PackageProperties, state: PackageState) -> None:
        """Install the candidate, or upgrade to it."""
        from .apt_changes import install_latest

        install_latest(self, state)

    def install_version(self, properties: PackageProperties, state: PackageState) -> None:
        """Upgrade or downgrade a package to the version that `ensure` names."""
        from .apt_changes import install_version

        install_version(self, properties)

    upgrade = downgrade = install_version

    def uninstall(self, properties: PackageProperties, state: PackageState) -> None:
        """Remove a package in all its installed architectures; its configuration stays."""
        from .apt_changes import uninstall

        uninstall(self, state)

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
        from .apt_changes import act_on_batch

        act_on_batch(self, verb, [state for _properties, state in members])

    def candidate(self, name: str) -> str:
        """Return the version that apt would install. Raises ResourceFailed when there is none (decisions.md Q26)."""
        if self._candidates is None:
            from .apt_candidates import Candidates

            self._candidates = Candidates(self.machine, [each.name for each in self.siblings if each.ensure == LATEST])
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

    def _observed(self, properties: PackageProperties) -> PackageState:
        package = self.package(properties.name)
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
        state.other_architectures = elsewhere
        state.partial = next((each.status for each in (package, *others) if each.is_partial), "")
        return state


def _compared(state: PackageState, ensure: str) -> PackageState:
    """Return the state with the `order` of the installed version against the wanted one, when both exist."""
    wanted = state.candidate or ensure
    if state.ensure != ABSENT and wanted not in (PRESENT, ABSENT, LATEST):
        from ...lang.versions.debian import VersionError, compare

        try:
            state.order = compare(state.ensure, wanted)
        except VersionError as error:
            raise ResourceFailed(str(error), property="ensure", value=wanted) from None
    return state

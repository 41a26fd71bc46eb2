# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Packages of Debian and its kin, by apt and dpkg (features.md 8.1)."""

from __future__ import annotations

from ...model.errors import ResourceFailed
from ...model.state import State
from ..joint import JointProvider
from .apt_database import look
from .type import ABSENT, LATEST, PRESENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...model.resource import Properties
    from .apt_candidates import Candidates
    from .apt_database import Package
    from .apt_grouping import Plan
    from .apt_snapshot import AptSnapshot


class AptProvider(JointProvider):
    """Looks with dpkg-query and apt-cache, acts with apt-get.

    Looks once for all packages of a run, and again when dpkg's database is another one.
    """

    name = "apt"
    platform_families = ("debian",)
    joint_verbs = ("install", "install_latest", "uninstall")

    _snapshot: AptSnapshot | None = None
    _candidates: Candidates | None = None
    _plan: Plan | None = None

    def status(self, properties: Properties) -> State:
        """What is installed, and how it compares with what is wanted.

        Raises ResourceFailed when a package that is there has no candidate for `latest`, or cannot be compared with a
        wanted version that is none (decisions.md Q25); of one that is not there apt-get says that it has no such
        version, as recorded.
        """
        if properties.name[0] == "-":
            from .options import option_refused

            raise option_refused(properties.name)
        if self.package_index is not None:
            self._refresh_index(self.package_index)
        state = self._look(properties)
        if properties.ensure == LATEST and state.ensure != ABSENT:
            state.known["candidate"] = self.candidate(properties.name)
        return _compared(state, properties.ensure)

    def status_after(self, properties: Properties, outcome: tuple[str, str] | None) -> State:
        """The state after acting; `outcome` is, where `latest` was wanted, the candidate and the version before."""
        state = self._look(properties)
        if outcome is None and self._plan is not None:
            outcome = self._plan.outcomes.pop(properties.name, None)
        if outcome is not None:
            state.known["candidate"], state.known["version_before"] = outcome
        return _compared(state, properties.ensure)

    def differences(self, properties: Properties, state: State) -> list[dict[str, Any]]:
        """What acting will change."""
        from .difference import differences

        return differences(properties, state)

    def act(self, verb: str, properties: Properties, state: State) -> Any:
        """Do what a verb says, one function of `apt_acting` each."""
        from . import apt_acting

        return getattr(apt_acting, verb)(self, properties, state)

    def together(self, verb: str, acting: list[Properties], settled: list[Properties]) -> list[list[Properties]]:
        """Cut where a package has to do with one before it, as apt and dpkg know it.

        While any package is not wholly installed, what becomes of one depends on that other one.
        """
        from .apt_grouping import Plan

        if not self._taken_snapshot().is_at_rest():
            return [[properties] for properties in acting]
        if self._plan is None or not self._plan.covers(verb, acting):
            self._plan = Plan.make(verb, acting, self, self._plan)
        return self._plan.parts(acting, settled)

    def act_together(self, verb: str, members: list[tuple[Properties, State]]) -> None:
        """Do what a verb says in one run of apt-get."""
        from . import apt_acting

        outcomes = apt_acting.together(self, verb, members)
        if self._plan is not None:
            self._plan.outcomes.update(outcomes)

    def candidate(self, name: str) -> str:
        """The version that apt would install. Raises ResourceFailed when there is none (decisions.md Q26)."""
        if self._candidates is None:
            from .apt_candidates import Candidates

            self._candidates = Candidates([each.name for each in self.expected if each.ensure == LATEST])
        return self._candidates.of(name)

    def package(self, name: str) -> Package:
        """What dpkg knows of a package, `name` or `name:arch`; the only one of a run is asked for by itself."""
        if len(self.expected) > 1:
            return self._taken_snapshot().look(name)
        return look(name)

    def _refresh_index(self, oldest: int) -> None:
        self.package_index = None
        from .apt_get import AptGet
        from .index import refresh_apt

        refresh_apt(oldest, self.log, AptGet(self.log, self.lock_timeout).run, noop=self.context.noop)

    def _taken_snapshot(self) -> AptSnapshot:
        if self._snapshot is None:
            from .apt_snapshot import AptSnapshot

            self._snapshot = AptSnapshot()
        return self._snapshot

    def _look(self, properties: Properties) -> State:
        package = self.package(properties.name)
        extended: dict[str, Any] = {"status": package.status}
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
        return State(
            "package",
            properties.name,
            ensure,
            {"metadata": {**metadata, "provider": self.name, "extended": extended}},
            {
                "other_architectures": elsewhere,
                "partial": next((each.status for each in (package, *others) if each.is_partial), ""),
            },
        )


def _compared(state: State, ensure: str) -> State:
    """The state with the `order` of the installed version against the wanted one, where there are two."""
    wanted = state.known.get("candidate", ensure)
    if state.ensure != ABSENT and wanted not in (PRESENT, ABSENT, LATEST):
        from ...lang.versions.debian import VersionError, compare

        try:
            state.known["order"] = compare(state.ensure, wanted)
        except VersionError as error:
            raise ResourceFailed(str(error), property="ensure", value=wanted) from None
    return state

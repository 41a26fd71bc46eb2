# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes of packages with apt-get; all raise ResourceFailed (behaviour.md 8.1)."""

from __future__ import annotations

from ...host.results import output_lines
from ...model.errors import ResourceFailed
from . import apt_tools
from .apt_get import AptGet
from .apt_status import name_and_arch
from .provided import ProvidedLog
from .type import ABSENT, LATEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

    from .apt import AptProvider
    from .type import PackageProperties, PackageState

# apt-get reads `name-` and `name+` as orders, and an unknown name as a regular expression or a pattern.
_DOUBTFUL = frozenset("+.~")


class AptChanges:
    """The verbs of a provider."""

    def __init__(self, provider: AptProvider) -> None:
        self._provider = provider
        self._apt_get = AptGet(provider.context)

    def install(self, state: PackageState) -> None:
        """Install the version that apt prefers."""
        self.require_known([state.package])
        self._apt_get.install(state.name, [state.package])

    def install_latest(self, state: PackageState) -> None:
        """Install the candidate, or upgrade to it; the state keeps it, and the version before."""
        self.require_known([state.package])
        candidate = state.candidate or self._candidate(state)
        name = state.package
        self._apt_get.install(state.name, [f"{name}={candidate}"])
        _note(state, candidate)

    def install_version(self, properties: PackageProperties, state: PackageState) -> None:
        """Upgrade or downgrade a package to the version that `ensure` names, with `latest` to the candidate (Q97)."""
        name = state.package
        self.require_known([name])
        is_latest = properties.ensure == LATEST
        version = state.candidate if is_latest else properties.ensure
        self._apt_get.install(state.name, [f"{name}={version}"], "--allow-downgrades")
        if is_latest:
            _note(state, version)

    def uninstall(self, state: PackageState) -> None:
        """Remove a package in all its installed architectures; its configuration stays."""
        self._apt_get.uninstall(state.name, _in_architectures(state, state.other_architectures))

    def purge(self, state: PackageState) -> None:
        """Remove a package in all its architectures, and its configuration."""
        elsewhere = dict.fromkeys([*state.other_architectures, *state.configuration])
        self._apt_get.uninstall(state.name, _in_architectures(state, elsewhere), "--purge")

    def change_mark(self, word: str, state: PackageState) -> None:
        """Run apt-mark with `hold` or `unhold` for the package of a state (decisions.md Q97)."""
        name, arch = name_and_arch(state)
        result = self._apt_get.run(["apt-mark", word, f"{name}:{arch}" if arch not in ("", "all") else name])
        if result.exit_code:
            words = apt_tools.last_lines(apt_tools.lines_of(result.stderr))
            raise ResourceFailed(
                f"failed to {word} {state.name}, apt-mark exited {result.exit_code}" + (f": {words}" if words else ""),
                property="mark",
            )

    def act_on_batch(self, verb: str, states: list[PackageState]) -> None:
        """Do the step of a verb in one run of apt-get."""
        names = [state.package for state in states]
        if verb == "uninstall":
            self._apt_get.uninstall(", ".join(names), names)
            return
        self.require_known(names)
        if verb == "install":
            self._apt_get.install(", ".join(names), names)
            return
        candidates = [self._provider.candidate(name) for name in names]
        wanted = [f"{name}={candidate}" for name, candidate in zip(names, candidates)]
        self._apt_get.install(", ".join(names), wanted)
        for state, candidate in zip(states, candidates):
            _note(state, candidate)

    def _candidate(self, state: PackageState) -> str:
        """Return the candidate; note the only package that provides the name when that has none (Q96)."""
        try:
            return self._provider.candidate(state.package)
        except ResourceFailed:
            found = self._provider.virtual_names().installable(state.package) if state.ensure == ABSENT else []
            ProvidedLog.require_one(state.name, found)
            if not found:
                raise
        state.package = found[0]
        return self._provider.candidate(state.package)

    def require_known(self, names: list[str]) -> None:
        """Raise ResourceFailed for a name unknown to apt, which it would read as an order or a pattern."""
        doubtful = [name for name in names if not _DOUBTFUL.isdisjoint(name) or name.endswith("-")]
        if not doubtful:
            return
        known = output_lines(apt_tools.query(self._provider.machine, ["apt-cache", "policy", *doubtful]).stdout)
        for name in doubtful:
            if f"{name.partition(':')[0]}:" not in known and f"{name}:" not in known:
                raise ResourceFailed(f"apt knows no package {name}", property="name", value=name)


def _in_architectures(state: PackageState, others: Iterable[str]) -> list[str]:
    own = state.package.partition(":")[0]
    return [state.package, *(f"{own}:{arch}" for arch in others if arch != "all")]


def _note(state: PackageState, candidate: str) -> None:
    state.candidate, state.version_before = candidate, state.metadata["version"]

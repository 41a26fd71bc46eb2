# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes of packages with apt-get; all raise ResourceFailed (behaviour.md 8.1)."""

from __future__ import annotations

from ...host.results import output_lines
from ...model.errors import ResourceFailed
from . import apt_tools
from .apt_get import AptGet
from .provided import require_one
from .type import ABSENT, LATEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

    from .apt import AptProvider
    from .type import PackageProperties, PackageState

# apt-get reads `name-` and `name+` as orders, and an unknown name as a regular expression or a pattern.
_DOUBTFUL = frozenset("+.~")


def install(provider: AptProvider, state: PackageState) -> None:
    """Install the version that apt prefers."""
    require_known(provider, [state.package])
    _apt_get(provider).install(state.name, [state.package])


def install_latest(provider: AptProvider, state: PackageState) -> None:
    """Install the candidate, or upgrade to it; the state keeps it, and the version before."""
    require_known(provider, [state.package])
    candidate = state.candidate or _candidate(provider, state)
    name = state.package
    _apt_get(provider).install(state.name, [f"{name}={candidate}"])
    _note(state, candidate)


def install_version(provider: AptProvider, properties: PackageProperties, state: PackageState) -> None:
    """Upgrade or downgrade a package to the version that `ensure` names, with `latest` to the candidate (Q97)."""
    name = state.package
    require_known(provider, [name])
    is_latest = properties.ensure == LATEST
    version = state.candidate if is_latest else properties.ensure
    _apt_get(provider).install(state.name, [f"{name}={version}"], "--allow-downgrades")
    if is_latest:
        _note(state, version)


def uninstall(provider: AptProvider, state: PackageState) -> None:
    """Remove a package in all its installed architectures; its configuration stays."""
    _apt_get(provider).uninstall(state.name, _in_architectures(state, state.other_architectures))


def purge(provider: AptProvider, state: PackageState) -> None:
    """Remove a package in all its architectures, and its configuration."""
    elsewhere = dict.fromkeys([*state.other_architectures, *state.configuration])
    _apt_get(provider).uninstall(state.name, _in_architectures(state, elsewhere), "--purge")


def act_on_batch(provider: AptProvider, verb: str, states: list[PackageState]) -> None:
    """Do the step of a verb in one run of apt-get."""
    names = [state.package for state in states]
    if verb == "uninstall":
        _apt_get(provider).uninstall(", ".join(names), names)
        return
    require_known(provider, names)
    if verb == "install":
        _apt_get(provider).install(", ".join(names), names)
        return
    candidates = [provider.candidate(name) for name in names]
    wanted = [f"{name}={candidate}" for name, candidate in zip(names, candidates)]
    _apt_get(provider).install(", ".join(names), wanted)
    for state, candidate in zip(states, candidates):
        _note(state, candidate)


def _in_architectures(state: PackageState, others: Iterable[str]) -> list[str]:
    own = state.package.partition(":")[0]
    return [state.package, *(f"{own}:{arch}" for arch in others if arch != "all")]


def _candidate(provider: AptProvider, state: PackageState) -> str:
    """Return the candidate; note the only package that provides the name when that has none (Q96)."""
    try:
        return provider.candidate(state.package)
    except ResourceFailed:
        found = provider.virtual_names().installable(state.package) if state.ensure == ABSENT else []
        require_one(state.name, found)
        if not found:
            raise
    state.package = found[0]
    return provider.candidate(state.package)


def _note(state: PackageState, candidate: str) -> None:
    state.candidate, state.version_before = candidate, state.metadata["version"]


def require_known(provider: AptProvider, names: list[str]) -> None:
    """Raise ResourceFailed for a name unknown to apt, which it would read as an order or a pattern."""
    doubtful = [name for name in names if not _DOUBTFUL.isdisjoint(name) or name.endswith("-")]
    if not doubtful:
        return
    known = output_lines(apt_tools.query(provider.machine, ["apt-cache", "policy", *doubtful]).stdout)
    for name in doubtful:
        if f"{name.partition(':')[0]}:" not in known and f"{name}:" not in known:
            raise ResourceFailed(f"apt knows no package {name}", property="name", value=name)


def _apt_get(provider: AptProvider) -> AptGet:
    return AptGet(provider.context)

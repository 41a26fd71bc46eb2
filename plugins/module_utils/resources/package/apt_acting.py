# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the verbs of packages do with apt-get, one function each; all raise ResourceFailed (features.md 8.1)."""

from __future__ import annotations

from ...host.results import output_lines
from ...model.errors import ResourceFailed
from . import apt_tools
from .apt_get import AptGet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.resource import Properties
    from ...model.state import State
    from .apt import AptProvider

# `name-` and `name+` are orders to apt-get, and what it does not know as a name is a regular expression or a pattern.
_DOUBTFUL = frozenset("+.~")


def install(provider: AptProvider, properties: Properties, state: State) -> None:
    """Install whatever version apt prefers."""
    _require_known([properties.name])
    _apt_get(provider).install(properties.name, [properties.name])


def install_latest(provider: AptProvider, properties: Properties, state: State) -> tuple[str, str]:
    """Install the candidate, or upgrade to it; returns it, and the version before."""
    name = properties.name
    _require_known([name])
    candidate = state.known.get("candidate") or provider.candidate(name)
    _apt_get(provider).install(name, [f"{name}={candidate}"])
    return candidate, state.metadata["version"]


def install_version(provider: AptProvider, properties: Properties, state: State) -> None:
    """Bring a package to the version that `ensure` names, be it up or down."""
    name = properties.name
    _require_known([name])
    _apt_get(provider).install(name, [f"{name}={properties.ensure}"], "--allow-downgrades")


upgrade = downgrade = install_version


def uninstall(provider: AptProvider, properties: Properties, state: State) -> None:
    """Remove a package in all architectures that it is there for; its configuration stays."""
    name = properties.name
    _apt_get(provider).uninstall(name, [name, *(f"{name}:{arch}" for arch in state.known["other_architectures"])])


def together(provider: AptProvider, verb: str, members: list[tuple[Properties, State]]) -> dict[str, tuple[str, str]]:
    """Do what a verb says in one run of apt-get; returns what `install_latest` does of each, by name."""
    names = [properties.name for properties, state in members]
    if verb == "uninstall":
        _apt_get(provider).uninstall(", ".join(names), names)
        return {}
    _require_known(names)
    if verb == "install":
        _apt_get(provider).install(", ".join(names), names)
        return {}
    outcomes = {
        properties.name: (provider.candidate(properties.name), state.metadata["version"])
        for properties, state in members
    }
    _apt_get(provider).install(", ".join(names), [f"{name}={outcomes[name][0]}" for name in names])
    return outcomes


def _require_known(names: list[str]) -> None:
    """Raise ResourceFailed for a name that apt does not know and so would take for an order or a pattern."""
    doubtful = [name for name in names if not _DOUBTFUL.isdisjoint(name) or name.endswith("-")]
    if not doubtful:
        return
    known = output_lines(apt_tools.ask(["apt-cache", "policy", *doubtful]).stdout)
    for name in doubtful:
        if f"{name.partition(':')[0]}:" not in known and f"{name}:" not in known:
            raise ResourceFailed(f"apt knows no package {name}", property="name", value=name)


def _apt_get(provider: AptProvider) -> AptGet:
    return AptGet(provider.log, provider.lock_timeout)

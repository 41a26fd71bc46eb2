# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The package type: a package of the operating system, present, absent, at its latest or at one version."""

from __future__ import annotations

from ...model.decision import NOTHING, Decision, Step
from ...model.errors import ResourceFailed
from ...model.resource import Properties, ResourceType
from ...model.state import State
from ..name_rules import check_argument, check_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping, Sequence, TypedDict

    from ...model.provider import Provider
    from ...model.values import Data

    class PackageMetadata(TypedDict, total=False):
        """The fields of a package's state in events."""

        name: str
        version: str
        arch: str
        provider: str
        extended: Data


PRESENT = "present"
ABSENT = "absent"
LATEST = "latest"
_WORDS = (PRESENT, ABSENT, LATEST)


class PackageProperties(Properties):
    """The properties of a package."""


class PackageState(State):
    """What is installed.

    - `partial`: the package manager's word for a package, counted as absent, that is installed in part: `absent`
      removes that. Empty when there is none.
    - `order`: -1, 0 or 1 as the installed version is older than the wanted one, the same or newer; wanted is the
      version in `ensure`, or for `latest` the candidate. None for other `ensure`.
    - `candidate`: the version of `latest`, empty when it is not known.
    - `version_before`: after `latest` was acted on, the metadata's `version` before.
    - `other_architectures`: its other installed architectures.
    """

    type = "package"
    metadata: PackageMetadata
    partial: str = ""
    order: int | None = None
    candidate: str = ""
    version_before: str = ""
    other_architectures: Sequence[str] = ()


class PackageType(ResourceType[PackageProperties, PackageState]):
    """Packages (behaviour.md 8).

    A provider's state has the installed version, or `absent`, as `ensure`, and in its metadata `version`, which shows
    whether anything changed.
    """

    name = "package"
    default_ensure = PRESENT
    takes_empty_ensure = False
    provider_names = ("apt", "dnf")
    semaphores = ("package",)
    properties_class = PackageProperties
    reversible = True
    verbs = ("downgrade", "install", "install_latest", "install_version", "uninstall", "upgrade")
    provider_programs: Mapping[str, tuple[str, ...]] = {
        "apt": ("apt-get", "apt-cache", "apt-mark", "dpkg-query"),
        "dnf": ("dnf", "rpm"),
    }

    def validate_own(self, properties: PackageProperties) -> None:
        """Refuse names and versions that cannot be an argument of a package manager's command line.

        The format of versions depends on the provider: its `status` refuses those that it cannot compare (decisions.md
        Q25).
        """
        check_name("package", properties.name)
        check_argument("package version/ensure", "ensure", properties.ensure)

    def provider(self, name: str) -> type[Provider[PackageProperties, PackageState]]:
        """Return the provider class of a name."""
        found: type[Provider[PackageProperties, PackageState]]
        if name == "dnf":
            from .dnf import DnfProvider

            found = DnfProvider
        else:
            from .apt import AptProvider

            found = AptProvider
        return found

    def is_groupable(self, properties: PackageProperties) -> bool:
        """Return whether no exact version is wanted (decisions.md, Grouping of packages)."""
        return properties.ensure in _WORDS

    def has_changed(self, before: PackageState, after: PackageState) -> bool:
        """Return whether the version differs from before, or is gone, or is no longer installed in part."""
        changed: bool = before.metadata["version"] != after.metadata["version"]
        return changed or bool(before.partial)

    def decide(self, state: PackageState, properties: PackageProperties, refresh: bool) -> Decision:
        """Return the decision, by the table in behaviour.md 8; `latest` is the candidate (decisions.md Q55)."""
        wanted = properties.ensure
        if wanted == ABSENT:
            is_gone = state.ensure == ABSENT and not state.partial
            return NOTHING if is_gone else Decision(Step("uninstall", "Would have uninstalled", "Uninstalled"))
        if state.ensure == ABSENT:
            return _installation(wanted)
        if wanted == PRESENT or state.order == 0:
            return NOTHING
        if wanted == LATEST:
            return Decision(Step("install_latest", "Would have upgraded to latest", "Upgraded to latest"))
        if state.order is not None and state.order < 0:
            return Decision(Step("upgrade", f"Would have upgraded to {wanted}", f"Upgraded to {wanted}"))
        return Decision(Step("downgrade", f"Would have downgraded to {wanted}", f"Downgraded to {wanted}"))

    def shortfall(self, state: PackageState, properties: PackageProperties) -> str:
        """Return why the package is not in the wanted state."""
        reason = mismatch(state, properties.ensure)
        return f"{properties.ensure}: {reason}" if reason else ""


def _installation(wanted: str) -> Decision:
    if wanted == LATEST:
        return Decision(Step("install_latest", "Would have installed latest", "Installed latest"))
    verb = "install" if wanted == PRESENT else "install_version"
    return Decision(Step(verb, f"Would have installed version {wanted}", f"Installed version {wanted}"))


def mismatch(state: PackageState, wanted: str) -> str:
    """Return how a package, after acting, differs from the wanted `ensure`, in the words of the original; "" if not.

    With `latest`, a package whose version did not change is as wanted. One that changed, to a version below the
    candidate, is not (decisions.md Q55).
    """
    if wanted == ABSENT:
        if state.ensure != ABSENT:
            return f"package version {state.ensure} installed, expected absent"
        partial = state.partial
        return f"package is {partial}, expected absent" if partial else ""
    if wanted in (PRESENT, LATEST):
        if state.ensure == ABSENT:
            return f"package is absent, expected {wanted}"
        return _below_candidate(state) if wanted == LATEST else ""
    if state.ensure == ABSENT or state.order != 0:
        return f"version mismatch: state={state.ensure} requested={wanted}"
    return ""


def _below_candidate(state: PackageState) -> str:
    is_below = state.order is not None and state.order < 0
    if not (state.candidate and is_below) or state.version_before == state.metadata["version"]:
        return ""
    return f"version {state.ensure} is below the candidate {state.candidate}"


def option_refused(name: str) -> ResourceFailed:
    """Return the error for a name like an option. `status` raises it: validation accepts it, as the original does."""
    return ResourceFailed(f"package name begins with a dash: {name}", property="name", value=name)


TYPE = PackageType()

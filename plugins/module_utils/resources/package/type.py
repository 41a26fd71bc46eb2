# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The package type: a package of the operating system, present, absent or purged, at its latest or at one version."""

from __future__ import annotations

from ...model.decision import NOTHING, Decision, Step
from ...model.errors import InvalidResource, ResourceFailed
from ...model.property import Property
from ...model.resource import Properties, ResourceType
from ...model.state import State
from ..name_rules import check_argument, check_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping, Sequence, TypedDict

    from ...model.values import Data

    # Ansible sends what import statements name to nodes; `provider` imports these by their names.
    from . import apt, dnf  # noqa: F401

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
PURGED = "purged"
# After these nothing is installed.
REMOVED = (ABSENT, PURGED)
WORDS = (PRESENT, ABSENT, LATEST, PURGED)

HOLD = "hold"
NONE = "none"


class PackageProperties(Properties):
    """The properties of a package."""

    mark: str


class PackageState(State):
    """The installed package.

    - `partial`: the package manager's word for a package, counted as absent, that is installed in part: `absent`
      removes that. Empty when there is none.
    - `configuration`: the architectures of which only configuration is left.
    - `order`: -1, 0 or 1 as the installed version is older than the wanted one, the same or newer; wanted is the
      version in `ensure`, or for `latest` the candidate. None for other `ensure`.
    - `candidate`: the version of `latest`, empty when it is not known.
    - `version_before`: after `latest` was acted on, the metadata's `version` before.
    - `other_architectures`: its other installed architectures.
    - `package`: the package that is installed or changed. It has another name than the resource when that is the name
      of no package, but a name that other packages provide (decisions.md Q96).
    - `provided_by`: the installed packages that provide the name of a package to be removed; they stay.
    - `mark`: whether the package manager holds it, when the resource has `mark`; else empty.
    """

    type = "package"
    metadata: PackageMetadata
    partial: str = ""
    order: int | None = None
    candidate: str = ""
    version_before: str = ""
    other_architectures: Sequence[str] = ()
    configuration: Sequence[str] = ()
    package: str = ""
    provided_by: Sequence[str] = ()
    mark: str = ""


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
    verbs = (
        "downgrade",
        "hold",
        "install",
        "install_latest",
        "install_version",
        "purge",
        "unhold",
        "uninstall",
        "upgrade",
    )
    own_properties = (
        Property(
            "mark",
            choices=(HOLD, NONE),
            help="Whether the package manager holds it at its version; left as it is when not given.",
            extension="the original ignores mark",
        ),
    )
    provider_programs: Mapping[str, tuple[str, ...]] = {
        "apt": ("apt-get", "apt-cache", "apt-mark", "dpkg-query"),
        "dnf": ("dnf", "rpm"),
    }

    def validate(self, properties: PackageProperties) -> None:
        """Refuse names and versions that cannot be an argument of a package manager's command line.

        The format of versions depends on the provider: its `status` refuses versions that it cannot compare
        (decisions.md Q25). Refuse other values of `mark` (decisions.md Q97).
        """
        super().validate(properties)
        check_name("package", properties.name)
        check_argument("package version/ensure", "ensure", properties.ensure)
        if properties.mark:
            _check_mark(properties)

    def is_groupable(self, properties: PackageProperties) -> bool:
        """Return whether no exact version and no mark is wanted (decisions.md, Grouping of packages)."""
        return properties.ensure in WORDS and not properties.mark

    def has_changed(self, before: PackageState, after: PackageState) -> bool:
        """Return whether the version, the remains of the package or the mark differ from before."""
        changed: bool = before.metadata["version"] != after.metadata["version"]
        if before.mark != after.mark or (before.configuration and not after.configuration):
            return True
        return changed or bool(before.partial)

    def decide(self, state: PackageState, properties: PackageProperties, refresh: bool) -> Decision:
        """Return the decision, by the table in behaviour.md 8; `latest` is the candidate (decisions.md Q55, Q97).

        A hold is removed before the other change, and set after it.
        """
        decision = self._version(state, properties.ensure)
        if not properties.mark or properties.mark == state.mark:
            return decision
        if properties.mark == HOLD:
            return Decision(*decision.steps, Step("hold", "Would have held", "Held"))
        return Decision(Step("unhold", "Would have removed the hold", "Removed the hold"), *decision.steps)

    def _version(self, state: PackageState, wanted: str) -> Decision:
        if wanted in REMOVED:
            return _removal(state, wanted)
        if state.ensure == ABSENT:
            return _installation(wanted)
        if wanted == PRESENT or state.order == 0:
            return NOTHING
        if wanted == LATEST:
            if state.order is not None and state.order > 0 and state.candidate:
                wanted = state.candidate
                return Decision(Step("downgrade", f"Would have downgraded to {wanted}", f"Downgraded to {wanted}"))
            return Decision(Step("install_latest", "Would have upgraded to latest", "Upgraded to latest"))
        if state.order is not None and state.order < 0:
            return Decision(Step("upgrade", f"Would have upgraded to {wanted}", f"Upgraded to {wanted}"))
        return Decision(Step("downgrade", f"Would have downgraded to {wanted}", f"Downgraded to {wanted}"))

    def shortfall(self, state: PackageState, properties: PackageProperties) -> str:
        """Return why the package is not in the wanted state."""
        reason = mismatch(state, properties.ensure)
        if not reason and properties.mark and state.mark != properties.mark:
            reason = f"package has the mark {state.mark}, expected {properties.mark}"
        return f"{properties.ensure}: {reason}" if reason else ""


def _check_mark(properties: PackageProperties) -> None:
    if properties.mark not in (HOLD, NONE):
        raise InvalidResource(
            f'invalid mark value: {properties.mark} expects "{HOLD}" or "{NONE}"',
            property="mark",
            value=properties.mark,
        )
    if properties.mark == HOLD and properties.ensure in REMOVED:
        raise InvalidResource(
            f"a package that is {properties.ensure} cannot be held",
            property="mark",
            value=properties.mark,
            advice=f"write mark: {NONE}, or leave mark out",
        )


def _removal(state: PackageState, wanted: str) -> Decision:
    if state.ensure == ABSENT and not state.partial and not (wanted == PURGED and state.configuration):
        return NOTHING
    if wanted == PURGED:
        return Decision(Step("purge", "Would have purged", "Purged"))
    return Decision(Step("uninstall", "Would have uninstalled", "Uninstalled"))


def _installation(wanted: str) -> Decision:
    if wanted == LATEST:
        return Decision(Step("install_latest", "Would have installed latest", "Installed latest"))
    verb = "install" if wanted == PRESENT else "install_version"
    return Decision(Step(verb, f"Would have installed version {wanted}", f"Installed version {wanted}"))


def mismatch(state: PackageState, wanted: str) -> str:
    """Return how a package, after acting, differs from the wanted `ensure`, in the words of the original; "" if not.

    With `latest`, a package whose version did not change is as wanted. A package that changed to a version below the
    candidate is not (decisions.md Q55).
    """
    if wanted in REMOVED:
        return _left_over(state, wanted)
    if wanted in (PRESENT, LATEST):
        if state.ensure == ABSENT:
            return f"package is absent, expected {wanted}"
        return _below_candidate(state) if wanted == LATEST else ""
    if state.ensure == ABSENT or state.order != 0:
        return f"version mismatch: state={state.ensure} requested={wanted}"
    return ""


def _left_over(state: PackageState, wanted: str) -> str:
    if state.ensure != ABSENT:
        return f"package version {state.ensure} installed, expected {wanted}"
    if state.partial:
        return f"package is {state.partial}, expected {wanted}"
    return f"package configuration is left, expected {wanted}" if wanted == PURGED and state.configuration else ""


def _below_candidate(state: PackageState) -> str:
    is_below = state.order is not None and state.order < 0
    if not (state.candidate and is_below) or state.version_before == state.metadata["version"]:
        return ""
    return f"version {state.ensure} is below the candidate {state.candidate}"


def option_refused(name: str) -> ResourceFailed:
    """Return the error for a name like an option. `status` raises it: validation accepts it, as the original does."""
    return ResourceFailed(f"package name begins with a dash: {name}", property="name", value=name)


TYPE = PackageType()

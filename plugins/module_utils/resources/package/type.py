# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The package type: a package of the operating system, present, absent, at its latest or at one version."""

from __future__ import annotations

from ...model.resource import NOTHING, Decision, Properties, ResourceType
from ..names import check_name, check_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

    from ...model.state import State

PRESENT = "present"
ABSENT = "absent"
LATEST = "latest"
_WORDS = (PRESENT, ABSENT, LATEST)


class PackageType(ResourceType):
    """Packages (features.md 8).

    A provider's state has the installed version, or `absent`, as `ensure`, and in its metadata `version`, which tells
    whether anything changed. `known` tells, all but `partial` of an installed package:

    - `partial`: the package manager's word for a package, counted as absent, of which some is there: `absent` removes
      that. Empty or not there when there is none.
    - `order`: -1, 0 or 1 as the installed version is older than the wanted one, the same or newer. Wanted is the
      version in `ensure`, or for `latest` the candidate. Not there for other `ensure`.
    - `candidate`: after `latest` was acted on, the version that was meant; not there when it is not known.
    - `version_before`: then also the metadata's `version` before.

    The verbs are `install`, `install_latest`, `install_version`, `upgrade`, `downgrade` and `uninstall`.
    """

    name = "package"
    provider_names = ("apt", "dnf")
    provider_programs: ClassVar[dict[str, tuple[str, ...]]] = {
        "apt": ("apt-get", "apt-cache", "apt-mark", "dpkg-query"),
        "dnf": ("dnf", "rpm"),
    }

    def validate_own(self, properties: Properties) -> None:
        """Refuse names and versions that are no word for a package manager.

        What is a version depends on the provider: its `status` refuses what it cannot compare (decisions.md Q25).
        """
        check_name("package", properties.name)
        check_word("package version/ensure", "ensure", properties.ensure)

    def provider(self, name: str) -> type:
        """The provider class of a name."""
        if name == "dnf":
            from .dnf import DnfProvider

            return DnfProvider
        from .apt import AptProvider

        return AptProvider

    def is_groupable(self, properties: Properties) -> bool:
        """Whether no exact version is asked for (decisions.md, Grouping of packages)."""
        return properties.ensure in _WORDS

    def has_changed(self, before: State, after: State) -> bool:
        """Whether another version is there than before, or none, or no longer only some of it."""
        changed: bool = before.metadata["version"] != after.metadata["version"]
        return changed or bool(before.known.get("partial"))

    def decide(self, state: State, properties: Properties, refresh: bool) -> Decision:
        """The decision table of features.md 8; `latest` is settled at the candidate (decisions.md Q55)."""
        wanted = properties.ensure
        if wanted == ABSENT:
            is_gone = state.ensure == ABSENT and not state.known.get("partial")
            return NOTHING if is_gone else Decision(("uninstall",), "Would have uninstalled")
        if state.ensure == ABSENT:
            return _installation(wanted)
        if wanted == PRESENT or state.known["order"] == 0:
            return NOTHING
        if wanted == LATEST:
            return Decision(("install_latest",), "Would have upgraded to latest")
        if state.known["order"] < 0:
            return Decision(("upgrade",), f"Would have upgraded to {wanted}")
        return Decision(("downgrade",), f"Would have downgraded to {wanted}")

    def shortfall(self, state: State, properties: Properties) -> str:
        """Why the package is not what was asked for."""
        from .mismatch import mismatch

        reason = mismatch(state, properties.ensure)
        return f"{properties.ensure}: {reason}" if reason else ""


PACKAGE = PackageType()


def _installation(wanted: str) -> Decision:
    if wanted == LATEST:
        return Decision(("install_latest",), "Would have installed latest")
    verb = "install" if wanted == PRESENT else "install_version"
    return Decision((verb,), f"Would have installed version {wanted}")

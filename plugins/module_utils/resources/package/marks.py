# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Packages that the package manager holds at their version (decisions.md Q97)."""

from __future__ import annotations

from ...model.errors import ResourceFailed
from .type import ABSENT, NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from .type import PackageProperties, PackageState

# These change or remove a version that is installed.
_CHANGING = ("downgrade", "install_latest", "purge", "uninstall", "upgrade")


def require_not_held(
    verb: str, properties: PackageProperties, state: PackageState, is_held: Callable[[PackageState], bool]
) -> None:
    """Raise ResourceFailed when a verb would change a held package; `is_held` is called only for such verbs."""
    if verb not in _CHANGING or state.ensure == ABSENT or properties.mark == NONE or not is_held(state):
        return
    raise ResourceFailed(
        f"{state.package} is held at version {state.metadata['version']}, {properties.ensure} would change it",
        property="ensure",
        value=properties.ensure,
        advice=f"write mark: {NONE}, or end the hold with the package manager",
    )

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The difference of a package, in the form of Ansible's diffs."""

from __future__ import annotations

from .type import TYPE as PACKAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.values import Difference
    from .type import PackageProperties, PackageState


def differences(properties: PackageProperties, state: PackageState) -> list[Difference]:
    """Return the installed version and the wanted `ensure`, nothing when the package is stable.

    Marks that differ are below them.
    """
    if not PACKAGE.decide(state, properties, False).verbs:
        return []
    name = properties.name
    before, after = f"{name} {state.ensure}\n", f"{name} {properties.ensure}\n"
    if properties.mark and properties.mark != state.mark:
        before, after = before + f"mark: {state.mark}\n", after + f"mark: {properties.mark}\n"
    header = {"before_header": f"package {name}", "after_header": f"package {name}"}
    return [{**header, "before": before, "after": after}]

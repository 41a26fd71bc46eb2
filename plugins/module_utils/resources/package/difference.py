# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How a package will differ, as Ansible shows differences."""

from __future__ import annotations

from .type import TYPE as PACKAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.values import Difference
    from .type import PackageProperties, PackageState


def differences(properties: PackageProperties, state: PackageState) -> list[Difference]:
    """Return the version that is there and the `ensure` that is wanted, none where nothing is to be done."""
    if not PACKAGE.decide(state, properties, False).verbs:
        return []
    name = properties.name
    header = {"before_header": f"package {name}", "after_header": f"package {name}"}
    return [{**header, "before": f"{name} {state.ensure}\n", "after": f"{name} {properties.ensure}\n"}]

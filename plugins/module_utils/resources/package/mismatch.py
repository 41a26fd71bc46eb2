# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How a package that was acted on differs from what was wanted."""

from __future__ import annotations

from .type import ABSENT, LATEST, PRESENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .type import PackageState


def mismatch(state: PackageState, wanted: str) -> str:
    """How a package, after acting, differs from the `ensure` that was wanted, in the recorded words; empty when not.

    With `latest` a package that stayed at its version is what there is to have; one that moved to a version below the
    candidate is not (decisions.md Q55).
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

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How apt holds packages at their version (behaviour.md 8.1, decisions.md Q97)."""

from __future__ import annotations

from ...model.errors import ResourceFailed
from .apt_get import AptGet
from .apt_tools import last_lines, lines_of
from .type import HOLD, NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.provider import ProviderContext
    from .apt_status import StatusFile
    from .type import PackageState


def mark(state: PackageState, status: StatusFile) -> str:
    """Return the mark of the package of a state."""
    return HOLD if status.holds(*_name_and_arch(state)) else NONE


def change_mark(word: str, state: PackageState, context: ProviderContext) -> None:
    """Run apt-mark with `hold` or `unhold` for the package of a state. Raises ResourceFailed."""
    name, arch = _name_and_arch(state)
    result = AptGet(context).run(["apt-mark", word, f"{name}:{arch}" if arch not in ("", "all") else name])
    if result.exit_code:
        words = last_lines(lines_of(result.stderr))
        raise ResourceFailed(
            f"failed to {word} {state.name}, apt-mark exited {result.exit_code}" + (f": {words}" if words else ""),
            property="mark",
        )


def _name_and_arch(state: PackageState) -> tuple[str, str]:
    """Return the package of a state, and its architecture; "" when it is not installed."""
    metadata = state.metadata
    return (metadata["name"], metadata["arch"]) if "arch" in metadata else (state.package.partition(":")[0], "")

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the log says about a file that was replaced."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..model.log import Log


def warn_of_dropped(log: Log, path: str, names: Sequence[str]) -> None:
    """Log the attributes of a replaced file that the new file does not have (decisions.md Q95)."""
    log.warn("The new file does not have these attributes of the old one", file=path, attributes=", ".join(names))

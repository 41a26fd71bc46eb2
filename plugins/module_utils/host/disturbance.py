# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How often this process did what may have changed the machine, for whoever remembers how the machine was.

Also what is owed to the machine: the end of a change that others need not wait for, but may not miss.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

_times = 0
_debt: Callable[[], None] | None = None


def note() -> None:
    """Say that the machine may be another one from now on."""
    global _times
    _times += 1


def count() -> int:
    """How often that was said; what was seen at another count may be outdated."""
    return _times


def owe(debt: Callable[[], None]) -> None:
    """Have `debt` called before the next command that may change the machine, and at the end of a run at the latest."""
    global _debt
    _debt = debt


def is_owed() -> bool:
    """Whether something is owed."""
    return _debt is not None


def waive() -> bool:
    """Owe nothing any more; whether something was owed."""
    global _debt
    owed, _debt = is_owed(), None
    return owed


def settle() -> None:
    """Do what is owed."""
    debt = _debt
    if waive() and debt:
        debt()

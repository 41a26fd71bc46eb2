# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The end of a change that is put off: others need not wait for it, but may not miss it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

_debt: Callable[[], None] | None = None


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

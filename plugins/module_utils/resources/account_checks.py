# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the providers of users and groups share (behaviour.md 22, 23)."""

from __future__ import annotations

import os

from ..host.account_database import database_of
from ..host.programs import PATH, find_program
from ..model.errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping, Sequence

    from ..host.machine import Machine
    from ..model.errors import NotThereYet
    from ..model.log import Log
    from ..model.state import State
    from ..model.values import Difference

_MOST_NAMED = 3


class _Warned:
    """The files that this run warned of."""

    def __init__(self) -> None:
        self.paths: set[str] = set()


def warn_of_carriage_returns(machine: Machine, log: Log) -> None:
    """Warn once in a run of a file of accounts in which lines end with CR LF: the CR is a part of the last field."""
    for path in database_of(machine).with_carriage_returns():
        warned = machine.known(_Warned).paths
        if path not in warned:
            warned.add(path)
            log.warn(f"Lines of {path} end with CR LF, and the CR is taken as a part of their last field")


def require_able(programs: Sequence[str]) -> None:
    """Raise ResourceFailed when this process is not root, and when a program that changes accounts is missing."""
    if os.geteuid() != 0:
        raise ResourceFailed("only root can change users and groups")
    lacking = [name for name in programs if not find_program(name, PATH)]
    if lacking:
        raise ResourceFailed(
            f"{', '.join(lacking)} not found in PATH", advice="install the package passwd or shadow-utils"
        )


def expecting(error: NotThereYet, state: State) -> NotThereYet:
    """Return the error with the state that stays in noop when an earlier resource may help (decisions.md Q63)."""
    error.expected = state
    return error


def some(names: Sequence[str]) -> str:
    """Return the first of some names, and how many more there are."""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def difference(header: str, before: Mapping[str, str], after: Mapping[str, str]) -> list[Difference]:
    """Return the difference of the values that are not the same before and after, none without any."""
    changed = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    if not changed:
        return []
    return [
        {
            "before_header": header,
            "after_header": header,
            "before": {key: before[key] for key in changed if key in before},
            "after": {key: after[key] for key in changed if key in after},
        }
    ]

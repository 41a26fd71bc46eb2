# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Faults of types of other packages in calls for groups and batches.

They fail no resource, for each is managed alone then. So the log has them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.errors import CCMError
    from ..model.log import Log


class GroupFaults:
    """Faults that one provider says in its logs, each message once."""

    def __init__(self, log: Log, user_log: Log) -> None:
        self._log = log
        self._user_log = user_log
        self._said: set[str] = set()

    def say(self, error: CCMError) -> None:
        """Warn of a fault, with its traceback for --debug."""
        if error.message in self._said:
            return
        self._said.add(error.message)
        self._user_log.warn("Resources are managed one by one: a fault prevents a batch", reason=error.message)
        for line in error.traceback() if error.traceback else ():
            self._log.debug(line)


def fault_of_partition(parts: list[object], acting: list[object]) -> str:
    """Return the fault of a partition of resources, "" for none."""
    found: list[object] = []
    for part in parts:
        if not isinstance(part, (list, tuple)):
            return f"a list of {type(part).__name__}, not a list of lists"
        if not part:
            return "an empty list among its lists"
        found.extend(part)
    if len(found) != len(acting) or any(one is not other for one, other in zip(found, acting)):
        return "lists that do not have each of the acting resources once, in their order"
    return ""

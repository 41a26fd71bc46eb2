# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What is to be done about a resource: the verbs of its provider, in order, with the message of each."""

from __future__ import annotations


class Step:
    """One verb of a provider: `would` is what noop says of it, `done` what a play says of it afterwards.

    Both begin in upper case: "Would have started" and "Started". A step that is part of another one's has neither.
    """

    def __init__(self, verb: str, would: str = "", done: str = "") -> None:
        self.verb = verb
        self.would = would
        self.done = done


class Decision:
    """The `steps` to take in order, none when all is well; `separator` is put between their messages.

    `refreshed` is true when a subscribed resource's change made the decision; `settled` when the resource was as asked
    for before anything was done, which is so without steps.
    """

    def __init__(self, *steps: Step, separator: str = ", ", refreshed: bool = False, settled: bool = False) -> None:
        self.steps = steps
        self.separator = separator
        self.refreshed = refreshed
        self.settled = settled or not steps

    @property
    def verbs(self) -> tuple[str, ...]:
        """The verbs of the steps."""
        return tuple(step.verb for step in self.steps)

    @property
    def noop_message(self) -> str:
        """What would have been done."""
        return self._sentence([step.would for step in self.steps])

    @property
    def done_message(self) -> str:
        """What was done."""
        return self._sentence([step.done for step in self.steps])

    def _sentence(self, parts: list[str]) -> str:
        first, *others = [part for part in parts if part] or [""]
        if self.separator[0] != ".":
            others = [part[:1].lower() + part[1:] for part in others]
        return self.separator.join([first, *others])


NOTHING = Decision()

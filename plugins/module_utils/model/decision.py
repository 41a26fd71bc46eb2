# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The decision about a resource: the verbs of its provider to call, in order, with the message of each."""

from __future__ import annotations


class Step:
    """One verb of a provider: `would` is its message in noop, `done` its message in a play afterwards.

    Both begin in upper case: "Would have started" and "Started". A step that is part of another one has neither.
    """

    def __init__(self, verb: str, would: str = "", done: str = "") -> None:
        self.verb = verb
        self.would = would
        self.done = done


class Decision:
    """The `steps` to take in order, none when the resource is stable; `separator` is put between their messages.

    `verbs` are the verbs of the steps.

    `refreshed` is true when a subscribed resource's change made the decision, `settled` when nothing else did;
    `converged` when the resource is shown as stable, which is the case without steps. Both together are settled.
    """

    def __init__(
        self,
        *steps: Step,
        separator: str = ", ",
        refreshed: bool = False,
        settled: bool = False,
        converged: bool = False,
    ) -> None:
        self.steps = steps
        # A type of a package may give something else, which contract_checks.py refuses.
        self.verbs = tuple([step.verb for step in steps if isinstance(step, Step)])
        self.separator = separator
        self.refreshed = refreshed
        self.settled = settled or (refreshed and converged)
        self.converged = converged or not steps

    @property
    def noop_message(self) -> str:
        """The message of what would have been done."""
        return self._sentence([step.would for step in self.steps])

    @property
    def done_message(self) -> str:
        """The message of what was done."""
        return self._sentence([step.done for step in self.steps])

    def _sentence(self, parts: list[str]) -> str:
        first, *others = [part for part in parts if part] or [""]
        if self.separator[0] != ".":
            others = [part[:1].lower() + part[1:] for part in others]
        return self.separator.join([first, *others])


NOTHING = Decision()


class Update(Decision):
    """A decision that changes `parts` of a resource that exists, by the one step."""

    def __init__(self, step: Step, parts: tuple[str, ...]) -> None:
        super().__init__(step)
        self.parts = parts


def preview(decision: Decision, noop_message: str) -> str:
    """Return the message of an event in noop as plans and plays show it: of an update, its parts (Q116)."""
    if isinstance(decision, Update) and noop_message == decision.noop_message:
        return f"would update ({', '.join(decision.parts)})"
    return noop_message

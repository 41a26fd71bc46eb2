# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The messages of a decision, in noop and in a play."""

from __future__ import annotations

import pytest
from ccm.model.decision import NOTHING, Decision, Step, Update, preview

START, ENABLE = Step("start", "Would have started", "Started"), Step("enable", "Would have enabled", "Enabled")
PART = Step("flush")


@pytest.mark.parametrize(
    ("decision", "noop", "done"),
    [
        (Decision(START), "Would have started", "Started"),
        (Decision(START, ENABLE), "Would have started, would have enabled", "Started, enabled"),
        (Decision(START, ENABLE, separator=". "), "Would have started. Would have enabled", "Started. Enabled"),
        (Decision(PART, START, PART), "Would have started", "Started"),
        (Decision(PART), "", ""),
        (NOTHING, "", ""),
    ],
)
def test_the_message_has_each_step_that_says_something(decision, noop, done):
    assert (decision.noop_message, decision.done_message) == (noop, done)


def test_the_verbs_are_those_of_the_steps_in_order():
    assert Decision(ENABLE, PART, START).verbs == ("enable", "flush", "start")


@pytest.mark.parametrize(
    ("decision", "converged"),
    [(NOTHING, True), (Decision(START), False), (Decision(START, converged=True), True)],
)
def test_a_resource_is_converged_where_nothing_had_to_be_done(decision, converged):
    assert decision.converged is converged


@pytest.mark.parametrize(
    ("decision", "message", "shown"),
    [
        (Update(START, ("mode", "owner")), "Would have started", "would update (mode, owner)"),
        (Update(START, ("mode",)), "Would have done something else", "Would have done something else"),
        (Decision(START), "Would have started", "Would have started"),
    ],
)
def test_a_preview_has_the_parts_of_an_update(decision, message, shown):
    assert preview(decision, message) == shown

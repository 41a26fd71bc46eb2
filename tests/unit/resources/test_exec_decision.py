# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The decision table of the exec type, row by row (behaviour.md 6)."""

import pytest
from ccm.resources.exec.type import TYPE as EXEC
from ccm.resources.exec.type import ExecState

from .states import seen

RUN = (("execute",), "Would have executed")
REFRESH = (("execute",), "Would have executed via subscribe")
NOTHING = ((), "")


def wanted(**given):
    values = {"name": "c", "creates": "", "onlyif": "", "unless": "", "refreshonly": False, "returns": []}
    return EXEC.made({**values, **given})


def found(creates=False, exit_code=None, **guards):
    state = seen(ExecState, "c", "present", creates_satisfied=creates, **guards)
    if exit_code is not None:
        state.details["exitcode"] = exit_code
    return state


SATISFIED = {"onlyif_satisfied": True, "unless_satisfied": True}
UNSATISFIED = {"onlyif_satisfied": False, "unless_satisfied": False}
TABLE = [
    # state, wanted, what happens without a refresh
    (found(), wanted(), RUN),
    (found(creates=True), wanted(creates="/x"), NOTHING),
    (found(), wanted(creates="/x"), RUN),
    (found(**SATISFIED), wanted(onlyif="t"), RUN),
    (found(**UNSATISFIED), wanted(onlyif="f"), NOTHING),
    (found(**SATISFIED), wanted(unless="t"), NOTHING),
    (found(**UNSATISFIED), wanted(unless="f"), RUN),
    (found(onlyif_satisfied=True, unless_satisfied=False), wanted(onlyif="t", unless="f"), RUN),
    (found(**SATISFIED), wanted(onlyif="t", unless="t"), NOTHING),
    (found(creates=True, **SATISFIED), wanted(creates="/x", onlyif="t"), NOTHING),
    (found(), wanted(refreshonly=True), NOTHING),
    (found(), wanted(creates="/x", refreshonly=True), NOTHING),
]


@pytest.mark.parametrize(("state", "properties", "expected"), TABLE)
def test_table(state, properties, expected):
    decision = EXEC.decide(state, properties, refresh=False)
    assert (decision.verbs, decision.noop_message) == expected
    assert not decision.refreshed


@pytest.mark.parametrize(("state", "properties"), [row[:2] for row in TABLE])
def test_a_refresh_overrides_everything(state, properties):
    decision = EXEC.decide(state, properties, refresh=True)
    assert (decision.verbs, decision.noop_message) == REFRESH
    assert decision.refreshed


@pytest.mark.parametrize(
    ("state", "properties", "reason"),
    [
        (found(exit_code=0), wanted(), ""),
        (found(exit_code=3), wanted(returns=[2, 3]), ""),
        (found(exit_code=3, creates=True), wanted(creates="/x"), ""),
        (found(exit_code=1), wanted(), "exit code 1: exit code 1 not in allowed returns [0]"),
        (found(exit_code=0), wanted(returns=[2, 3]), "exit code 0: exit code 0 not in allowed returns [2 3]"),
        (
            found(exit_code=2, last_words=": no such thing"),
            wanted(),
            "exit code 2: exit code 2 not in allowed returns [0]: no such thing",
        ),
    ],
)
def test_reasons(state, properties, reason):
    assert EXEC.shortfall(state, properties) == reason

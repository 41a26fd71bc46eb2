# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ccm.engine.state.cause import DRIFT, MANIFEST, NEVER_CONVERGES, REFRESH, Change, cause_of, state_entry

COMMAND = {"visible": False}


@pytest.mark.parametrize(
    ("last", "change", "cause"),
    [
        pytest.param(None, Change("w", "none", "a"), MANIFEST, id="new"),
        pytest.param(["v", "a"], Change("w", "a", "b"), MANIFEST, id="the manifest changed"),
        pytest.param(["v", "a"], Change("w", "x", "b"), MANIFEST, id="the manifest and the machine changed"),
        pytest.param(["w", "a"], Change("w", "x", "a"), DRIFT, id="the machine changed"),
        pytest.param(["w:1", "a"], Change("w:2", "a", "b"), MANIFEST, id="its source changed"),
        pytest.param(["w:1", "a"], Change("w:1", "x", "a"), DRIFT, id="its source did not change"),
        pytest.param(["w:1", "a"], Change("w", "x", ""), DRIFT, id="its source is not known"),
        pytest.param(["w", "a"], Change("w:1", "x", ""), DRIFT, id="its source was not known"),
        pytest.param(["w", "a"], Change("w", "a", "b"), MANIFEST, id="what is wanted comes from elsewhere"),
        pytest.param(["w", "a"], Change("w", "a", ""), MANIFEST, id="the same in noop"),
        pytest.param(["w", "a"], Change("w", "x", ""), DRIFT, id="drift in noop"),
        pytest.param(["w", "a", "none", "a", MANIFEST], Change("w", "none", "a"), DRIFT, id="removed after run 1"),
        pytest.param(["w", "a", "x", "a", DRIFT], Change("w", "x", "a"), DRIFT, id="the same drift again"),
        pytest.param(["w", "a", "y", "a", DRIFT], Change("w", "x", "a"), DRIFT, id="another drift"),
        pytest.param(["w", "a", "x", "a", NEVER_CONVERGES], Change("w", "x", "a"), NEVER_CONVERGES, id="undone by it"),
        pytest.param(["w", "a", "a", "a", MANIFEST], Change("w", "a", "a", **COMMAND), NEVER_CONVERGES, id="no guard"),
        pytest.param(["w", "a", "a", "a", MANIFEST], Change("w", "a", "", **COMMAND), NEVER_CONVERGES, id="in noop"),
        pytest.param(["w", "a"], Change("w", "a", "a", **COMMAND), DRIFT, id="a guard that had been met"),
        pytest.param(["w", "a", "failed"], Change("w", "x", "a"), DRIFT, id="it has failed"),
        pytest.param(["w", "a", "x", "a", DRIFT, "skipped"], Change("w", "x", "a"), DRIFT, id="it was skipped"),
        pytest.param(["w", "a"], Change("w", "a", "a", is_refresh=True), REFRESH, id="only refreshed"),
        pytest.param(["v", "a"], Change("w", "a", "a", is_refresh=True), MANIFEST, id="refreshed with another command"),
    ],
)
def test_the_cause_of_a_change(last, change, cause):
    assert cause_of(change, last) == cause


def test_what_is_kept_leads_to_the_next_cause():
    first = Change("w", "a", "a", visible=False)
    entry = state_entry(first, cause_of(first, None))
    assert (entry[:2], cause_of(first, entry)) == (["w", "a"], NEVER_CONVERGES)

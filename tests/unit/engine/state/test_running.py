# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which runs may be about to change what they noted."""

from __future__ import annotations

import pytest
from ccm.engine.state.ids import Ids
from ccm.engine.state.running import RunningRuns, is_any_running
from ccm.engine.state_directory import StateDirectory
from ccm.model.log import Log


@pytest.fixture
def directory(tmp_path):
    return StateDirectory(str(tmp_path), "/m.yaml", Log())


def test_a_run_sees_another_one_until_that_ends(directory):
    ids, other_ids = Ids(), Ids()
    run, other = RunningRuns(directory, ids), RunningRuns(directory, other_ids)
    id = other_ids.new()
    assert not run.has(id)
    run.end()
    other.note()
    run.note()
    assert (run.has(id), run.has(ids.new()), is_any_running(directory)) == (True, False, True)
    other.end()
    assert (run.has(id), is_any_running(directory)) == (False, True)
    run.end()
    assert not is_any_running(directory)


def test_a_run_that_watches_begins_again(directory):
    """Another one that watches asks again in its next step, with what it read then."""
    ids = Ids()
    run, watching = RunningRuns(directory, Ids()), RunningRuns(directory, ids)
    id = ids.new()
    for _step in range(2):
        watching.note()
        assert run.has(id)
        watching.end()
        assert not run.has(id)
        run.end()

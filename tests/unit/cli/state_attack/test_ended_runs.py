# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that SIGKILL, SIGINT or SIGTERM ends at any step, or while a command runs: nothing of the state is lost.

CCM_STATE_KILLS is the number of kills, CCM_STATE_SIGNALS of the other two signals.
"""

from __future__ import annotations

import os
import signal

import pytest

from tests.patience import LIMIT, PATIENCE
from tests.unit.cli.state_attack.ended import KINDS, ended_runs

pytestmark = pytest.mark.starts_processes

KILLS = int(os.environ.get("CCM_STATE_KILLS", "8"))
SIGNALS = int(os.environ.get("CCM_STATE_SIGNALS", "8"))


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("count", "numbers"),
    [(KILLS, [signal.SIGKILL]), (SIGNALS, [signal.SIGINT, signal.SIGTERM])],
    ids=["killed", "another signal"],
)
@pytest.mark.timeout(LIMIT + PATIENCE * max(KILLS, SIGNALS))
def test_a_run_that_a_signal_ends_loses_nothing(ccm, tmp_path, kind, count, numbers):
    ended_runs(ccm, tmp_path, kind, count // len(KINDS), numbers)

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs killed at any step, or while a command runs: the state stays right, and nothing of it is lost.

CCM_STATE_KILLS is the number of kills.
"""

from __future__ import annotations

import os
import signal

import pytest

from tests.patience import LIMIT, PATIENCE
from tests.unit.cli.state_attack.ended import KINDS, ended_runs

pytestmark = pytest.mark.starts_processes

KILLS = int(os.environ.get("CCM_STATE_KILLS", "8"))


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.timeout(LIMIT + PATIENCE * KILLS)
def test_a_killed_run_loses_nothing(ccm, tmp_path, kind):
    ended_runs(ccm, tmp_path, kind, KILLS // len(KINDS), [signal.SIGKILL])

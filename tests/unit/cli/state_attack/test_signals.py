# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that one SIGINT or SIGTERM ends at any step, or while a command runs: the same holds as after kills.

CCM_STATE_SIGNALS is the number of signals.
"""

from __future__ import annotations

import os
import signal

import pytest

from tests.patience import LIMIT, PATIENCE
from tests.unit.cli.state_attack.ended import KINDS, ended_runs

pytestmark = pytest.mark.starts_processes

SIGNALS = int(os.environ.get("CCM_STATE_SIGNALS", "8"))


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.timeout(LIMIT + PATIENCE * SIGNALS)
def test_a_run_that_a_signal_ends_loses_nothing(ccm, tmp_path, kind):
    ended_runs(ccm, tmp_path, kind, SIGNALS // len(KINDS), [signal.SIGINT, signal.SIGTERM])

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The test kit for authors of types, `ccm.testing` (docs/writing-a-type.md, Tests).

It raises AssertionError, and works with each test framework; `fake_program` and `recorded_log` are fixtures of pytest.
"""

from __future__ import annotations

from .test_kit.decision_table import DecisionRow, decision_rows
from .test_kit.fixtures import fake_program, recorded_log
from .test_kit.provider_contract import check_provider
from .test_kit.recorded_log import RecordedLog

__all__ = ["DecisionRow", "RecordedLog", "check_provider", "decision_rows", "fake_program", "recorded_log"]

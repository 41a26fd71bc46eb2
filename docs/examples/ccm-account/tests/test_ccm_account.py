# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
import os
import pathlib

import pytest
from ccm.testing import check_provider, decision_rows
from ccm_account import TYPE, AccountState

HERE = pathlib.Path(__file__).parent
STEPS = [
    {"name": "alice", "ensure": "present", "uid": "4711", "comment": "Alice", "managehome": True},
    {"name": "alice", "ensure": "present", "shell": "/bin/sh", "groups": ["daemon"]},
    {"name": "alice", "ensure": "absent", "managehome": True},
]


@pytest.mark.parametrize("row", decision_rows(TYPE, AccountState, HERE / "decisions.yaml"), ids=str)
def test_decisions(row):
    row.check()


@pytest.mark.skipif("CCM_TEST_HOST" not in os.environ, reason="adds a user: set CCM_TEST_HOST=1 on a host for tests")
def test_the_provider():
    check_provider(TYPE, STEPS)

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Expressions where a front end has no environment for them."""

from __future__ import annotations

import pytest
from ccm.data.environment import Environment
from ccm.engine.transaction import run_transaction
from ccm.model.environment import require_environment
from ccm.model.errors import ResourceFailed

from tests.unit.engine.lamp_type import context, lamp


def test_control_fails_without_an_evaluator_of_expressions():
    event = run_transaction(lamp("desk", control={"if": "true", "unless": ""}), context(environment=None))
    assert event.errors == ["expressions are not supported here"]


def test_an_environment_is_returned_and_none_is_an_error():
    environment = Environment()
    assert require_environment(environment) is environment
    with pytest.raises(ResourceFailed, match=r"^expressions are not supported here$"):
        require_environment(None)

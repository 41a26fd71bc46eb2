# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module of a type of another collection; tests/integration runs it in plays."""

from __future__ import annotations

import json

import pytest
from ccm.ansible_tasks.type_module import run_type
from ccm.model.simple_type import SimpleType


class LampType(SimpleType):
    name = "lamp"
    contract = 0

    def decide(self, state, properties, refresh):
        raise NotImplementedError


def test_a_type_that_cannot_be_used_fails_the_task(capsys):
    with pytest.raises(SystemExit) as ended:
        run_type(None, LampType())
    result = json.loads(capsys.readouterr().out)
    assert (ended.value.code, result["failed"]) == (1, True)
    assert "resource type lamp of the collection" in result["msg"]
    assert result["msg"].endswith("cannot be used: it is for contract 0, and this is contract 1")

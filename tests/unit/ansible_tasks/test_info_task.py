# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that only read: their result, their errors and their warnings."""

from __future__ import annotations

import pytest
from ccm.ansible_tasks.fact_warnings import FACT_WARNINGS
from ccm.ansible_tasks.info_task import run_info
from ccm.host.errors import HostError
from ccm.model.errors import DataError

from .module import ran


def test_the_result_is_what_was_read():
    assert ran(lambda module: run_info(module, lambda _log, _of_facts: {"found": {"b": b"x"}}), {}, {}) == {
        "changed": False,
        "found": {"b": "x"},
        "warnings": [],
    }


@pytest.mark.parametrize(
    "error", [DataError("wrong"), HostError("wrong"), ValueError("wrong"), RecursionError("wrong")]
)
def test_an_error_is_one_message(error):
    def read(log, of_facts):
        of_facts.warn("a file of facts")
        log.warn("careful")
        raise error

    result = ran(lambda module: run_info(module, read), {}, {})
    assert (result["failed"], result["changed"], result["warnings"]) == (True, False, ["careful"])
    assert result[FACT_WARNINGS] == ["a file of facts"]
    assert result["msg"].endswith("wrong")

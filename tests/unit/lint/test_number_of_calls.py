# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of lint with many errors, as the number of function calls: time depends on the machine."""

from __future__ import annotations

import sys

import pytest
from ccm.lint.check import findings

from tests.bench.lint import FAULTS, manifest

# The limit for a resource with three errors: it was above 1500, and is 540 to 760 with all checks.
MOST = 800


def number_of_calls(text):
    """Return the number of function calls while a manifest is linted."""
    count = 0

    def called(_frame, event, _argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(called)
    try:
        found = findings(text.encode(), "m.yaml", "/nonexistent")
    finally:
        sys.setprofile(None)
    return count, len(found)


@pytest.mark.parametrize("faults", FAULTS)
def test_work_grows_linearly_with_the_number_of_resources(faults):
    few, found = number_of_calls(manifest(faults, 50))
    many, found_in_many = number_of_calls(manifest(faults, 200))
    assert (found, found_in_many) == (150, 600)
    print(f"{faults}: {(many - few) / 150:.0f} calls for each resource")
    assert (many - few) / 150 < MOST

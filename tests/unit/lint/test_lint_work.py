# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much work lint has with many faults, counted in calls of functions: time depends on the machine."""

from __future__ import annotations

import sys

import pytest
from ccm.lint.check import findings

from tests.bench.lint import FAULTS, manifest

# What a resource with three faults may take: it was 1500 and more, and is 460 to 590.
MOST = 750


def work(text):
    """How many functions are called while a manifest is looked through."""
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
def test_work_grows_with_the_number_of_resources_and_no_faster(faults):
    few, found = work(manifest(faults, 50))
    many, found_in_many = work(manifest(faults, 200))
    assert (found, found_in_many) == (150, 600)
    print(f"{faults}: {(many - few) / 150:.0f} calls for each resource")
    assert (many - few) / 150 < MOST

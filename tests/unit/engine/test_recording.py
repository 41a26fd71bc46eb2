# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines and events of a resource are kept together until it is done."""

from __future__ import annotations

import pytest

from tests.unit.manifest.runs import loaded, ran


@pytest.mark.starts_processes
def test_the_lines_of_two_resources_are_not_mixed():
    resources = "\n".join(
        f"- exec: {{name: sh -c 'echo {number}; sleep 0.05; echo {number}', logoutput: true}}" for number in range(6)
    )
    _events, log = ran(loaded(resources, parallel="6"))
    said = [line for line in log if line in "012345"]
    assert sorted(said) == sorted("001122334455")
    assert said[::2] == said[1::2]

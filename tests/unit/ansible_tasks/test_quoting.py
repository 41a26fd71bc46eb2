# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of options that YAML read as something else than text."""

from __future__ import annotations

import datetime

import pytest
from ccm.ansible_tasks.quoting import NotQuoted, check_version, written_mode


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([1], "mode is a list"),
        ({"a": 1}, "mode is a mapping"),
        (datetime.date(2026, 1, 2), "mode is a date"),
        (True, "mode is the boolean true"),
        (None, "mode is nothing"),
        (0.5, "mode is the number 0.5"),
    ],
)
def test_modes(value, said):
    with pytest.raises(NotQuoted) as caught:
        written_mode(value)
    assert str(caught.value) == f'{said}: quote it, like mode: "0644"'


@pytest.mark.parametrize(
    ("value", "kind"),
    [([1], "a list"), ({"a": 1}, "a mapping"), (datetime.date(2026, 1, 2), "a date"), (90, "the number 90")],
)
def test_versions(value, kind):
    with pytest.raises(NotQuoted) as caught:
        check_version("ensure", value)
    assert str(caught.value) == f"ensure is text, and YAML made {kind} of what is written there: quote it"

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that JSON cannot hold are found at every place in a value."""

from __future__ import annotations

import pytest
from ccm.model.finite import non_finite_message, path_of_non_finite

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (NAN, ()),
        (-INF, ()),
        ({"a": 1.5, "b": [0, {"c": INF}]}, ("b", 1, "c")),
        ([[], [1.0, NAN]], (1, 1)),
        ({"a": INF, "b": NAN}, ("a",)),
        (1.7976931348623157e308, None),
        (10**400, None),
        ({"a": "nan", "b": [None, True, -1]}, None),
        ({}, None),
    ],
)
def test_the_path_of_the_first_one(value, path):
    assert path_of_non_finite(value) == path


def test_the_message_counts_entries_from_one():
    message = "data.sizes.2.max must be a finite number: neither .nan nor .inf can be recorded"
    assert non_finite_message(("data", "sizes", 1, "max")) == message


def test_data_of_a_manifest_is_refused_with_its_place(ccm, tmp_path):
    text = "ccm:\n  resources:\n    - apply:\n        name: child.yaml\n        data:\n          sizes: [1, .inf]\n"
    (tmp_path / "m.yaml").write_text(text)
    ran = ccm("apply", "--noop", "m.yaml")
    assert "data.sizes.2 must be a finite number" in ran.err
    assert "m.yaml:6:22" in ran.err

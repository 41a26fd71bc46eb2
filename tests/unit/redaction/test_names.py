# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values with names of secrets are hidden in events, and others are not."""

from __future__ import annotations

import pytest
from ccm.redaction.names import without_named_secrets


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            ["DB_PASSWORD=x=y", "API-KEY=z", "MAX_TOKENS=5", "PASSWORD"],
            ["DB_PASSWORD=REDACTED", "API-KEY=REDACTED", "MAX_TOKENS=5", "PASSWORD"],
        ),
        (
            {"db": {"password": "x", "user": "y"}, "tokens": "z", "secret": ""},
            {"db": {"password": "REDACTED", "user": "y"}, "tokens": "z", "secret": ""},
        ),
        ({"list": [{"token": "x"}, "a=b"], "token": 5}, {"list": [{"token": "REDACTED"}, "a=b"], "token": 5}),
        ({5: "x", "authToken": "x"}, {5: "x", "authToken": "REDACTED"}),
    ],
)
def test_values_with_names_of_secrets_are_hidden(value, expected):
    assert without_named_secrets(value) == expected

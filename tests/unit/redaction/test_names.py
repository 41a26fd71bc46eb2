# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is called like a secret is hidden in events, and nothing else."""

from __future__ import annotations

import pytest
from ccm.redaction.names import without_named_secrets


@pytest.mark.parametrize(
    ("value", "shown"),
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
def test_what_is_called_like_a_secret_is_hidden(value, shown):
    assert without_named_secrets(value) == shown

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets in texts and rules of goss are hidden."""

from __future__ import annotations

import pytest
from ccm.redaction.goss_rules import without_rule_secrets
from ccm.redaction.names import without_credentials


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://u:p@h/x", "http://REDACTED@h/x"),
        ("http://u:p q@h?x@y", "http://REDACTED@h?x@y"),
        ("http://h/a@b", "http://h/a@b"),
        ("a://u:p@h and b://c:d@e#f", "a://REDACTED@h and b://REDACTED@e#f"),
        ("curl http://u:p#q@h/x y@z", "curl http://REDACTED@h/x y@z"),
        ("curl http://h -u me@x", "curl http://h -u me@x"),
        ("http://h/?next=http://u:p@i/", "http://h/?next=http://REDACTED@i/"),
        ('Get "http://u:p@h"', 'Get "http://REDACTED@h"'),
        ("me@home", "me@home"),
        ("", ""),
    ],
)
def test_credentials_of_urls_are_hidden(text, expected):
    assert without_credentials(text) == expected


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({"http": {"http://u:p@h/": None}}, {"http": {"http://REDACTED@h/": None}}),
        ({"password": "p", "username": "u", "status": 200}, {"password": "REDACTED", "username": "u", "status": 200}),
        ({"password": 12}, {"password": "REDACTED"}),
        ({"token": {"running": True}, "password": ""}, {"token": {"running": True}, "password": ""}),
        ({"secret": True, 5: "x"}, {"secret": True, "5": "x"}),
        ({"request-headers": ["A: b", "A b: c", "A", 5]}, {"request-headers": ["A: REDACTED", *["REDACTED"] * 3]}),
        ({"request-headers": "A: b"}, {"request-headers": "REDACTED"}),
        ({"request-body": "a=b", "proxy": "http://u:p@h"}, {"request-body": "REDACTED", "proxy": "http://REDACTED@h"}),
    ],
)
def test_secrets_of_rules_are_hidden(rules, expected):
    assert without_rule_secrets(rules) == expected

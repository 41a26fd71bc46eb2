# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Visible parts of the lines of a file."""

from __future__ import annotations

import pytest
from ccm.redaction.lines import Hiding, split, visible

from tests.bench.growth import LINES

KEY = ["-----BEGIN PRIVATE KEY-----", "MIIEsecret", "-----END PRIVATE KEY-----"]


def visible_lines(*lines, secrets=()):
    return Hiding(secrets).lines("\n".join(lines))


def test_hidden_lines_stay_lines():
    assert visible_lines("a", "TOKEN: x y", "hunter22!", "api-key=1", secrets={"hunter22"}) == [
        "a",
        "TOKEN: REDACTED",
        "REDACTED!",
        "api-key=REDACTED",
    ]


@pytest.mark.parametrize(
    ("line", "hidden"),
    [
        ("mysql://u:p@ss-alpha16@host/db@x", "mysql://REDACTED@host/db@x"),
        ("a http://u:p@h/ b ftp://v@w", "a http://REDACTED@h/ b ftp://REDACTED@w"),
        ("PASSWORD alpha16", "PASSWORD REDACTED"),
        ("  export DB_PASSWORD 'alpha 16'", "  export DB_PASSWORD REDACTED"),
        ('admin_token "alpha 16" ;', "admin_token REDACTED ;"),
        ("machine h login u password alpha16", "machine h login u password REDACTED"),
        ("run --password alpha16 --user u", "run --password REDACTED --user u"),
        ("run -dbpassword alpha16", "run -dbpassword REDACTED"),
        ("<password>alpha16</password>", "<password>REDACTED</password>"),
        ('<a:dbPassword kind="x"> alpha16 </a:dbPassword>', '<a:dbPassword kind="x">REDACTED</a:dbPassword>'),
        ("<pass>alpha16</pass>", "<pass>REDACTED</pass>"),
        ("pwd: alpha16", "pwd: REDACTED"),
        ("pass = alpha16", "pass = REDACTED"),
        ("DB_PASS=alpha16", "DB_PASS=REDACTED"),
        ('{"pwd": "alpha16"}', '{"pwd": REDACTED'),
        ("password => 'alpha16'", "password => REDACTED"),
        ("password = alpha16\r", "password = REDACTED"),
        ("Authorization: Bearer alpha16", "Authorization: REDACTED"),
    ],
)
def test_values_with_names_of_secrets_are_hidden(line, hidden):
    assert visible_lines(line) == [hidden]


@pytest.mark.parametrize(
    "line",
    [
        "PasswordAuthentication no",
        "PermitEmptyPasswords no",
        "%admins ALL=(ALL) NOPASSWD: /usr/bin/apt",
        "password required",
        "token {",
        "password required pam_unix.so",
        "PWD=/home/u",
        "OLDPWD = '/home/u'",
        "passive: true",
        "compass = north",
        "proxy_pass http://backend;",
        "  proxy_pass: http://a:8080",
        "by_pass: 1",
        'if [ "$pass" = 1 ] && rm -rf /a; then',
        "tls_private_key /etc/new.pem",
        "pwd=$(pwd)",
        "tests_pass = true",
        "max_token 5",
        "the password is asked for",
        "run --password --user u",
        "run --password-file /etc/p",
        "<password></password>",
        "token:",
        "https://host/a@b",
        "text: |",
        "-----BEGIN CERTIFICATE-----",
    ],
)
def test_text_without_secrets_is_shown(line):
    assert visible_lines(line, "next") == [line, "next"]


def test_multiline_texts():
    assert visible_lines("token: |", "  alpha16", "", "    beta16", "port: 1") == [
        *("token: REDACTED", "REDACTED", "", "REDACTED", "port: 1"),
    ]
    assert visible_lines("- - db_token: !vault >-  # why", "    alpha", "    port: 1") == [
        *("- - db_token: REDACTED", "    alpha", "    port: 1"),
    ]
    assert visible_lines("  - pwd: |2", "      alpha16", "    port: 1") == [
        "  - pwd: REDACTED",
        "REDACTED",
        "    port: 1",
    ]


def test_private_keys():
    hidden = [KEY[0], "REDACTED", KEY[2]]
    assert visible_lines(*KEY, "next") == [*hidden, "next"]
    assert visible_lines(*(f"  {line}" for line in KEY), "next") == [f"  {KEY[0]}", "REDACTED", f"  {KEY[2]}", "next"]
    assert visible_lines("x: " + "\\n".join(KEY), "next") == [f"x: {KEY[0]}REDACTED{KEY[2]}", "next"]
    assert visible_lines(KEY[0] + "alpha16", "beta16", "gamma16" + KEY[2] + " PASS=x") == [
        *(KEY[0] + "REDACTED", "REDACTED", "REDACTED" + KEY[2] + " PASS=REDACTED"),
    ]
    assert visible_lines("-----BEGIN PGP PRIVATE KEY BLOCK-----", "alpha16") == [
        *("-----BEGIN PGP PRIVATE KEY BLOCK-----", "REDACTED"),
    ]


def test_multiline_secrets():
    assert visible_lines("a alpha16", "beta16", "abc", secrets={"alpha16\n  beta16\nabc\n"}) == [
        "a REDACTED",
        "REDACTED",
        "abc",
    ]


def test_terminal_escapes_are_quoted():
    assert visible("\x1b[31m\t\u00e9\u202e\x7f\udcff\r") == "\\x1b[31m\t\u00e9\\u202e\\x7f\\xff\\r"
    assert visible_lines("a\x1bb", "PASS=\x1b") == ["a\\x1bb", "PASS=REDACTED"]


def test_line_endings_are_normalised():
    assert split("") == []
    assert split("\n") == [""]
    assert split("a\x0bb\u2028c\r\nd") == ["a\x0bb\u2028c\r", "d"]


@pytest.mark.parametrize("line", LINES)
def test_long_lines_are_processed(line):
    """With the square of their length in steps a test would take longer than it may."""
    assert len(visible_lines(line * (400_000 // len(line)), "x")) == 2


def test_only_a_line_feed_ends_a_secret():
    assert visible_lines("x al\fpha\u2028be\vta y", secrets={"al\fpha\u2028be\vta"}) == ["x REDACTED y"]

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets in commands, variables and URLs are hidden, and other text is not."""

from __future__ import annotations

import pytest
from ccm.redaction.commands import hidden_text, hidden_variable
from ccm.redaction.faults import holds_secret
from ccm.redaction.names import is_secret
from ccm.redaction.texts import without_text_secrets
from hypothesis import given
from hypothesis import strategies as st

from tests.bench.growth import WORDS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("curl https://u:pa/ss?x#y@h/p", "curl https://REDACTED@h/p"),
        ("curl 'https://h/p?a=1&token=abc&b=2'", "curl 'https://h/p?a=1&token=REDACTED&b=2'"),
        ("https://h/x?access_token=abc#part", "https://h/x?access_token=REDACTED#part"),
        ("DB_PASSWORD=abc x --y", "DB_PASSWORD=REDACTED x --y"),
        ('SECRET_X="a b" x', "SECRET_X=REDACTED x"),
        ("env 'TOKEN_FOO=a b' x", "env 'TOKEN_FOO=REDACTED' x"),
        ("mysql --password=abc -u x", "mysql --password=REDACTED -u x"),
        ("mysql --password 'a b' -u x", "mysql --password REDACTED -u x"),
        ("x --token a\\ b c", "x --token REDACTED c"),
        ('sh -c "mysql --password=x -u y" && z', 'sh -c "mysql --password=REDACTED -u y" && z'),
        ("curl -H 'Authorization: Bearer a b' h", "curl -H 'Authorization: REDACTED' h"),
        ('curl -d \'{"password":"a","user":"x"}\' h', 'curl -d \'{"password":"REDACTED","user":"x"}\' h'),
        ("x --password 'never closed", "x --password REDACTED"),
        ("MYSQL_PWD=abc DB_PASS=abc x", "MYSQL_PWD=REDACTED DB_PASS=REDACTED x"),
        ("x --pass abc --pass=abc -pass 'a b' y", "x --pass REDACTED --pass=REDACTED -pass REDACTED y"),
        ("https://h/?pass=abc", "https://h/?pass=REDACTED"),
        ("curl -H Authorization:abc -H X-Api-Key:abc h", "curl -H Authorization:REDACTED -H X-Api-Key:REDACTED h"),
        ("curl --header Cookie:abc h", "curl --header Cookie:REDACTED h"),
        ("curl -u me:abc h", "curl -u me:REDACTED h"),
        ("curl -s -ume:abc h", "curl -s -ume:REDACTED h"),
        ("curl --user 'me:a' --proxy-user=p:b h", "curl --user 'me:REDACTED' --proxy-user=p:REDACTED h"),
        (
            "curl -sSfu me:abc h --user 'me:a b' -u \"a{b:c\" h",
            "curl -sSfu me:REDACTED h --user 'me:REDACTED' -u \"a{b:REDACTED\" h",
        ),
        ("/usr/bin/curl -U me:abc -u you:abc h", "/usr/bin/curl -U me:REDACTED -u you:REDACTED h"),
        ("curl http://u:12/abc@host/x", "curl http://REDACTED@host/x"),
        ("curl http://u:ab@cd@host/x", "curl http://REDACTED@host/x"),
        ("curl http://u:12/abc@h.example", "curl http://REDACTED@h.example"),
        ("curl http://u:12/a/b?c@host:80/x h", "curl http://REDACTED@host:80/x h"),
    ],
)
def test_secrets_in_a_command_are_hidden(text, expected):
    assert without_text_secrets(text) == expected
    assert without_text_secrets(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        "curl https://h:80/a@b",
        "curl https://h.example:80/a@b/c https://localhost:80/a@b/c https://h:80/@scope/a@1.2/x",
        "docker run -u 1000:1000 --user root:root curlimages/x",
        "curl -u me:{{ Data.password }} -o /x:y h",
        "PWD=/x OLDPWD=/x proxy_pass=x pass=3 --pass --x --bypass x",
        "docker run registry/token:latest x Authorization:x",
        "npm install @scope/token",
        "docker login --password-stdin u",
        "x --token-file /etc/token --no-password y",
        "PASSWORD={{ Data.password }} x",
        "unexpected token: abc",
        "TOKEN_TTL=5 MAX_TOKENS=3 PASSWORD_FILE=/x x",
        "test $PASSWORD = x",
    ],
)
def test_text_without_secrets_is_shown(text):
    assert without_text_secrets(text) == text


@pytest.mark.parametrize(
    ("variable", "expected"),
    [
        ("SECRET_X=a b", "SECRET_X=REDACTED"),
        ("DB_PASSWORD_2=a=b", "DB_PASSWORD_2=REDACTED"),
        ("MYSQL_PWD=a b", "MYSQL_PWD=REDACTED"),
        ("SECRET={{ Data.x }}", "SECRET={{ Data.x }}"),
        ("URL=https://u:p/q@h", "URL=https://REDACTED@h"),
        ("PASSWORD_FILE=/a b", "PASSWORD_FILE=/a b"),
    ],
)
def test_secrets_in_variables_are_hidden(variable, expected):
    assert hidden_variable(variable) == expected


def test_names_of_secrets():
    for name in ("SECRET_X", "TOKEN_FOO", "DB_PASSWORD_2", "api-key", "authToken", "AWS_SECRET_ACCESS_KEY"):
        assert is_secret(name), name
    for name in ("SECRET_FILE", "TOKEN_PATH", "PASSWORD_MIN_LENGTH", "secretary", "TOKENS", "CREDENTIALS_DIR", 5):
        assert not is_secret(name), name


@given(
    st.text("ab =:/?#&@'\"\\-{}") | st.lists(st.sampled_from(["--token", "X_SECRET=", " ", "'", '"', "a"])).map("".join)
)
def test_hidden_texts_stay_as_they_are(text):
    expected = hidden_text(text)
    assert hidden_text(expected) == expected


@pytest.mark.parametrize("part", WORDS)
def test_long_texts_are_processed(part):
    """With the square of their length in steps a test would take longer than it may."""
    text = "token " + part * ((1 << 20) // len(part))
    hidden_text(text)
    holds_secret(text)
    hidden_text(text + " }}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9token=x -token=x a-token=x", "9token=REDACTED -token=REDACTED a-token=REDACTED"),
        ("\u00e9token=x", "\u00e9token=REDACTED"),
        ("--\u00e9-token x", "--\u00e9-token REDACTED"),
        ("tokentoken=token=x y=z", "tokentoken=REDACTED y=z"),
        ("token={{ token=x }}", "token={{ token=REDACTED }}"),
        ('"token":"{{ }}" \'token=a b\'', '"token":"{{ }}" \'token=REDACTED\''),
        ("--password \\' --password \\' x", "--password REDACTED --password REDACTED x"),
    ],
)
def test_names_begin_with_the_first_letter_of_their_word(text, expected):
    assert hidden_text(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"token": "a b", "x": 1}', '{"token": "REDACTED", "x": 1}'),
        ('{"token":"a"}', '{"token":"REDACTED"}'),
        ("{'password' : 'a', 'x': 1}", "{'password' : 'REDACTED', 'x': 1}"),
    ],
)
def test_secrets_in_output_are_hidden(text, expected):
    assert hidden_text(text) == expected
    assert hidden_text(expected) == expected

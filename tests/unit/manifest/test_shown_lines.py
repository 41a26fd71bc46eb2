# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of secret properties are hidden in each error, in each output format (decisions.md Q38)."""

from __future__ import annotations

import json

import pytest
from ccm.lang.yaml import load
from ccm.manifest.shown_lines import ShownLines
from ccm.manifest.transport import pack, unpack

COMMANDS = (
    ("apply", "--noop"),
    ("apply", "--noop", "--log-format", "json"),
    ("plan",),
    ("plan", "--json"),
    ("lint",),
    ("lint", "--json"),
)
REST = "ensure: present, url: 'http://localhost/x.tgz', owner: root, group: root"


def archive(*lines):
    """A manifest with one archive that has these properties."""
    head = ["ccm:", "  resources:", "  - archive:", "    - /tmp/x.tgz:", f"        <<: {{{REST}}}"]
    return "\n".join([*head, *(f"        {line}" for line in lines), ""])


def flow(properties):
    return f"ccm:\n  resources:\n  - archive:\n    - /tmp/x.tgz: {{{REST}, {properties}}}\n"


FAULTY = {
    "list for headers": archive("headers: [hunter2]"),
    "list for a header": archive('headers: {"X-Key": [hunter2]}'),
    "block": archive("headers:", "  X-Key:", "    - hunter2"),
    "list for a password": archive("password: [hunter2]"),
    "neighbour in front": flow("cleanup: maybe, headers: {X-Key: hunter2}"),
    "neighbour behind": flow("headers: {X-Key: hunter2}, cleanup: maybe"),
    "defaults": "ccm:\n  resources:\n  - archive:\n    - defaults: {headers: {X-Key: [hunter2]}}\n    - /x.tgz: {}\n",
    "alias": "data: {x: &x [hunter2]}\n" + archive("headers: *x"),
    "type that there is not": "ccm: {resources: [archiv: {headers: {X: hunter2}, password: hunter2}]}\n",
    "expression that does not compile": archive('password: "{{ hunter2( }}"'),
    "one in lines": archive("password: |", "  a", "  b{{ hunter2( }}"),
    "one in headers": archive('headers: {X-Key: "{{ hunter2( }}"}'),
    "expression that fails": archive("""password: "{{ lookup('hunter2') }}" """),
    "template in an expression": archive("password: '{{ template(\"{{ hunter2( }}\") }}'"),
    "number": archive("password: 0x68756e74657232", "cleanup: maybe"),
    "not YAML": archive('password: "hunter2\\q"'),
    "not YAML in a block": archive("headers:", '- X: "hunter2\\q"'),
    "not YAML far below": archive("headers:", "  X: a", "", '  Y: "hunter2\\q"'),
    "not of the tag": archive("headers: {X: !!int hunter2}"),
    "data": "data:\n  db_password: {a: [}\n  b: 'hunter2",
}
# Data with invalid YAML or JSON; each text is a manifest too.
BROKEN = {
    "private key": (
        "data:\n  key: |\n    -----BEGIN PRIVATE KEY-----\n    abcd\n  hunter2\n    -----END PRIVATE KEY-----\n"
    ),
    "block": "data:\n  token: |\n    abcd\n\n  hunter2\n  other: x\n",
    "block at the margin": "data:\n  token: |\n    abcd\nhunter2\n",
    "list": 'data:\n  db_password:\n  - "hunter2\\q"\n',
    "list of lists": 'data:\n  db_password:\n  - a\n  - - "hunter2\\q"\n',
    "flow": 'data: {db_password: [\n  a, "hunter2\\q"]}\n',
    "quotes": 'data:\n  db_password: "a\n  hunter2\\q"\n',
    "tag": "data:\n  db_password:\n    !!int hunter2\n",
    "tag below": "data:\n  credentials:\n    x: !!int hunter2\n",
    "JSON": '{"data": {"db_password":\n"hunter2\\q"}}',
}


@pytest.mark.parametrize("text", FAULTY.values(), ids=FAULTY)
def test_errors_hide_secrets(ccm, tmp_path, text):
    (tmp_path / "m.yaml").write_text(text)
    for command, *options in COMMANDS:
        ran = ccm(command, "m.yaml", *options)
        output = ran.out + ran.err
        assert "m.yaml" in output
        assert ran.status or command == "lint"
        assert "hunter2" not in output
        assert "68756e74657232" not in output


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_errors_of_invalid_documents_hide_secrets(ccm, tmp_path, text):
    (tmp_path / "m.yaml").write_text(text)
    (tmp_path / "good.yaml").write_text("ccm: {resources: [exec: {name: 'true'}]}\n")
    for command, *options in COMMANDS:
        ran = ccm(command, "m.yaml", *options)
        assert ran.status
        assert "m.yaml" in ran.out + ran.err
        assert "hunter2" not in ran.out + ran.err, (command, options)
        ran = ccm(command, "good.yaml", *options, "--hiera", "m.yaml")
        assert ran.status
        assert "hunter2" not in ran.out + ran.err, (command, options)
    ran = ccm("hiera", "parse", "m.yaml")
    assert ran.status
    assert "hunter2" not in ran.out + ran.err


def test_invalid_lines_beside_secrets_are_shown(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text('data:\n  db_password: |\n    a\n  x: "not hidden\\q"\n')
    assert "not hidden" in ccm("apply", "m.yaml").err
    assert "not hidden" in ccm("hiera", "parse", "m.yaml").err


def test_only_the_value_is_hidden(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(flow("headers: {X-Key: hunter2, Y: z}, cleanup: maybe").replace(REST, "url: x"))
    message = ccm("plan", "m.yaml").err.splitlines()
    assert message[1] == "  at m.yaml:4:70 (cleanup of archive#/tmp/x.tgz)"
    assert message[2] == "    4 |     - /tmp/x.tgz: {url: x, headers: REDACTED, cleanup: maybe}"
    assert message[3].index("^") == message[2].index("maybe")


def test_the_caret_is_below_the_hidden_value(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(archive("headers: {X-Key: [hunter2]}"))
    message = ccm("plan", "m.yaml").err.splitlines()
    assert message[1] == "  at m.yaml:6:26 (headers of archive#/tmp/x.tgz)"
    assert message[3].index("^") == message[2].index("REDACTED")


def test_lines_around_secrets_are_shown(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(archive("password: hunter2", "cleanup: maybe", "headers: {}"))
    assert "7 |         cleanup: maybe" in ccm("plan", "m.yaml").err


def test_an_error_that_quotes_an_expression_with_a_secret_is_replaced(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(archive('headers: {X-Key: "{{ hunter2( }}"}'))
    message = ccm("plan", "m.yaml").err
    assert "resolving field Headers[X-Key]: an expression in it cannot be compiled or evaluated" in message
    assert "  the reason is not shown, for it may quote the secret" in message
    [found] = json.loads(ccm("lint", "m.yaml", "--json", "--no-portability").out)["findings"]
    assert found["message"] == "an expression of headers is wrong"
    assert (found["line"], found["column"]) == (6, 37)


def test_a_file_that_contains_a_secret_is_named(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(archive("""password: "{{ file('missing') }}" """))
    assert "there is no file missing next to the manifest" in ccm("lint", "m.yaml").out


def test_advice_does_not_quote_numbers(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(archive("password: 012345", "username: 012345"))
    message = ccm("lint", "m.yaml", "--portability").out
    assert "warning: the original reads this number without quotes otherwise: write it in quotes" in message
    assert message.count("012345") == 2  # the user name is not a secret: in its advice and in its line


def test_tagged_text_is_replaced_in_messages(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(FAULTY["not of the tag"])
    assert 'm.yaml is not YAML: cannot read "REDACTED" as !!int' in ccm("plan", "m.yaml").err


def test_errors_of_data_files_hide_secrets(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(archive())
    (tmp_path / "d.yaml").write_text('data:\n  db_password: "hunter2\\q"\n')
    message = ccm("plan", "m.yaml", "--hiera", "d.yaml").err
    assert "d.yaml:2:" in message
    assert "hunter2" not in message


@pytest.mark.parametrize("line", range(1, 9))
def test_documents_that_were_sent_hide_the_same(line):
    document = load(archive("headers: {X: a,", "  Y: hunter2}", "cleanup: maybe"), "m.yaml")
    arrived = unpack(pack(document))
    output = ShownLines(arrived).excerpt(line, 3)
    assert output == ShownLines(document).excerpt(line, 3)
    assert "hunter2" not in output
    assert ("REDACTED" in output) == (line in (6, 7))


def test_an_unknown_line_is_not_shown():
    document = load("a: b", "m.yaml")
    assert ShownLines(document).excerpt(0, 1) == ShownLines(document).excerpt(2, 1) == ""

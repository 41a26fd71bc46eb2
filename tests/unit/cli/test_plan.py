# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm plan` and `ccm apply --diff`: differences, their order, hidden secrets."""

from __future__ import annotations

import hashlib
import json
import os

import pytest
from ccm.cli.difference import coloured


@pytest.fixture
def manifest(tmp_path, me):
    """Write a manifest of these resources, one on each line, and return its name."""

    def write(*resources, head=""):
        lines = "".join(f"  - {resource}\n" for resource in resources)
        user, group = me
        text = f"{head}ccm:\n  resources:\n{lines}".replace("OWNED", "mode: '0644', WHOSE")
        (tmp_path / "m.yaml").write_text(
            text.replace("WHOSE", f"owner: {user}, group: {group}").replace("HERE", str(tmp_path))
        )
        return "m.yaml"

    return write


FILE = 'file: {name: HERE/f, ensure: present, content: "one\\ntwo\\n", OWNED}'


def test_a_plan_shows_order_messages_and_differences(ccm, manifest, tmp_path):
    (tmp_path / "f").write_text("one\nzwei\n")
    (tmp_path / "f").chmod(0o600)
    ran = ccm("plan", manifest("exec: {name: 'true', alias: first}", FILE, "exec: {name: x, creates: /}"))
    assert (ran.status, ran.err) == (2, "")
    assert ran.out == (
        "Plan for m.yaml\n\n"
        "   1. ~ exec#true (first): Would have executed\n"
        f"   2. ~ file#{tmp_path}/f: would update (mode, content)\n"
        f"        --- {tmp_path}/f\n        +++ {tmp_path}/f\n        @@ -1,2 +1,2 @@\n"
        "         one\n        -zwei\n        +two\n"
        f"        --- {tmp_path}/f (attributes)\n        +++ {tmp_path}/f (attributes)\n        @@ -1 +1 @@\n"
        "        -mode: 0600\n        +mode: 0644\n"
        "   3. = exec#x: stable\n\n"
        "2 to change, 1 stable, 0 skipped, 0 to fail\n"
    )
    assert (tmp_path / "f").read_text() == "one\nzwei\n"


@pytest.mark.parametrize("given", ["source: gone", "content: ''"])
def test_a_file_without_text_has_no_text_difference(ccm, manifest, tmp_path, given):
    ran = ccm("plan", manifest(f"file: {{name: HERE/f, ensure: present, {given}, OWNED}}"))
    output = [line.strip() for line in ran.out.splitlines()[3:]]
    assert output[:2] == [f"--- {tmp_path}/f (attributes)", f"+++ {tmp_path}/f (attributes)"]
    assert "-ensure: absent" in output
    assert not any(line.endswith("@@") and "last line" in line for line in output)


@pytest.mark.needs("root")
@pytest.mark.parametrize("words", [("plan",), ("plan", "--json"), ("apply", "--noop", "--diff")])
@pytest.mark.parametrize("way", ["home/app.conf", "home/app/secret"])
def test_a_link_of_another_user_does_not_show_its_target(ccm, manifest, tmp_path, words, way):
    secret = tmp_path / "root/secret"
    secret.parent.mkdir(mode=0o700)
    secret.write_text("only for root\n")
    (tmp_path / "home").mkdir()
    (tmp_path / "home/app.conf").symlink_to(secret)
    (tmp_path / "home/app").symlink_to(secret.parent)
    for name in ("", "app", "app.conf"):
        os.chown(tmp_path / "home" / name, 54321, 54321, follow_symlinks=False)
    path = manifest(f"file: {{name: HERE/{way}, ensure: present, content: mine, OWNED}}")
    ran = ccm(*words, path, "--no-report") if "apply" in words else ccm(*words, path)
    is_update = words[0] == "plan" and way == "home/app/secret"
    assert ("would update (content)" if is_update else "Would have created the file") in ran.out
    assert "only for root" not in ran.out
    assert hashlib.sha256(secret.read_bytes()).hexdigest() not in ran.out
    link = tmp_path / ("home/app.conf" if way == "home/app.conf" else "home/app")
    refusal = f"{link} is a symbolic link of 54321 and leads to"
    assert ("--json" in words) or (refusal in ran.out and "what it holds is not shown" in ran.out)


def test_the_exit_status_of_a_plan(ccm, manifest):
    assert ccm("plan", manifest("exec: {name: x, creates: /}")).status == 0
    assert ccm("plan", manifest("exec: {name: x}")).status == 2
    failing = ccm(
        "plan",
        manifest("exec: {name: a}", "file: {name: HERE/f, ensure: present, content: x, OWNED, require: [exec#b]}"),
    )
    assert failing.status == 1
    assert "! file#" in failing.out
    assert "failed: no events found for exec#b" in failing.out
    assert failing.out.endswith("1 to change, 0 stable, 0 skipped, 1 to fail\n")
    assert ccm("plan", "nosuch.yaml").status == 1


def test_a_plan_in_json(ccm, manifest, tmp_path):
    ran = ccm("plan", "--json", manifest(FILE, "exec: {name: x, control: {if: 'false'}}"))
    plan = json.loads(ran.out)
    assert (plan["manifest"], plan["to_change"], plan["skipped"]) == ("m.yaml", 1, 1)
    first, second = plan["steps"]
    assert (first["order"], first["resource"], first["outcome"]) == (1, f"file#{tmp_path}/f", "changed")
    assert "+two" in first["differences"]
    assert (second["outcome"], second["message"], second["together_with"]) == ("skipped", "", [])


def test_a_plan_shows_groups(ccm, manifest, monkeypatch):
    from ccm.resources.types import resource_type

    exec_type = resource_type("exec")
    monkeypatch.setattr(type(exec_type), "is_groupable", lambda self, properties: True)
    names = ["exec: {name: a}", "exec: {name: b, creates: /}", "exec: {name: c}"]
    out = ccm("plan", manifest(*names)).out
    assert "   1. ~ exec#a: Would have executed\n        together with exec#c\n   2. = exec#b: stable\n" in out
    assert "together" not in ccm("plan", manifest(*names).replace("x", "x")).out.replace("together with exec#", "", 2)
    ran = ccm("plan", "--no-autogroup", manifest(*names))
    assert ("exec#a: Would have executed" in ran.out, "together" in ran.out) == (True, False)


def _family(tmp_path):
    (tmp_path / "child.yaml").write_text(
        "ccm: {resources: [{exec: {name: inner}}, {apply: {name: grand.yaml}}, {exec: {name: s, creates: /}}]}"
    )
    (tmp_path / "grand.yaml").write_text(
        "ccm: {resources: [{file: {name: HERE/f, ensure: absent}}]}".replace("HERE", str(tmp_path))
    )
    (tmp_path / "f").write_text("x")
    (tmp_path / "calm.yaml").write_text("ccm: {resources: [{exec: {name: s, creates: /}}]}")
    return (
        "exec: {name: a}",
        "apply: {name: child.yaml, alias: kid}",
        "apply: {name: calm.yaml}",
        "apply: {name: gone}",
    )


def test_a_plan_shows_children_below_their_apply_resource(ccm, manifest, tmp_path):
    ran = ccm("plan", manifest(*_family(tmp_path)))
    lines = [line for line in ran.out.splitlines() if line[4:5] == "."]
    assert lines == [
        "   1. ~ exec#a: Would have executed",
        "   2. ~ apply#child.yaml (kid): 2 to change, 1 stable",
        "   3.     ~ exec#inner: Would have executed",
        "   4.     ~ apply#grand.yaml: 1 to change",
        f"   5.         ~ file#{tmp_path}/f: Would have removed the file",
        "   6.     = exec#s: stable",
        "   7. = apply#calm.yaml: 1 stable",
        "   8.     = exec#s: stable",
        f"   9. ! apply#gone: failed: open {tmp_path}/gone: no such file or directory",
    ]
    assert f"\n                --- {tmp_path}/f" in ran.out
    assert (ran.status, ran.out.splitlines()[-1]) == (1, "3 to change, 2 stable, 0 skipped, 1 to fail")


def test_a_plan_in_json_shows_the_origin_of_each_step(ccm, manifest, tmp_path):
    plan = json.loads(ccm("plan", "--json", manifest(*_family(tmp_path)[:2])).out)
    assert plan["to_change"] == 3
    assert [(step["order"], step["depth"], step["manifest"], step["resource"]) for step in plan["steps"]] == [
        (1, 0, "m.yaml", "exec#a"),
        (2, 0, "m.yaml", "apply#child.yaml"),
        (3, 1, "child.yaml", "exec#inner"),
        (4, 1, "child.yaml", "apply#grand.yaml"),
        (5, 2, "grand.yaml", f"file#{tmp_path}/f"),
        (6, 1, "child.yaml", "exec#s"),
    ]
    assert plan["steps"][1]["message"] == "2 to change, 1 stable"


def test_differences_are_printed_before_their_line(ccm, manifest, tmp_path):
    ran = ccm("apply", "--diff", "--no-report", manifest(FILE))
    lines = ran.out.splitlines()
    assert lines[1:6] == [f"--- {tmp_path}/f", f"+++ {tmp_path}/f", "@@ -0,0 +1,2 @@", "+one", "+two"]
    assert lines[-1].startswith(f" WARN  file#{tmp_path}/f changed ")
    assert "---" not in ccm("apply", "--diff", "--no-report", "m.yaml").out


def test_trees_are_listed(ccm, manifest, tmp_path):
    source, target = tmp_path / "s", tmp_path / "t"
    for path, text in (
        (source / "new", ""),
        (source / "other", "y"),
        (target / "other", "z"),
        (target / "gone", ""),
        (target / "large", "w" * 200_000),
    ):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    ran = ccm("plan", manifest("scaffold: {name: HERE/t, ensure: present, source: HERE/s, purge: true, engine: go}"))
    for line in (f"- {target}/gone\n", f"- {target}/large\n", f"+ {target}/new\n", f"~ {target}/other\n"):
        assert f"        {line}" in ran.out


def test_secrets_are_hidden(ccm, manifest, tmp_path):
    (tmp_path / "f").write_text("password = old\nurl = https://ann:pw@h/x\n")
    ran = ccm(
        "plan",
        manifest(
            'file: {name: HERE/f, ensure: present, content: "password = new\\nurl = https://ann:other@h/x\\n'
            '-----BEGIN PRIVATE KEY-----\\nabc\\n-----END PRIVATE KEY-----\\nnote s3cretword\\n", OWNED}',
            "archive: {name: HERE/a.tgz, url: 'http://127.0.0.1:9/a.tgz', ensure: present, username: u, "
            "password: s3cretword, WHOSE}",
        ),
    )
    assert ran.err == ""
    for secret in ("new", "old", "ann", "other", "abc", "s3cretword"):
        assert secret not in ran.out, secret
    assert "        -password = REDACTED\n" in ran.out
    assert "        +password = REDACTED\n" in ran.out
    assert "        +note REDACTED\n" in ran.out


def test_binary_and_large_files_are_only_named(ccm, manifest, tmp_path):
    (tmp_path / "f").write_bytes(b"\0\1")
    assert f"        {tmp_path}/f: binary content differs\n" in ccm("plan", manifest(FILE)).out
    (tmp_path / "f").write_text("x" * 200_000)
    assert f"        {tmp_path}/f: content of more than 100000 bytes differs\n" in ccm("plan", manifest(FILE)).out


def test_an_error_in_json_is_a_document(ccm, manifest):
    ran = ccm("plan", "--json", manifest("exec: {name: ls, colour: red}"))
    assert ran.status == 1
    assert ran.err.startswith('ccm: error: invalid manifest resource 1: unknown property "colour" in exec\n')
    reply = json.loads(ran.out)
    assert reply.pop("advice").startswith("known: name, ")
    assert reply == {
        "manifest": "m.yaml",
        "error": 'invalid manifest resource 1: unknown property "colour" in exec',
        "resource": "exec#ls",
        "property": "colour",
        "position": "m.yaml:3:22",
    }
    assert ccm("plan", "m.yaml").out == ""
    gone = ccm("plan", "--json", "gone.yaml")
    assert (gone.status, json.loads(gone.out)["error"]) == (1, "open gone.yaml: no such file or directory")


def test_a_missing_last_newline_is_shown(ccm, manifest, tmp_path):
    (tmp_path / "f").write_text("one\ntwo")
    assert "@@ only the end of the last line differs @@" in ccm("plan", manifest(FILE)).out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"one\r\ntwo\r\n", "CRLF before, LF after"),
        (b"one\r\ntwo\n", "CRLF and LF before, LF after"),
        (b"one\ntwo\r\n", "CRLF and LF before, LF after"),
    ],
)
def test_other_line_endings_are_shown(ccm, manifest, tmp_path, text, expected):
    (tmp_path / "f").write_bytes(text)
    output = ccm("plan", manifest(FILE)).out
    assert f"+++ {tmp_path}/f\n        @@ only the ends of lines differ: {expected} @@\n" in output
    assert "one" not in output


def test_terminal_escapes_are_quoted(ccm, manifest, tmp_path):
    (tmp_path / "f").write_text("one\x1b[2J\a\r\n\ttab\x0b\u202e\xa0\x85x\n", newline="")
    out = ccm("plan", manifest(FILE)).out
    assert "        -one\\x1b[2J\\a\\r\n        -\ttab\\v\\u202e\\u00a0\\u0085x\n" in out
    name = "x\x1b[31m"
    (tmp_path / name).write_text("one\n")
    resource = FILE.replace("name: HERE/f", 'name: "HERE/x\\e[31m"')
    out = ccm("plan", manifest(resource)).out
    assert f"        --- {tmp_path}/x\\x1b[31m\n        +++ {tmp_path}/x\\x1b[31m\n" in out


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_warnings_are_on_standard_error(ccm, manifest, tmp_path, words):
    """Of resources, also in manifests that are applied; their results are in the plan only."""
    (tmp_path / "file").touch()
    absent = "file: {name: HERE/file/x, ensure: absent}"
    manifest(absent, "exec: {name: 'true'}")
    (tmp_path / "m.yaml").rename(tmp_path / "child.yaml")
    ran = ccm("plan", manifest(absent, "apply: {name: child.yaml}"), *words)
    assert ran.status == 2, ran
    problem = f"There can be no file {tmp_path}/file/x: stat {tmp_path}/file/x: not a directory"
    assert {line.split(" manifest=")[0] for line in ran.err.splitlines()} == {f" WARN  {problem}"}
    assert problem not in ran.out


def test_colours():
    assert coloured("+x") == "\x1b[32m+x\x1b[0m"
    assert coloured("--- /f") == "\x1b[1m--- /f\x1b[0m"
    assert coloured(" x") == " x"


@pytest.mark.parametrize("target", ["text", "nowhere"])
def test_a_link_that_a_directory_replaces_is_shown(ccm, manifest, tmp_path, target):
    (tmp_path / "text").write_text("kept")
    (tmp_path / "d").symlink_to(target)
    manifest("file: {name: HERE/d, ensure: directory, OWNED}")
    ran = ccm("plan", "m.yaml")
    assert f"~ file#{tmp_path}/d: Would have created directory in place of link -> {target}\n" in ran.out
    assert f"-ensure: link -> {target}\n" in ran.out
    assert "+ensure: directory\n" in ran.out
    assert ccm("apply", "m.yaml", "--no-report").status == 0
    assert ((tmp_path / "d").is_symlink(), (tmp_path / "d").is_dir()) == (False, True)
    assert ccm("plan", "m.yaml").status == 0


def test_a_link_that_a_file_replaces_is_shown(ccm, manifest, tmp_path):
    (tmp_path / "f").symlink_to("nowhere")
    manifest(FILE)
    ran = ccm("apply", "m.yaml", "--no-report", "--noop", "--diff")
    assert "-ensure: link -> nowhere\n" in ran.out
    assert "+ensure: present\n" in ran.out
    assert (tmp_path / "f").is_symlink()


@pytest.mark.parametrize(
    "words", [("plan", "m.yaml"), ("apply", "m.yaml", "--no-report", "--noop"), ("apply", "m.yaml")]
)
def test_a_link_to_a_directory_with_another_mode_is_refused(ccm, manifest, tmp_path, words):
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "real/kept").touch()
    (tmp_path / "d").symlink_to("real")
    manifest("file: {name: HERE/d, ensure: directory, OWNED}")
    text = (
        f"{tmp_path}/d is a symlink; refusing to set attributes through it: manage its target {tmp_path}/real instead"
    )
    assert text in ccm(*words).out
    assert os.readlink(tmp_path / "d") == "real"
    assert ((tmp_path / "d/kept").exists(), (tmp_path / "real").stat().st_mode & 0o7777) == (True, 0o700)


def test_set_id_bits_that_go_are_shown(ccm, manifest, tmp_path):
    (tmp_path / "f").write_text("one\ntwo\n")
    (tmp_path / "f").chmod(0o4644)
    ran = ccm("plan", manifest(FILE))
    assert "-mode: 4644\n" in ran.out
    assert "+mode: 0644\n" in ran.out
    assert ccm("apply", "m.yaml", "--no-report").status == 0
    assert (tmp_path / "f").stat().st_mode & 0o7777 == 0o644


@pytest.mark.parametrize("command", ["plan", "apply"])
def test_content_in_place_of_a_named_pipe_is_refused(ccm, manifest, tmp_path, command):
    os.mkfifo(tmp_path / "f")
    manifest(FILE)
    for words in ((command, "m.yaml"), ("apply", "m.yaml", "--no-report", "--noop")):
        assert f"{tmp_path}/f exists as a named pipe; cannot manage its content" in ccm(*words).out
    assert (tmp_path / "f").is_fifo()


def test_creates_asks_what_a_link_leads_to(ccm, manifest, tmp_path):
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "other").symlink_to(".")
    ran = ccm(
        "plan", manifest(*(f"exec: {{name: x, alias: {name}, creates: HERE/{name}}}" for name in ("link", "other")))
    )
    assert "~ exec#x (link): Would have executed" in ran.out
    assert "= exec#x (other): stable" in ran.out


@pytest.mark.parametrize("target", ["nowhere", "link", "m.yaml/below", "n" * 300])
def test_a_link_is_removed_whatever_it_leads_to(ccm, manifest, tmp_path, target):
    (tmp_path / "link").symlink_to(target)
    manifest("file: {name: HERE/link, ensure: absent}")
    ran = ccm("plan", "m.yaml")
    assert f"~ file#{tmp_path}/link: Would have removed the file\n" in ran.out
    assert f"-ensure: link -> {target}\n" in ran.out
    for word in (" changed ", " stable "):
        assert f"{word}ensure=absent" in ccm("apply", "m.yaml", "--no-report").out
        assert not os.path.lexists(tmp_path / "link")

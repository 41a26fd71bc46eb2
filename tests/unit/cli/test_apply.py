# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm apply`: from the command line to the output."""

from __future__ import annotations

import grp
import json
import os
import pwd
import re
import sys
from base64 import b64encode

import pytest
import yaml
from ccm.engine.grouped_order import GroupedOrder

TWO = """
ccm:
  pre_message: hello {{ Facts.who }}
  post_message: bye
  resources:
    - exec:
        - touch made: {cwd: "${ lookup('environ.PWD_HERE') }", creates: "{{ Environ.PWD_HERE }}/made"}
        - second: {command: "true", refreshonly: true, subscribe: ["exec#touch made"]}
"""
FAILING = "ccm: {post_message: bye, resources: [{exec: [{'false': {}}, {'true': {}}]}]}"
STABLE = "ccm: {resources: [{exec: [{'true': {creates: /}}]}]}"

REPORT = """
Manifest Run Summary

             Run Time: TIME
      Total Resources: 2
     Stable Resources: 0
    Changed Resources: 2
     Failed Resources: 0
    Skipped Resources: 0
  Refreshed Resources: 1
   Unmet Requirements: 0
    Checked Resources: 0
         Total Errors: 0
"""


@pytest.fixture
def manifest(tmp_path, monkeypatch):
    monkeypatch.setenv("PWD_HERE", str(tmp_path))

    def write(text):
        (tmp_path / "m.yaml").write_text(text)
        return "m.yaml"

    return write


def without_times(text):
    return re.sub(r"(?<=runtime=)\S+|(?<=Run Time: )\S+", "TIME", text)


@pytest.mark.starts_processes
def test_output_follows_the_order_of_the_run(ccm, manifest, tmp_path):
    ran = ccm("apply", manifest(TWO), "--fact", "who=ann")
    assert (ran.status, ran.err) == (0, "")
    assert without_times(ran.out) == (
        "\nhello ann\n"
        " INFO  Executing manifest manifest=m.yaml resources=2\n"
        " WARN  exec#touch made changed ensure=present runtime=TIME provider=posix\n"
        " WARN  exec#second refreshed ensure=present runtime=TIME provider=posix\n"
        "bye\n" + REPORT
    )
    assert (tmp_path / "made").exists()


def test_noop_changes_nothing_and_reports_the_changes(ccm, manifest, tmp_path):
    ran = ccm("apply", "--noop", manifest(TWO), "--fact=who=x", "--no-report")
    assert "exec#touch made changed" in ran.out
    assert "noop=Would have executed\n" in ran.out
    assert "Summary" not in ran.out
    assert not (tmp_path / "made").exists()


@pytest.mark.starts_processes
def test_a_failure_suppresses_the_post_message_and_the_status_is_0(ccm, manifest):
    ran = ccm("apply", manifest(FAILING))
    assert ran.status == 0
    assert " ERROR exec#false failed " in ran.out
    assert "bye" not in ran.out
    assert "         Total Errors: 1\n" in ran.out


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("text", "flags", "status"),
    [
        (STABLE, [], 0),
        ("ccm: {resources: [{exec: [{'true': {}}]}]}", [], 2),
        ("ccm: {resources: [{exec: [{'true': {}}]}]}", ["--noop"], 2),
        ("ccm: {resources: [{exec: [{'false': {}}]}]}", [], 4),
        (FAILING, [], 6),
        ("ccm: {resource: []}", [], 1),
    ],
)
def test_detailed_exit_codes(ccm, manifest, text, flags, status):
    assert ccm("apply", manifest(text), "--detailed-exitcodes", *flags).status == status


def test_a_session_keeps_the_events(ccm, manifest, tmp_path):
    (tmp_path / "s").mkdir()
    ccm("apply", manifest(STABLE), "--session", "s")
    ran = ccm("apply", manifest(STABLE), "--session", "s")
    assert "      Total Resources: 1\n" in ran.out
    events = [json.loads((tmp_path / "s" / name).read_text()) for name in sorted(os.listdir(tmp_path / "s"))]
    kinds = [event["protocol"].rpartition("v1.")[2] for event in events]
    assert kinds == ["session.start", "transaction.event"] * 2
    assert events[1]["name"] == "true"


def test_the_session_variable_does_not_apply_to_apply(ccm, manifest, tmp_path, monkeypatch):
    (tmp_path / "s").mkdir()
    monkeypatch.setenv("CCM_SESSION_STORE", "s")
    ccm("apply", manifest(STABLE))
    assert os.listdir(tmp_path / "s") == []


def test_a_session_that_does_not_exist_stops_the_run(ccm, manifest, tmp_path):
    ran = ccm("apply", manifest(TWO), "--session", "none", "--fact", "who=x")
    assert ran.status == 1
    assert "none does not exist" in ran.err
    assert not (tmp_path / "made").exists()
    assert "session store should not be empty" in ccm("apply", manifest(STABLE), "--session", "").err


def test_facts_from_a_file_and_from_flags(ccm, manifest, tmp_path):
    (tmp_path / "f.json").write_text('{"a": "file", "b": "file"}')
    text = "ccm: {pre_message: '{{ Facts.a }} {{ Facts.b }}', resources: [{exec: [{'true': {creates: /}}]}]}"
    assert ccm("apply", manifest(text), "--facts", "f.json", "--fact", "a:flag").out.startswith("\nflag file\n")


def test_hierarchy_data_from_another_source(ccm, manifest, tmp_path, monkeypatch):
    (tmp_path / "d.yaml").write_text("data: {a: over}")
    text = "data: {a: base}\nccm: {pre_message: '{{ Data.a }}', resources: [{exec: [{'true': {creates: /}}]}]}"
    assert ccm("apply", manifest(text)).out.startswith("\nbase\n")
    assert ccm("apply", manifest(text), "--hiera", "d.yaml").out.startswith("\nover\n")
    monkeypatch.setenv("CCM_HIERA_DATA", "d.yaml")
    assert ccm("apply", manifest(text)).out.startswith("\nover\n")


def test_environment_files_are_read_on_request(ccm, manifest, tmp_path):
    (tmp_path / ".env").write_text("SEEN=yes\n")
    text = "ccm: {pre_message: '{{ lookup(\"environ.SEEN\", \"no\") }}', resources: [{exec: [{'true': {creates: /}}]}]}"
    assert ccm("apply", manifest(text)).out.startswith("\nyes\n")
    assert ccm("apply", manifest(text), "--no-read-env").out.startswith("\nno\n")


def test_unknown_keys_are_accepted_without_schema_validation(ccm, manifest, monkeypatch):
    text = "ccm: {resources: [{exec: [{'true': {creates: /, colour: red}}]}]}"
    assert ccm("apply", manifest(text)).status == 1
    monkeypatch.setenv("NO_SCHEMA_VALIDATION", "1")
    assert ccm("apply", manifest(text)).status == 0


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["none.yaml"], "none.yaml"),
        (["m.yaml", "--hiera", "none.yaml"], "file not found"),
        (["m.yaml", "--facts", "none.yaml"], "path 'none.yaml' does not exist"),
        (["m.yaml", "--noop", "--monitor-only"], "cannot set healthcheck only and noop mode at the same time"),
        (["ftp://x/y"], "unsupported manifest source: ftp://x/y"),
    ],
)
def test_manifests_that_cannot_run(ccm, manifest, words, text):
    manifest(STABLE)
    ran = ccm("apply", *words)
    assert ran.status == 1
    assert ran.err.startswith("ccm: error: ")
    assert text in ran.err


BINARY = """ccm:
  resources:
    - file:
        - %s:
            ensure: present
            mode: "0644"
            owner: !!binary %s
            group: %s
            content: !!binary /wBhCg==
    - exec:
        - echo: {cwd: /, environment: [!!binary QT1i], returns: [%s]}
"""


@pytest.mark.starts_processes
def test_binary_values_are_decoded_to_text(ccm, manifest, tmp_path):
    owner = b64encode(pwd.getpwuid(os.getuid()).pw_name.encode()).decode()
    group = grp.getgrgid(os.getgid()).gr_name
    ran = ccm("apply", manifest(BINARY % (tmp_path / "f", owner, group, "0")))
    assert (ran.status, ran.err) == (0, "")
    assert (tmp_path / "f").read_bytes() == b"\xff\x00a\n"
    ran = ccm("apply", manifest(BINARY % (tmp_path / "f", owner, group, "!!binary aGk=")))
    assert "returns.1 must be an integer, not bytes\n" in ran.err


def test_a_line_with_a_secret_is_hidden_up_to_the_line_feed(ccm, manifest):
    ran = ccm("apply", manifest("data:\n  a: 'x\u2028y'\n  password: \"hunter2\n"))
    assert "m.yaml:3:13" in ran.err
    assert "hunter2" not in ran.err


def test_without_pyyaml_the_error_names_the_manifest_and_the_package(ccm, manifest, monkeypatch):
    manifest(STABLE)
    monkeypatch.setattr("ccm.lang.yaml._loader_class", None)
    monkeypatch.setitem(sys.modules, "yaml", None)
    ran = ccm("apply", "m.yaml")
    message = "ccm: error: m.yaml cannot be read: reading YAML needs PyYAML: install the package python3-yaml\n"
    assert (ran.status, ran.out, ran.err) == (1, "", message)


@pytest.mark.starts_processes
def test_debug_log_on_request(ccm, manifest, tmp_path):
    (tmp_path / ".env").write_text("A=b\n")
    text = "ccm: {resources: [{exec: [{'true': {}}]}]}"
    assert ccm("apply", manifest(text)).err == ""
    log = ccm("--info", "apply", manifest(text)).err
    assert re.match(r'time=\S+Z level=INFO msg="Reading environment variables from .env file" file=', log)
    assert "level=DEBUG" not in log


RENUMBERED = """
ccm:
  resources:
    - file: [{"PLACE/first": {ensure: present, content: a, owner: bobx, group: bobx, mode: "0600"}}]
    - exec: [{"sh -c 'echo NUMBER > PLACE/number'": {}}]
    - file: [{"PLACE/second": {ensure: present, content: b, owner: bobx, group: bobx, mode: "0600"}}]
"""


@pytest.mark.starts_processes
def test_a_file_gets_the_owner_number_that_a_command_changed(ccm, manifest, tmp_path, monkeypatch):
    number = tmp_path / "number"
    number.write_text(str(os.geteuid() + 1000))

    def user(name):
        return pwd.struct_passwd((name, "x", int(number.read_text()), os.getegid(), "", "/", "/bin/sh"))

    monkeypatch.setattr(pwd, "getpwnam", user)
    monkeypatch.setattr(grp, "getgrnam", lambda name: grp.struct_group((name, "x", os.getegid(), [])))
    ran = ccm("apply", manifest(RENUMBERED.replace("PLACE", str(tmp_path)).replace("NUMBER", str(os.geteuid()))))
    assert "second changed" in ran.out
    assert (tmp_path / "second").stat().st_uid == os.geteuid()


ENDED = """
ccm:
  resources:
    - exec:
        - sh -c 'exit 3': {returns: [3]}
        - piped: {command: "true | true", provider: shell}
        - alias: {command: "/no/such/program x"}
        - skipped: {command: "true", creates: /}
"""


def fields_of(err, message):
    return [line.partition(message)[2].strip() for line in err.splitlines() if message in line]


@pytest.mark.starts_processes
def test_the_log_has_the_results_of_commands(ccm, manifest):
    assert "Command finished" not in ccm("apply", manifest(ENDED)).err
    assert fields_of(ccm("apply", "--info", manifest(ENDED)).err, 'level=INFO msg="Command finished"') == [
        """type=exec name="sh -c 'exit 3'" command=sh exitcode=3""",
        "type=exec name=piped command=piped exitcode=0",
        "type=exec name=alias command=/no/such/program exitcode=-1",
    ]


def test_the_log_has_files_that_could_not_be_stored(ccm, manifest, tmp_path):
    text = "ccm: {resources: [{file: {name: PLACE/no/f, ensure: present, owner: '0', group: '0', mode: '600'}}]}"
    ran = ccm("apply", manifest(text.replace("PLACE", str(tmp_path))))
    message = 'level=ERROR msg="Could not store new file"'
    assert fields_of(ran.err, message) == [f"type=file name={tmp_path}/no/f working_dir={tmp_path}"]
    assert (ran.out + ran.err).count("is not a directory") == 1


def test_the_log_has_the_place_of_what_is_wrong_in_an_applied_manifest(ccm, manifest, tmp_path):
    (tmp_path / "child.yaml").write_text("ccm: {resources: [{file: {name: /f, mode: '999', owner: a, group: a}}]}")
    ran = ccm("apply", manifest("ccm: {resources: [{apply: {name: child.yaml}}]}"))
    [fields] = fields_of(ran.err, 'level=ERROR msg="Manifest is not valid"')
    assert fields.startswith("position=child.yaml:1:43 manifest=child.yaml resource=file#/f property=mode advice=")
    assert (ran.out + ran.err).count("is not a valid octal number") == 1


@pytest.mark.needs("root")
@pytest.mark.usefixtures("rename_changes_owner")
def test_a_file_with_an_owner_converges_where_a_rename_changes_the_owner(ccm, manifest, tmp_path):
    text = "ccm: {resources: [{file: {name: PLACE/f, ensure: present, owner: '4711', group: '4712', mode: '600'}}]}"
    assert "f changed" in ccm("apply", manifest(text.replace("PLACE", str(tmp_path)))).out
    assert "f stable" in ccm("apply", "m.yaml").out


def test_data_that_is_too_large_is_refused(ccm, tmp_path, monkeypatch):
    (tmp_path / "big.yaml").write_text("data: {a: 1}\n")
    monkeypatch.setattr("ccm.data.sources.LIMIT", 12)
    for words in (["apply", "m.yaml", "--hiera", "big.yaml"], ["ensure", "exec", "true", "--hiera", "big.yaml"]):
        (tmp_path / "m.yaml").write_text("ccm: {resources: [{exec: {name: 'true'}}]}")
        ran = ccm(*words)
        assert (ran.status, ran.out) == (1, "")
        assert ran.err == f"ccm: error: read {tmp_path}/big.yaml: larger than 12 bytes\n"


@pytest.mark.parametrize("where", ["m.yaml", "parent.yaml"])
@pytest.mark.parametrize(("flag", "first"), [([], "file#{}/d changed"), (["--no-autoedges"], "file#{}/d/f failed")])
def test_automatic_edges_can_be_left_out_of_a_run(ccm, tmp_path, flag, first, where):
    me = f"owner: '{os.getuid()}', group: '{os.getgid()}'"
    inside = f"{{name: {tmp_path}/d/f, ensure: present, content: x, mode: '0644', {me}}}"
    around = f"{{name: {tmp_path}/d, ensure: directory, mode: '0755', {me}}}"
    resources = f"[{{file: {inside}}}, {{file: {around}}}]"
    (tmp_path / "m.yaml").write_text(f"ccm: {{engine: {{order: graph}}, resources: {resources}}}")
    (tmp_path / "parent.yaml").write_text("ccm: {resources: [{apply: {name: m.yaml}}]}")
    graph = ccm("graph", "m.yaml", *flag).out
    assert ("(auto)" in graph) == (not flag)
    lines = [line for line in ccm("apply", where, *flag).out.splitlines() if "file#" in line]
    assert first.format(tmp_path) in lines[0]


@pytest.mark.parametrize("flag", [[], ["--no-autogroup"]])
def test_packages_can_be_managed_alone_in_a_run(ccm, tmp_path, monkeypatch, flag):
    grouped = []

    class Noted(GroupedOrder):
        def __init__(self, *given):
            super().__init__(*given)
            grouped.append(given)

    monkeypatch.setattr("ccm.engine.grouped_order.GroupedOrder", Noted)
    ran = "{exec: {name: %s, creates: /}}"
    (tmp_path / "m.yaml").write_text(f"ccm: {{resources: [{ran % 'a'}, {{apply: {{name: child.yaml}}}}]}}")
    (tmp_path / "child.yaml").write_text(f"ccm: {{resources: [{ran % 'b'}, {ran % 'c'}]}}")
    assert ccm("apply", "m.yaml", *flag).status == 0
    assert len(grouped) == (0 if flag else 2)


def test_a_jinja2_template_changes_nothing_for_the_next_resource_and_keeps_an_image(ccm, manifest, tmp_path):
    """Q82: what a template changes are copies, and a file without a delimiter is copied byte for byte."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a").write_bytes(b"{% set _ = data.ports.append(3) %}\r\n{{ data.ports }}\r\n")
    (tmp_path / "src/b.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\xff\r")
    account = {"owner": pwd.getpwuid(os.getuid()).pw_name, "group": grp.getgrgid(os.getgid()).gr_name, "mode": "0644"}
    resources = [
        {"scaffold": [{f"{tmp_path}/out": {"source": "src", "engine": "jinja2"}}]},
        {"file": [{f"{tmp_path}/f": {"content": "{{ Data.ports | toJSON() }}", **account}}]},
    ]
    path = manifest(yaml.safe_dump({"data": {"ports": [1, 2]}, "ccm": {"resources": resources}}))
    assert ccm("apply", path).status == 0
    assert (tmp_path / "out/a").read_bytes() == b"[1, 2, 3]\r\n"
    assert (tmp_path / "out/b.png").read_bytes() == b"\x89PNG\r\n\x1a\n\0\xff\r"
    assert json.loads((tmp_path / "f").read_text()) == [1, 2]


def test_render_runs_nothing(ccm, manifest, tmp_path):
    ran = ccm("apply", manifest(TWO), "--render", "--fact", "who=x")
    assert ran.status == 0
    assert ran.out.startswith("ccm:\n  fail_on_error: false\n  resources:\n")
    assert "name: touch made\n" in ran.out
    assert not (tmp_path / "made").exists()

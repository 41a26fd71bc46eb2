# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Named pipes: read when given on the command line, refused at once when named by a manifest."""

from __future__ import annotations

import json
import os
import threading

import pytest

from tests.patience import PATIENCE


@pytest.fixture
def pipe(tmp_path):
    """Create a pipe; with content, a process writes it there; without content, none ever does."""
    writers = []

    def make(name, content=None):
        path = tmp_path / name
        os.mkfifo(path)
        if content is not None:
            writers.append(threading.Thread(target=path.write_text, args=(content,), daemon=True))
            writers[-1].start()
        return path

    yield make
    for writer in writers:
        writer.join(PATIENCE)
        assert not writer.is_alive()


def echo_content(expression):
    return f'ccm: {{resources: [exec: {{name: "echo {{{{ {expression} }}}}"}}]}}'


@pytest.mark.parametrize("call", ["file", "readFile"])
def test_an_expression_does_not_wait_for_a_writer(ccm, tmp_path, pipe, call):
    path = pipe("pipe")
    (tmp_path / "m.yaml").write_text(echo_content(f"{call}('pipe')"))
    for command in (["apply", "m.yaml"], ["apply", "m.yaml", "--noop"]):
        ran = ccm(*command)
        assert ran.status == 1
        assert f"{path} is not a regular file" in ran.err


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/urandom"])
def test_an_expression_does_not_read_a_device(ccm, tmp_path, name):
    (tmp_path / "m.yaml").write_text(echo_content(f"file('{name}')"))
    ran = ccm("apply", "m.yaml")
    assert ran.status == 1
    assert f"{name} is not a regular file" in ran.err


@pytest.mark.starts_processes
def test_an_expression_reads_files_of_the_kernel(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(
        "ccm: {resources: [exec: {name: \"echo {{ file('/proc/self/comm') | trim() }}\"}]}"
    )
    assert ccm("apply", "m.yaml").status == 0


def test_a_source_cannot_be_a_pipe(ccm, tmp_path, pipe, me):
    pipe("pipe")
    owner = "owner: {}, group: {}, mode: '0644'".format(*me)
    text = f"ccm: {{resources: [file: {{name: {tmp_path}/f, ensure: present, source: pipe, {owner}}}]}}"
    (tmp_path / "m.yaml").write_text(text)
    assert "pipe is not a regular file" in ccm("apply", "m.yaml").out


def test_a_file_of_resources_cannot_be_a_pipe(ccm, tmp_path, pipe):
    pipe("r.jet")
    (tmp_path / "m.yaml").write_text("ccm: {resources_jet_file: r.jet}")
    assert "r.jet is not a regular file" in ccm("apply", "m.yaml").err


@pytest.mark.parametrize("call", ["template('a.templ')", "template('a.jet')", "jet('a.jet')"])
def test_templates_cannot_be_pipes(ccm, tmp_path, pipe, call):
    path = pipe(call.split("'")[1])
    (tmp_path / "m.yaml").write_text(echo_content(call))
    for command in ("lint", "plan"):
        ran = ccm(command, "m.yaml")
        assert ran.status == 1
        assert f"{path} is not a regular file" in ran.out + ran.err


def test_a_scaffold_source_cannot_contain_a_pipe(ccm, tmp_path, pipe):
    (tmp_path / "s").mkdir()
    path = pipe("s/x")
    scaffold = f"{{name: {tmp_path}/t, ensure: present, source: s}}"
    (tmp_path / "m.yaml").write_text(f"ccm: {{resources: [scaffold: {scaffold}]}}")
    assert f"{path} is not a regular file" in ccm("lint", "m.yaml").out
    assert "invalid file in source: x" in ccm("plan", "m.yaml").out


@pytest.mark.starts_processes
def test_files_with_fixed_names_cannot_be_pipes(ccm, tmp_path, pipe, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "choria/ccm").mkdir(parents=True)
    pipe(".env")
    pipe("choria/ccm/facts.yaml")
    (tmp_path / "m.yaml").write_text(echo_content("Facts.a ?? 1"))
    assert ccm("apply", "m.yaml").status == 0
    hiera = pipe(".hiera")
    assert f"{hiera} is not a regular file" in ccm("ensure", "exec", "true", "--no-read-env").err


@pytest.mark.starts_processes
def test_the_command_line_can_name_pipes(ccm, pipe, tmp_path):
    line = f"echo {{{{ Facts.a }}}} {{{{ Data.b }}}} > {tmp_path}/out"
    manifest = pipe("m", f'ccm: {{resources: [exec: {{name: "{line}", provider: shell}}]}}')
    ran = ccm("apply", manifest, "--facts", pipe("f", "a: fact"), "--hiera", pipe("h", "data: {b: datum}"))
    assert ran.status == 0, ran.err
    assert (tmp_path / "out").read_text() == "fact datum\n"


def test_hierarchies_and_contents_are_read_from_pipes(ccm, pipe, tmp_path):
    ran = ccm("hiera", "parse", pipe("h", "data: {b: 1}"), "--facts", pipe("f", "{}"))
    assert json.loads(ran.out) == {"b": 1}
    ran = ccm("ensure", "file", tmp_path / "made", "--content-file", pipe("c", "content"))
    assert ran.status == 0, ran.err
    assert (tmp_path / "made").read_text() == "content"

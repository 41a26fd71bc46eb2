# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages of the command about misspelled words, unreadable files, and changed attributes."""

from __future__ import annotations

import getpass
import grp
import os

import pytest

OWNED = f"owner: {getpass.getuser()}, group: {grp.getgrgid(os.getgid()).gr_name}, mode: '0644'"


def manifest(tmp_path, entry):
    (tmp_path / "m.yaml").write_text(f"ccm:\n  resources:\n    - {entry}\n", encoding="utf-8")


@pytest.mark.parametrize(("word", "near"), [("aply", "apply"), ("lnt", "lint"), ("sesion", "session")])
def test_the_nearest_command_is_proposed(ccm, word, near):
    ran = ccm(word, "m.yaml")
    assert ran.status == 1
    assert ran.err.startswith(f'error: expected command but got "{word}", did you mean "{near}"? use --help for ')


def test_no_command_is_proposed_without_a_near_one(ccm):
    assert ccm("nosuch").err.startswith('error: expected command but got "nosuch", use --help for full help')


@pytest.mark.starts_processes
@pytest.mark.parametrize("command", ["plan", "apply"])
def test_booleans_are_shown_as_in_yaml(ccm, fake_program, tmp_path, command):
    fake_program("systemctl", "case $1 in show) echo ActiveState=active;; is-enabled) echo enabled;; esac")
    manifest(tmp_path, "service: {name: web, ensure: running, enable: false}")
    ran = ccm("plan", "m.yaml") if command == "plan" else ccm("apply", "m.yaml", "--noop", "--diff")
    assert "-enabled: true\n" in ran.out
    assert "+enabled: false\n" in ran.out
    assert "False" not in ran.out


def test_a_scaffold_source_that_is_a_url(ccm, tmp_path):
    manifest(tmp_path, f"scaffold: {{name: {tmp_path}/out, ensure: present, engine: jet, source: 'ftp://u:pw@h/x'}}")
    ran = ccm("apply", "m.yaml")
    message = ran.out + ran.err
    assert "source must be a directory of templates, or begin with http:// or https://: ftp://REDACTED@h/x" in message
    assert "no such file" not in message
    assert "pw" not in message


def test_a_file_below_a_file_is_absent_with_a_warning(ccm, tmp_path):
    (tmp_path / "file").write_text("")
    manifest(tmp_path, f"file: {{name: {tmp_path}/file/x, ensure: absent}}")
    ran = ccm("apply", "m.yaml")
    assert f"There can be no file {tmp_path}/file/x: stat {tmp_path}/file/x: not a directory" in ran.out + ran.err


@pytest.mark.parametrize("type", [pytest.param("exec", marks=pytest.mark.starts_processes), "archive"])
def test_a_path_that_cannot_be_read_is_reported(ccm, tmp_path, type):
    (tmp_path / "loop").symlink_to("loop")
    creates = f"{tmp_path}/loop/x"
    entry = f"exec: {{name: 'true', creates: {creates}}}"
    if type == "archive":
        entry = f"archive: {{name: {tmp_path}/a.zip, ensure: absent, url: 'http://127.0.0.1:1/a.zip', {OWNED}, "
        entry = entry.replace("mode: '0644', ", "") + f"extract_parent: {tmp_path}, creates: {creates}}}"
    manifest(tmp_path, entry)
    ran = ccm("apply", "m.yaml")
    assert f"Cannot read {creates}: stat {creates}: too many levels of symbolic links" in ran.out + ran.err


@pytest.mark.starts_processes
def test_a_missing_path_is_not_reported(ccm, tmp_path):
    manifest(tmp_path, f"exec: {{name: 'true', creates: {tmp_path}/none}}")
    ran = ccm("apply", "m.yaml")
    assert "Cannot look" not in ran.out + ran.err


def test_the_help_of_plan_mentions_that_guards_run(ccm):
    ran = ccm("plan", "--help")
    message = " ".join((ran.out + ran.err).split())
    assert "guards of exec resources (onlyif, unless) run, as in the original" in message


@pytest.mark.starts_processes
def test_guards_run_in_a_plan(ccm, tmp_path):
    manifest(tmp_path, f"exec: {{name: 'false', onlyif: touch {tmp_path}/seen}}")
    ccm("plan", "m.yaml")
    assert (tmp_path / "seen").exists()

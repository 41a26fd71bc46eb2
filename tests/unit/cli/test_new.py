# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm new`: what it makes can be used at once, and nothing is overwritten or left incomplete."""

from __future__ import annotations

import os
import shlex
import stat
import subprocess

import pytest
from ccm.cli import new
from ccm.cli.new_files import FILES

from tests.unit.layout import noting

NAMES = {"manifest.yaml", "templates", "test.sh"}
CHANGED, SAME = 2, 0


def test_it_says_what_it_made_and_what_to_do_next(ccm, tmp_path):
    ran = ccm("new", "my site")
    assert (ran.status, ran.err) == (0, "")
    made, _empty, then = ran.out.partition("\n\n")
    assert made.splitlines()[0] == "Made in my site:"
    assert [line.split()[0] for line in made.splitlines()[1:]] == [file.name for file in FILES]
    assert then.splitlines()[:3] == [
        "Go on with:",
        "  cd 'my site'",
        "  ccm lint manifest.yaml   look for mistakes",
    ]
    assert set(os.listdir(tmp_path / "my site")) == NAMES
    assert os.listdir(tmp_path) == ["my site"]


@pytest.mark.starts_processes
def test_what_it_made_is_linted_and_applied_twice(ccm, tmp_path):
    (tmp_path / "home").mkdir()
    ccm("new", "site")
    os.chdir("site")
    assert ccm("lint", "--strict", "manifest.yaml").out == "manifest.yaml: nothing found\n"
    assert ccm("plan", "manifest.yaml").status == CHANGED
    ran = ccm("apply", "manifest.yaml", "--detailed-exitcodes")
    assert ran.status == CHANGED
    assert "Checked Resources: 1 (ok: 1," in ran.out
    assert ccm("apply", "manifest.yaml", "--detailed-exitcodes").status == SAME
    written = (tmp_path / "home/ccm-example/hello.conf").read_text(encoding="utf-8")
    assert "\ngreeting = Hello\n" in written
    assert "\nport = 8080\n" in written
    assert ccm("apply", "manifest.yaml", "--fact", "site=test", "--detailed-exitcodes").status == CHANGED
    assert ccm("hiera", "parse", "manifest.yaml", "site=test").out.count("Hello from the test") == 1


@pytest.mark.starts_processes
def test_its_test_passes_and_can_fail(ccm, tmp_path, monkeypatch):
    ccm("new", "site")
    words, environ = noting({**os.environ, "HOME": "/nonexistent"})
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin/ccm"
    command.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    environ = {**environ, "PATH": f"{tmp_path}/bin:{environ['PATH']}"}

    def run():
        return subprocess.run([tmp_path / "site/test.sh"], env=environ, capture_output=True, text=True, check=False)

    ran = run()
    assert (ran.returncode, ran.stdout.splitlines()[-1], ran.stderr) == (0, "test.sh: passed", "")
    manifest = tmp_path / "site/manifest.yaml"
    manifest.write_text(manifest.read_text("utf-8").replace("Hello from the test", "Bye"), encoding="utf-8")
    ran = run()
    assert (ran.returncode, ran.stderr) == (1, "test.sh: hello.conf has another greeting\n")
    template = tmp_path / "site/templates/hello.conf.templ"
    template.write_text("{{ now() }}\n", encoding="utf-8")
    assert "the first run should change something, and ended with status" in run().stderr
    assert {name for name in os.listdir(tmp_path) if name.startswith("tmp.")} == set()


def test_the_current_directory_is_filled_in_place(ccm, tmp_path):
    (tmp_path / "here").mkdir(mode=0o750)
    os.chdir(tmp_path / "here")
    before = os.stat(".").st_ino
    ran = ccm("new")
    assert ran.out.startswith("Made in this directory:\n")
    assert "\n  cd " not in ran.out
    assert (os.stat(tmp_path / "here").st_ino, set(os.listdir())) == (before, NAMES)


def test_modes_follow_the_umask(ccm, tmp_path):
    old = os.umask(0o027)
    try:
        ccm("new", "site")
    finally:
        os.umask(old)
    modes = {
        name: stat.S_IMODE(os.stat(tmp_path / "site" / name).st_mode) for name in (".", "manifest.yaml", "test.sh")
    }
    assert modes == {".": 0o750, "manifest.yaml": 0o640, "test.sh": 0o750}


def test_a_directory_with_anything_in_it_is_refused(ccm, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/.hidden").touch()
    ran = ccm("new", "full")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == (
        "ccm: error: the directory full is not empty\n"
        "  give a directory that is empty, or one that does not exist: nothing is overwritten\n"
    )
    assert os.listdir(tmp_path / "full") == [".hidden"]


@pytest.mark.parametrize("made", ["file", "link"])
def test_what_is_no_directory_is_refused(ccm, tmp_path, made):
    if made == "file":
        (tmp_path / "x").touch()
    else:
        (tmp_path / "x").symlink_to("nowhere")
    ran = ccm("new", "x")
    assert (ran.status, "ccm: error: x is not a directory\n  give a directory" in ran.err) == (1, True)
    assert os.listdir(tmp_path) == ["x"]


def test_a_place_that_cannot_be_written(ccm, tmp_path):
    (tmp_path / "f").touch()
    ran = ccm("new", "f/site")
    assert ran.status == 1
    assert ran.err.startswith("ccm: error: cannot make a manifest in f/site: ")
    assert "give the path of a directory that you may write, or that can be made\n" in ran.err


@pytest.mark.parametrize("error", [OSError(28, "full"), KeyboardInterrupt()], ids=["disk", "interrupted"])
@pytest.mark.parametrize("exists", [False, True])
def test_nothing_is_left_where_it_does_not_succeed(ccm, tmp_path, monkeypatch, exists, error):
    whole = new._write

    def write(path, text, mode):
        whole(path, text, mode)
        if path.endswith("test.sh"):
            raise error

    monkeypatch.setattr(new, "_write", write)
    if exists:
        (tmp_path / "site").mkdir()
    ran = ccm("new", "site")
    assert (ran.status, ran.out) == (130 if isinstance(error, KeyboardInterrupt) else 1, "")
    assert list(tmp_path.rglob("*")) == ([tmp_path / "site"] if exists else [])


def test_moved_entries_are_removed_where_a_later_one_fails(ccm, tmp_path, monkeypatch):
    (tmp_path / "site").mkdir()
    rename = os.rename

    def failing(source, target):
        if target.endswith("test.sh"):
            raise OSError(28, "full")
        rename(source, target)

    monkeypatch.setattr(os, "rename", failing)
    assert ccm("new", "site").status == 1
    assert os.listdir(tmp_path / "site") == []

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What shells are answered, and the scripts that ask."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from ccm.cli.completion import candidates


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ([""], ["apply", "completion", "ensure", "facts", "hiera", "lint", "session", "status"]),
        (["ap"], ["apply"]),
        (["--debug", "se"], ["session"]),
        (["ensure", ""], ["exec", "file", "package", "scaffold", "service", "api"]),
        (["ensure", "package", "x", ""], ["present", "absent", "latest"]),
        (["ensure", "pkg", "x", "--lo"], ["--lock-timeout"]),
        (["ensure", "service", "x", "s"], ["stopped"]),
        (["ensure", "svc", "x", "--e"], ["--enable"]),
        (["ensure", "--noop", "--session", "x", "f"], ["file"]),
        (["ensure", "api", ""], ["piped"]),
        (["apply", "--no"], ["--no-read-env", "--noop", "--no-report"]),
        (["apply", "--noop", "--no"], ["--no-read-env", "--no-report"]),
        (["apply", "--fact", "a=1", "--fact"], ["--fact", "--facts"]),
        (["apply", "m.yaml", "--read-env", "--re"], ["--render", "--report", "--registration"]),
        (["ensure", "file", "/x", "--mo"], ["--mode"]),
        (["ensure", "file", "/x", "--se"], ["--session"]),
        (["ensure", "file", "/x", ""], ["present", "absent", "directory"]),
        (["ensure", "file", "/x", "--mode", "0644", "a"], ["absent"]),
        (["ensure", "exec", "x", "--provider", ""], ["posix", "shell"]),
        (["status", "s"], ["scaffold", "service"]),
        (["completion", ""], ["bash", "fish", "zsh"]),
        (["apply", ""], []),
        (["apply", "--hiera", ""], []),
        (["nosuch", ""], []),
        (["apply", "--nosuch", ""], []),
    ],
)
def test_candidates(words, wanted):
    assert candidates(words) == wanted


def test_shells_ask_through_a_hidden_flag(ccm):
    ran = ccm("--completion-bash", "status", "f")
    assert (ran.status, ran.out, ran.err) == (0, "file\n", "")
    assert ccm("--completion-bash").out.startswith("apply\n")
    assert ccm("--completion-bash", "apply", "--help").out == "--help\n"


def test_scripts_have_two_names(ccm):
    assert ccm("--completion-script-bash").out == ccm("completion", "bash").out != ""
    assert ccm("--completion-script-zsh").out == ccm("completion", "zsh").out != ""
    assert ccm("completion", "tcsh").status == 1


def test_bash_completes(ccm, tmp_path):
    script = ccm("completion", "bash").out
    command = tmp_path / "ccm"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ccm.cli "$@"\n')
    command.chmod(0o755)
    ask = (
        script
        + '\nCOMP_WORDS=(ccm ensure file "/a b" d) COMP_CWORD=4\n_ccm_complete\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        ["bash", "-c", ask], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True, check=True
    )
    assert done.stdout == "directory\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_parse(ccm, shell):
    if not shutil.which(shell):
        pytest.skip(f"there is no {shell}")
    script = ccm("completion", shell).out
    subprocess.run([shell, "-n"], input=script, text=True, check=True)

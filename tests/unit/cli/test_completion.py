# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What shells are answered, and the scripts that ask."""

from __future__ import annotations

import subprocess
import sys

import pytest
from ccm.cli.completion import candidates
from ccm.cli.root import ROOT


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["r"], ["registration"]),
        (["reg", ""], ["create", "init", "query", "rm", "watch"]),
        (["registration", "c", "--a"], ["--address", "--annotation"]),
        (["ensure", "exec", "x", "--require", "f"], ["file#"]),
        (["ensure", "svc", "x", "-S", "ex"], ["exec#"]),
        (["--log-format", ""], ["text", "json"]),
        (["--log-format=j"], ["--log-format=json"]),
        (["--log-format", "=", "j"], ["json"]),
        (["--log-format", "="], ["text", "json"]),
        (["facts", "host.info.platformF"], ["host.info.platformFamily"]),
        (["facts", "host.i"], ["host.info."]),
        (["facts", "nosuch."], []),
        (["apply", "--fact", "hos"], ["host="]),
        (["apply", "--fact", "host=x"], []),
        (["hiera", "parse", "x", "a=1", "hos"], ["host="]),
        (["ap"], ["apply"]),
        (["--debug", "se"], ["session"]),
        (["ensure", ""], ["archive", "exec", "file", "package", "scaffold", "service", "api"]),
        (["ensure", "package", "x", ""], ["present", "absent", "latest"]),
        (["ensure", "pkg", "x", "--lock"], ["--lock-timeout"]),
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


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["apply", ""], 0),
        (["apply", "--facts", ""], 0),
        (["ensure", "file", "/x", "--source=/et"], 0),
        (["ensure", "scaffold", ""], 4),
        (["session", "report", "--session", ""], 4),
        (["ensure", "exec", "x", "--alias", ""], 3),
        (["ensure", "exec", "x", ""], 3),
        (["apply", "--nosuch", ""], 3),
        (["status", "f"], 0),
    ],
)
def test_the_exit_status_tells_of_files(ccm, words, status):
    assert ccm("--completion-bash", *words).status == status


def test_every_command_of_the_help_is_completed():
    assert candidates([""]) == [name for name, _help in ROOT.commands]


@pytest.fixture
def shell(tmp_path):
    """Run a script in a shell that finds our command, in a directory with a file and a directory."""

    def run(name, script):
        command = tmp_path / "bin/ccm"
        command.parent.mkdir()
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ccm.cli "$@"\n')
        command.chmod(0o755)
        (tmp_path / "here/deep").mkdir(parents=True)
        (tmp_path / "here/site.yaml").touch()
        env = {"PATH": f"{command.parent}:/usr/bin:/bin", "HOME": str(tmp_path), "TERM": "dumb"}
        return subprocess.run(
            [name, "-c", script], env=env, cwd=tmp_path / "here", capture_output=True, text=True, check=False
        )

    return run


@pytest.mark.needs("bash")
@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (["ensure", "file", "/a b", "d"], "directory\n"),
        (["ensure", "exec", "x", "--provider", "=", "s"], "shell\n"),
        (["facts", "host.info.platformF"], "host.info.platformFamily\n"),
        (["ensure", "exec", "x", "--alias", ""], "\n"),
    ],
)
def test_bash_completes(ccm, shell, line, wanted):
    words = " ".join(f"'{word}'" for word in ["ccm", *line])
    ask = f"COMP_WORDS=({words}) COMP_CWORD={len(line)}\n_ccm_complete\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
    done = shell("bash", ccm("completion", "bash").out + ask)
    assert (done.stdout, done.stderr) == (wanted, "")


@pytest.mark.needs("fish")
@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("ccm ens", ["ensure"]),
        ("ccm ensure file x dir", ["directory"]),
        ("ccm facts host.i", ["host.info."]),
        ("ccm ensure exec x --provider=s", ["--provider=shell"]),
        ("ccm apply si", ["site.yaml"]),
        ("ccm ensure scaffold d", ["deep/"]),
        ("ccm ensure exec x --alias s", []),
    ],
)
def test_fish_completes(ccm, shell, line, wanted):
    done = shell("fish", ccm("completion", "fish").out + f"complete --do-complete '{line}'\n")
    assert [found.partition("\t")[0] for found in done.stdout.splitlines()] == wanted


ZSH_TRIAL = """
compadd() {{ local name=$@[-1]; print -rl -- "${{(@P)name}}" }}
_files() {{ print -r -- "files $*" }}
compset() {{ : }}
compdef() {{ : }}
{script}
words=({line}) CURRENT={count} PREFIX={last}
_ccm
"""


@pytest.mark.needs("zsh")
@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (["ens"], "ensure\n"),
        (["ensure", "file", "x", "dir"], "directory\n"),
        (["facts", "host.i"], "host.info.\n"),
        (["apply", "si"], "files \n"),
        (["ensure", "scaffold", "d"], "files -/\n"),
        (["ensure", "exec", "x", "--alias", "s"], ""),
    ],
)
def test_zsh_completes(ccm, shell, line, wanted):
    script = ZSH_TRIAL.format(
        script=ccm("completion", "zsh").out, line=" ".join(["ccm", *line]), count=len(line) + 1, last=line[-1]
    )
    done = shell("zsh", script)
    assert (done.stdout, done.stderr) == (wanted, "")


@pytest.mark.parametrize(
    "shell", [pytest.param(name, marks=pytest.mark.needs(name)) for name in ("bash", "zsh", "fish")]
)
def test_scripts_parse(ccm, shell):
    script = ccm("completion", shell).out
    subprocess.run([shell, "-n"], input=script, text=True, check=True)

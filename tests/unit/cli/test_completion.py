# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The completion for shells, and the scripts that request it."""

from __future__ import annotations

import contextlib
import os
import pty
import shlex
import subprocess

import pytest
from ccm.cli.completion import candidates
from ccm.cli.root import ROOT
from ccm.resources.types import TYPE_NAMES, TYPES, required_type

from tests.tools.docs import all_commands
from tests.unit.layout import CCM

#: Properties, and the names of resources, whose values are in general not paths and cannot be proposed.
OF_TYPES = {f"--{prop.name}".replace("_", "-") for name in TYPE_NAMES for prop in required_type(name).own_properties}
OF_TYPES |= {f"ensure {name} <name>" for name in TYPE_NAMES}
#: Other flags and arguments, with their commands, for which that is true.
PLAIN_WORDS = {
    "--address", "--alias", "--annotation", "--cluster", "--context", "--download-limit", "--download-timeout",
    "--edges", "--env-prefix", "--header", "--if", "--lock-timeout", "--max-age", "--parallel", "--protocol",
    "--query", "--registration", "--service", "--ttl",
    "ensure archive <url>", "publish <target>", "registration query <address>", "registration query <cluster>",
    "registration query <protocol>", "registration query <service>", "registration watch <cluster>",
    "registration watch <ip>", "registration watch <protocol>", "registration watch <service>",
}  # fmt: skip


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
        (["ensure", ""], [*(listed.name for listed in TYPES if listed.help), "api"]),
        (["ensure", "package", "x", ""], ["present", "absent", "latest", "purged"]),
        (["ensure", "pkg", "x", "--lock"], ["--lock-timeout"]),
        (["ensure", "service", "x", "s"], ["stopped"]),
        (["ensure", "svc", "x", "--e"], ["--enable"]),
        (["ensure", "--noop", "--session", "x", "f"], ["file"]),
        (["ensure", "api", ""], ["piped"]),
        (
            ["apply", "--no"],
            ["--no-read-env", "--noop", "--no-report", "--no-autoedges", "--no-autogroup", "--no-state"],
        ),
        (
            ["apply", "--noop", "--no"],
            ["--no-read-env", "--no-report", "--no-autoedges", "--no-autogroup", "--no-state"],
        ),
        (["apply", "--fact", "a=1", "--fact"], ["--fact", "--facts"]),
        (["apply", "m.yaml", "--read-env", "--re"], ["--render", "--report", "--register", "--registration"]),
        (["ensure", "file", "/x", "--mo"], ["--mode"]),
        (["ensure", "file", "/x", "--se"], ["--session"]),
        (["ensure", "file", "/x", ""], ["present", "absent", "directory", "link"]),
        (["ensure", "file", "/x", "--mode", "0644", "a"], ["absent"]),
        (["ensure", "exec", "x", "--provider", ""], ["posix", "shell"]),
        (["status", ""], [listed.name for listed in TYPES if listed.has_status]),
        (["completion", ""], ["bash", "fish", "zsh"]),
        (["apply", ""], []),
        (["apply", "--hiera", ""], []),
        (["nosuch", ""], []),
        (["apply", "--nosuch", ""], []),
    ],
)
def test_candidates(words, wanted):
    assert candidates(words) == wanted


def test_shells_request_completion_through_a_hidden_flag(ccm):
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
        (["lint", "mot"], 0),
        (["lint", "x.yaml", "mot"], 0),
        (["ensure", "--hiera", "mot"], 0),
        (["ensure", "exec", "x", "--cwd=/t"], 4),
        (["ensure", "exec", "x", "--alias", ""], 3),
        (["ensure", "exec", "x", ""], 3),
        (["apply", "--nosuch", ""], 3),
        (["status", "f"], 0),
    ],
)
def test_the_exit_status_requests_completion_of_files(ccm, words, status):
    assert ccm("--completion-bash", *words).status == status


def places():
    """Return each argument and flag that takes a text: its name, the words before it, its declaration."""
    for command in all_commands():
        words = command.path.split()
        for at, argument in enumerate(command.arguments):
            if argument.kind in ("text", "texts"):
                yield f"{command.path} <{argument.name}>", [*words, *["x"] * at], argument
        for flag in command.flags:
            if flag.kind in ("text", "texts", "map", "file"):
                yield f"--{flag.name}", [*words, f"--{flag.name}"], flag


def test_values_that_are_paths_complete_to_files(ccm):
    """A new flag or argument declares its kind, `path`, `offered` or `choices`, or is in one of the lists above."""
    plain = {name for name, _words, place in places() if not (place.path or place.offered)}
    assert plain - OF_TYPES == PLAIN_WORDS
    paths = [(words, place.path) for _name, words, place in places() if place.path]
    assert len(paths) > 30
    for words, path in paths:
        wanted = 4 if path == "directory" else 0
        assert ccm("--completion-bash", *words, "").status == wanted, words
        if words[-1].startswith("--"):
            assert ccm("--completion-bash", *words[:-1], f"{words[-1]}=x").status == wanted, words


def test_every_command_of_the_help_is_completed():
    assert candidates([""]) == [name for name, _help in ROOT.commands]


@pytest.fixture
def in_test_directory(tmp_path):
    """Return how to start a program that finds our command, in a directory with a file and a directory."""
    command = tmp_path / "bin/ccm"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.join(CCM)} "$@"\n')
    command.chmod(0o755)
    (tmp_path / "here/deep").mkdir(parents=True)
    (tmp_path / "here/site.yaml").touch()
    env = {"PATH": f"{command.parent}:/usr/bin:/bin", "HOME": str(tmp_path), "TERM": "dumb"}
    return {"env": env, "cwd": tmp_path / "here"}


@pytest.fixture
def shell(in_test_directory):
    """Run a script in a shell."""

    def run(name, script):
        return subprocess.run([name, "-c", script], **in_test_directory, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def terminal(in_test_directory):
    """Run an interactive shell until it ends with this input; return the output of its terminal."""

    def run(*words, typed=""):
        ours, its = pty.openpty()
        os.write(ours, typed.encode())
        process = subprocess.Popen(
            words, **in_test_directory, stdin=its, stdout=its, stderr=its, start_new_session=True
        )
        os.close(its)
        terminal_output = b""
        # The terminal of a shell that has ended gives an error.
        with os.fdopen(ours, "rb", 0) as output, contextlib.suppress(OSError):
            while piece := output.read(4096):
                terminal_output += piece
        process.wait()
        return terminal_output.decode()

    return run


@pytest.mark.starts_processes
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
    script = f"COMP_WORDS=({words}) COMP_CWORD={len(line)}\n_ccm_complete\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
    done = shell("bash", ccm("completion", "bash").out + script)
    assert (done.stdout, done.stderr) == (wanted, "")


@pytest.mark.starts_processes
@pytest.mark.needs("bash")
def test_bash_completes_files(ccm, terminal, tmp_path):
    (tmp_path / ".bashrc").write_text(ccm("completion", "bash").out)
    # Type a line, complete it, and make it a comment.
    lines = ["lint si", "apply --hiera=si", "session report --session=d", "ensure exec x --cwd si"]
    terminal_output = terminal("bash", "-i", typed="".join(f"ccm {line}\t\x01# \n" for line in lines) + "exit\n")
    assert (tmp_path / ".bash_history").read_text().splitlines() == [
        "# ccm lint site.yaml ",
        "# ccm apply --hiera=site.yaml ",
        "# ccm session report --session=deep/",
        "# ccm ensure exec x --cwd si",
        "exit",
    ], terminal_output


@pytest.mark.starts_processes
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


# At its first prompt, zsh reads a line as input, presses TAB, and prints the result.
ZSH_TRIAL = """
autoload -Uz compinit
compinit -u -D
{script}
lines=({lines})
_trial() {{
    BUFFER=${{lines[1]}} CURSOR=${{#lines[1]}}
    zle complete-word
    print -r -- "$BUFFER" >> $HOME/completed
    shift lines
    (( $#lines )) || exit
    BUFFER=
    zle accept-line
}}
zle -N zle-line-init _trial
"""

ZSH_LINES = {
    "ccm ens": "ccm ensure ",
    "ccm ensure file x dir": "ccm ensure file x directory ",
    "ccm facts host.i": "ccm facts host.info.",
    "ccm ensure exec x --provider=s": "ccm ensure exec x --provider=shell ",
    "ccm apply si": "ccm apply site.yaml ",
    "ccm lint si": "ccm lint site.yaml ",
    "ccm apply --hiera=si": "ccm apply --hiera=site.yaml ",
    "ccm ensure scaffold d": "ccm ensure scaffold deep/",
    "ccm session report --session=d": "ccm session report --session=deep/",
    "ccm ensure exec x --cwd=d": "ccm ensure exec x --cwd=deep/",
    "ccm ensure exec x --alias s": "ccm ensure exec x --alias s",
}


@pytest.mark.starts_processes
@pytest.mark.needs("zsh")
def test_zsh_completes(ccm, terminal, tmp_path):
    lines = " ".join(f"'{line}'" for line in ZSH_LINES)
    (tmp_path / ".zshrc").write_text(ZSH_TRIAL.format(script=ccm("completion", "zsh").out, lines=lines))
    terminal_output = terminal("zsh", "--no-globalrcs", "-i")
    assert dict(zip(ZSH_LINES, (tmp_path / "completed").read_text().splitlines(), strict=True)) == ZSH_LINES, (
        terminal_output
    )


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    "shell", [pytest.param(name, marks=pytest.mark.needs(name)) for name in ("bash", "zsh", "fish")]
)
def test_scripts_parse(ccm, shell):
    script = ccm("completion", shell).out
    subprocess.run([shell, "-n"], input=script, text=True, check=True)

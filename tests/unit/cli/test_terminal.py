# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What others wrote does not control the terminal of a user (behaviour.md 19, decisions.md Q113)."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys

import pytest
from ccm.cli.console import UserLog
from ccm.cli.failure import report
from ccm.cli.terminal import Terminal, write_as_is
from ccm.lang.controls import escaped_lines, shortened
from ccm.nats.errors import NatsError

#: Escape sequences, a bell, a carriage return, C1 as UTF-8 and as a byte, and a change of the direction.
CONTROLS = "\x1b[2J\x1b]0;title\x07\r\u009b31m\udc9b\u202e"
ESCAPED = r"\x1b[2J\x1b]0;title\a\r\u009b31m\x9b\u202e"
SURE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (CONTROLS, ESCAPED),
        ("a\tb\nc\r\nd", "a\tb\nc\r\nd"),
        ("é 日本\u3000\u00a0👨\u200d👩", "é 日本\u3000\u00a0👨\u200d👩"),
        ("\x00\x7f\x80\u2066", r"\x00\u007f\u0080\u2066"),
    ],
)
def test_characters_that_control_a_terminal(text, written):
    assert escaped_lines(text) == written


def test_a_text_is_shortened_to_what_is_shown_of_it():
    assert shortened("a\x1bbc", 5) == "a\x1b"
    assert shortened("a\x1bbc", 6) == "a\x1bb"
    assert shortened("\x1b", 3) == ""
    assert shortened("abc", 3) == "abc"


def test_a_stream_to_a_terminal_has_the_colours_of_ccm_only():
    kept = io.BytesIO()
    stream = Terminal(kept, encoding="utf-8", errors="surrogateescape", line_buffering=True)
    assert stream.write(CONTROLS) == len(CONTROLS)
    stream.writelines(["\x1b[1m", "\n"])
    write_as_is(stream, "\x1b[1m\n")
    stream.flush()
    assert kept.getvalue().decode() == ESCAPED + "\\x1b[1m\n\x1b[1m\n"


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("stream", "written"), [(Screen, "ccm: error: t\n  a\n"), (io.StringIO, "ccm: error: t\n")])
def test_advice_to_an_error_that_scripts_read(monkeypatch, stream, written):
    monkeypatch.setattr(sys, "stderr", stream())
    report(NatsError("t", advice="a"))
    assert sys.stderr.getvalue() == written


@pytest.mark.parametrize("no_colour", ["", "1"])
def test_lines_of_the_log(monkeypatch, no_colour):
    monkeypatch.setenv("NO_COLOR", no_colour)
    out, pipe = Screen(), io.StringIO()
    UserLog(out).error(CONTROLS, errors=CONTROLS)
    UserLog(out).print(CONTROLS)
    UserLog(pipe).error(CONTROLS, errors=CONTROLS)
    UserLog(pipe).print(CONTROLS)
    for written in (SURE.sub("", out.getvalue()), pipe.getvalue()):
        assert written == f" ERROR {ESCAPED} errors={ESCAPED}\n{ESCAPED}"


def on_a_terminal(directory, *words):
    """Run the command on a terminal; return what it writes there, stdout and stderr."""
    ours, theirs = os.openpty()
    environment = {"PATH": os.environ["PATH"], "HOME": str(directory), "TERM": "xterm"}
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; from ccm.cli.main import main; sys.exit(main())", *map(str, words)],
        cwd=directory,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ):
        os.close(theirs)
        written = b""
        with contextlib.suppress(OSError):  # the terminal is closed
            while chunk := os.read(ours, 65536):
                written += chunk
        os.close(ours)
    return written.replace(b"\r\n", b"\n").decode()


OUTPUT = r"printf '\033[2Jbeg\007in\rend\302\233\033[31mred\n'"
SHOWN = r"\x1b[2Jbeg\ain\rend\u009b\x1b[31mred"


@pytest.mark.starts_processes
def test_the_output_of_a_command(tmp_path):
    words = ("ensure", "exec", OUTPUT, "--provider", "shell", "--logoutput")
    written = on_a_terminal(tmp_path, *words)
    assert SHOWN in written
    assert "\x1b" not in SURE.sub("", written)
    assert "\x1b[42;97m" in written
    run = subprocess.run(
        [sys.executable, "-c", "import sys; from ccm.cli.main import main; sys.exit(main())", *words],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert f" INFO  {SHOWN}\n".encode() in run.stdout


@pytest.mark.starts_processes
def test_messages_errors_and_differences(tmp_path, me):
    """An error of a command, the texts of a manifest, a difference, and names in plans."""
    owner, group = me
    file = {"content": "\x1b[2J\n", "owner": owner, "group": group, "mode": "0644"}
    fails = {"command": f'sh -c "{OUTPUT} >&2; exit 1"'}
    manifest = {
        "ccm": {"resources": [{"exec": [{"fails": fails}]}, {"file": [{f"{tmp_path}/f": file}]}]},
        "data": {"\x1b[2Jkey": "\u009bvalue"},
    }
    manifest["ccm"]["pre_message"] = "\x1b[2J"
    (tmp_path / "\x1b[2Jm.yaml").write_text(json.dumps(manifest))
    for words in (("plan",), ("plan", "--json"), ("lint",), ("apply", "--diff")):
        written = on_a_terminal(tmp_path, *words, "\x1b[2Jm.yaml")
        assert "2J" in written, words
        assert "\x1b[2J" not in written, words
        assert "\u009b" not in written, words


def test_terminal_escapes_are_quoted(ccm, tmp_path):
    manifest = tmp_path / "m.yaml"
    manifest.write_text('ccm:\n  resources:\n    - exec:\n        - "x\\ey": {cwdd: 1} # \x1b[31m\n', encoding="utf-8")
    for command in ("apply", "lint"):
        ran = ccm(command, manifest)
        assert ran.status == 1
        assert "\x1b" not in ran.out + ran.err
        assert "# \\x1b[31m" in ran.out + ran.err

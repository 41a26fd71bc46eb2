# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual page: complete, and valid roff."""

from __future__ import annotations

import re
import subprocess

import pytest
from ccm.cli.command import Command
from ccm.cli.manpage import manual_page
from ccm.cli.root import ROOT
from ccm.model.flags import Argument, Flag

from tests.tools.docs import all_commands

from ..layout import sources


def test_every_command_flag_argument_and_variable_is_there(ccm):
    page = ccm("--help-man").out.replace("\\-", "-").replace("\\e", "\\")
    for command in all_commands():
        assert f"\n.SS {command.name} " in page or f"\n.SS {command.name}\n" in page or not command.path
        for flag in command.flags:
            assert f"--{flag.name}" in page or f"--[no-]{flag.name}" in page
            assert flag.env in page
        for argument in command.arguments:
            assert argument.help in page
        for alias in command.aliases:
            assert alias in page


def test_every_variable_that_is_read_is_documented():
    page = manual_page(ROOT).replace("\\-", "-").replace("\\fB", "")
    assert (
        "\nThe value of --hiera of apply, drift, ensure, graph, lint, orphans, plan, watch when that is not given."
        in page
    )
    documented = page.partition(".SH ENVIRONMENT")[2].partition(".SH FILES")[0]
    code = "".join(path.read_text() for path in sources())
    read = set(re.findall(r'environ(?:\.get\(|\[)"(\w+)"', code)) - {"PATH"}
    assert len(read) > 5
    assert read <= set(re.findall(r"\w+", documented))


def test_the_page_ends_with_files_and_references(ccm):
    page = ccm("--help-man").out
    files, _see, others = page.partition(".SH FILES")[2].partition(".SH SEE ALSO")
    assert all(f"{name}\\fR\n" in files for name in ("/etc/choria/ccm", ".hiera", ".env"))
    assert "systemctl(1)" in others
    assert ccm("--help-man").out == page


def test_texts_are_escaped_for_roff():
    command = Command(
        "odd",
        ".so nothing",
        details="'tis\n\n  a \\n b",
        flags=(Flag("x", "text", ".br of \\ it"),),
        arguments=(Argument("y", "'z"),),
    )
    page = manual_page(Command("", "x", commands=(("odd", ""),), find=lambda name: command))
    for line in ("\\&.so nothing.", "\\&'tis", "  a \\en b", "\\&.br of \\e it", "\\&'z"):
        assert f"\n{line}\n" in page


@pytest.mark.starts_processes
@pytest.mark.needs("mandoc")
def test_mandoc_accepts_the_page():
    done = subprocess.run(
        ["mandoc", "-Tlint", "-Wwarning"], input=manual_page(ROOT), capture_output=True, text=True, check=False
    )
    assert [line for line in done.stdout.splitlines() if "missing date" not in line] == []

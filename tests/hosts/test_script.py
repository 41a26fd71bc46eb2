# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The script of every command and flag does what it did with the original: exit statuses, stdout, the host after."""

from __future__ import annotations

import pathlib

CONFORMANCE = pathlib.Path(__file__).parents[1] / "conformance"


def test_scripts_for_the_original_run_as_they_did(booted):
    host = booted("bookworm")
    host.copy_in(CONFORMANCE, "/srv/conformance")
    command = ["python3", "/srv/conformance/script/run.py", "--ccm", "/usr/local/bin/ccm"]
    done = host.run(command, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "steps as recorded" in done.stdout

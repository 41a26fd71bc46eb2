# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures for pytest: a test file, or its conftest.py, imports them from `ccm.testing`."""

from __future__ import annotations

from .recorded_log import RecordedLog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Callable

    from pytest import MonkeyPatch, fixture
else:
    try:
        from pytest import fixture
    except ImportError:

        def fixture(function):
            """Return the function: checks of collections import every file, without pytest."""
            return function


@fixture
def recorded_log() -> RecordedLog:
    """Return a log that records its messages."""
    return RecordedLog()


@fixture
def fake_program(tmp_path: Path, monkeypatch: MonkeyPatch) -> Callable[..., Path]:
    """Put a shell script first in PATH: fake_program("dnf", "exit 1"); `$0` is a path in its own directory."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    def make(name: str, text: str = "") -> Path:
        program = folder / name
        program.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        program.chmod(0o755)
        return program

    return make

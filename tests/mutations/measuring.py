# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which lines of the package each test file runs, and how long it takes, kept until the code or the file changes."""

from __future__ import annotations

import hashlib
import json
import pathlib
import time

import coverage

from tests.unit.layout import ROOT, tracked

from .copies import Copy
from .suites import Suite

KEPT = ROOT / "tests/output/mutations"
# Test files change their lines only for themselves; all other files below these may do it for each.
FOLDERS = ("plugins", "bin", "tests/unit", "tests/conformance", "tests/hosts", "tests/tools", "docs")
SETTINGS = """\
[run]
data_file = {folder}/lines
parallel = true
include = {root}/plugins/*
patch = _exit, fork
disable_warnings = couldnt-parse, no-data-collected, module-not-imported, already-imported
"""


class Measured:
    """What one suite did without a fault: its seconds, the tests that failed, and the lines that it ran, by file."""

    def __init__(self, seconds: float, failed: list[str], lines: dict[str, list[int]]) -> None:
        self.seconds = seconds
        self.failed = frozenset(failed)
        self._lines = lines

    def runs(self, file: str, lines: set[int]) -> bool:
        return not lines.isdisjoint(self._lines.get(file, ()))


class Kept:
    """What was measured, one file for each suite in tests/output/mutations."""

    def __init__(self) -> None:
        self._common = hashlib.sha256()
        for name in tracked(*FOLDERS):
            if not (name.name.startswith("test_") or _is_recorded(name)):
                self._common.update(f"{name} ".encode() + (ROOT / name).read_bytes())

    def path(self, suite: Suite, root: pathlib.Path = ROOT) -> pathlib.Path:
        """Return where to keep what was measured of a suite in a checkout."""
        key = self._common.copy()
        place = root / suite.path()
        for path in sorted(place.rglob("*.yaml")) if place.is_dir() else [place]:
            key.update(path.read_bytes())
        return KEPT / f"{suite.name.replace('/', '+').replace(' ', '+')}.{key.hexdigest()[:16]}.json"

    def get(self, suite: Suite) -> Measured | None:
        path = self.path(suite)
        return Measured(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None

    def measure(self, copy: Copy, suite: Suite) -> Measured:
        """Run a suite, noting its lines, and keep the result."""
        begin = time.monotonic()
        with _Noting(copy) as noting:
            failed = suite.run(copy, all_of_it=True).failed
            seconds = time.monotonic() - begin
            lines = noting.lines()
        if failed:
            # Some tests do not pass while lines are noted, for example when they look at what is imported.
            begin = time.monotonic()
            failed = suite.run(copy, all_of_it=True).failed
            seconds = time.monotonic() - begin
        path = self.path(suite, copy.root)
        path.parent.mkdir(parents=True, exist_ok=True)
        for former in path.parent.glob(f"{path.name.rpartition('.')[0].rpartition('.')[0]}.*.json"):
            former.unlink()
        kept = {"seconds": round(seconds, 1), "failed": list(failed), "lines": lines}
        path.write_text(json.dumps(kept), encoding="utf-8")
        return Measured(**kept)


class _Noting:
    """Within it, each Python process of a copy notes the lines that it runs."""

    def __init__(self, copy: Copy) -> None:
        self._copy = copy
        self._folder = copy.environment / "lines"
        self._settings = copy.environment / "noted_lines.ini"

    def __enter__(self) -> _Noting:
        self._folder.mkdir()
        self._folder.chmod(0o777)  # some processes are other users
        self._settings.write_text(SETTINGS.format(folder=self._folder, root=self._copy.root))
        return self

    def __exit__(self, *_: object) -> None:
        self._settings.unlink()
        for path in self._folder.iterdir():
            path.unlink()
        self._folder.rmdir()

    def lines(self) -> dict[str, list[int]]:
        found: dict[str, set[int]] = {}
        for path in self._folder.iterdir():
            data = coverage.CoverageData(str(path))
            try:
                data.read()
            except coverage.CoverageException:
                continue  # a process was killed while it wrote
            for file in data.measured_files():
                name = str(pathlib.Path(file).relative_to(self._copy.root))
                found.setdefault(name, set()).update(data.lines(file) or ())
            data.close()
        return {name: sorted(lines) for name, lines in sorted(found.items())}


def _is_recorded(name: pathlib.PurePosixPath) -> bool:
    return name.suffix == ".jsonl" or "cases" in name.parts

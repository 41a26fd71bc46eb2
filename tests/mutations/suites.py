# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What may find a fault: test files, the recorded vectors and cases; how each is run, and which test of it failed."""

from __future__ import annotations

import dataclasses
import pathlib
import re
import subprocess

from .copies import Copy

# Longer than any file takes; a test that hangs ends before, by the limit of pytest.
LIMIT = 1800.0
LEFT_OUT = {
    "tests/unit/test_startup.py": "it measures a regular installation, which each fault would have to be installed in",
    "tests/unit/test_mutations.py": "it looks for the old texts of the faults",
}
# Exit codes of pytest: files that cannot be imported, and no test that is not left out.
_NOT_COLLECTED = 2
_NOTHING_LEFT = 5
_CASE = re.compile(r"(?m)^FAIL (.*)$")
_VECTOR = re.compile(r"(?m)^  (\S.*)$")


@dataclasses.dataclass(frozen=True)
class Suite:
    """One unit that is run as a whole: the path of a test file, `vectors KIND` or `cases AREA`."""

    name: str

    def path(self) -> str:
        """Return the path of what it consists of, in the checkout."""
        kind, _blank, name = self.name.partition(" ")
        return {"vectors": f"tests/conformance/vectors/{name}.jsonl", "cases": f"tests/conformance/cases/{name}"}.get(
            kind, self.name
        )

    def run(self, copy: Copy, *, without: frozenset[str] = frozenset(), only: str = "", all_of_it: bool = False) -> Ran:
        """Run it in a copy up to the first failure, or `all_of_it`; ONLY one of its tests, or without WITHOUT."""
        try:
            return self._run(copy, without, only, all_of_it)
        except subprocess.TimeoutExpired:
            return Ran((), f"{self.name} did not end in {LIMIT:.0f} s, which is not found by a test")

    def _run(self, copy: Copy, without: frozenset[str], only: str, all_of_it: bool) -> Ran:
        kind, _blank, name = self.name.partition(" ")
        if kind == "vectors":
            words = ["-m", "tests.conformance.vectors", "tests/conformance/vectors", "--file", name, "--verbose"]
            return self._recorded(copy, words, without, _VECTOR)
        if kind == "cases":
            command = ["--ccm", f"{copy.python} {copy.root}/bin/ccm"]
            words = ["-m", "tests.conformance.run", *command, "--needs", "http,root", "--only", f"{name}/*"]
            return self._recorded(copy, words, without, _CASE)
        failed = copy.environment / "failed"
        failed.unlink(missing_ok=True)
        left_out = [f"--deselect={test}" for test in sorted(without)]
        words = ["-m", "pytest", "-p", "failed_tests", "--quiet", "--tb=short", *([] if all_of_it else ["-x"])]
        code, said = copy.run([copy.python, *words, *left_out, only or self.name], LIMIT)
        tests = failed.read_text(encoding="utf-8").splitlines() if failed.exists() else []
        hung = "Timeout (>" in said or "+++ Timeout +++" in said
        note = "it hung, pytest-timeout ended it" if hung else ""
        if not tests and (hung or code == _NOT_COLLECTED):
            tests, note = [self.name], note or "it cannot be collected"
        trouble = "" if tests or code in (0, _NOTHING_LEFT) else f"{self.name} ended with {code}"
        return Ran(tuple(dict.fromkeys(tests)), trouble, note)

    def _recorded(self, copy: Copy, words: list[str], without: frozenset[str], failed: re.Pattern) -> Ran:
        code, said = copy.run([copy.python, *words], LIMIT)
        tests = tuple(f"{self.name}: {test}" for test in failed.findall(said)) if code else ()
        trouble = f"{self.name} ended with {code}" if code and not tests else ""
        return Ran(tuple(test for test in tests if test not in without), trouble)


@dataclasses.dataclass(frozen=True)
class Ran:
    """The tests that failed, why it cannot be said which did, and how the first one failed if not as usual."""

    failed: tuple[str, ...]
    trouble: str = ""
    note: str = ""


def suites(root: pathlib.Path) -> list[Suite]:
    """Return everything of a checkout that may find a fault."""
    files = sorted(str(path.relative_to(root)) for path in root.glob("tests/unit/**/test_*.py"))
    vectors = sorted(f"vectors {path.stem}" for path in root.glob("tests/conformance/vectors/*.jsonl"))
    cases = sorted(f"cases {path.name}" for path in root.glob("tests/conformance/cases/*") if path.is_dir())
    return [Suite(name) for name in (*files, *vectors, *cases) if name not in LEFT_OUT]

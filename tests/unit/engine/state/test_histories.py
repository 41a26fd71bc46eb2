# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Histories of a machine: edits by hand, new manifests and commands that change in every run; each cause is right.

CCM_HISTORIES is the number of histories.
"""

from __future__ import annotations

import json
import os
import random

import pytest

from tests.patience import LIMIT, PATIENCE
from tests.seed import numbers

pytestmark = pytest.mark.starts_processes

HISTORIES = int(os.environ.get("CCM_HISTORIES", "40"))
RUNS = 8
NOTHING = None


class Expected:
    """A resource as its history says it is: the content that the manifest wants, and the content of the file."""

    def __init__(self):
        self.wanted = self.there = NOTHING
        self.is_new = True

    def want(self, wanted):
        self.is_new = self.is_new or wanted != self.wanted
        self.wanted = wanted

    def cause(self):
        """Return the cause of the change in the next run, "" when there is none."""
        is_new, self.is_new = self.is_new, False
        if self.there == self.wanted:
            return ""
        self.there = self.wanted
        return "manifest" if is_new else "drift"


class History:
    def __init__(self, seed, directory, ccm, me):
        self.chance = random.Random(seed)
        self.directory = directory / str(seed)
        self.directory.mkdir()
        self.ccm = ccm
        self.owner = {"owner": me[0], "group": me[1], "mode": "0600", "ensure": "present"}
        self.files = {name: Expected() for name in ("a", "b", "made")}
        self.command = Expected()

    def path(self, name):
        return self.directory / name

    def manifest(self):
        """Decide what the manifest wants, now and then something new."""
        for name in ("a", "b"):
            if self.files[name].is_new or self.chance.random() < 0.2:
                self.files[name].want(self.chance.choice(["one", "two", "three"]))
        self.files["made"].want("made")
        self.command.want(
            self.chance.choice(["true", "true ", "true  "])
            if self.chance.random() < 0.2
            else self.command.wanted or "true"
        )
        contents = {name: {"content": self.files[name].wanted, **self.owner} for name in ("a", "b")}
        resources = [
            {"file": [{str(self.path(name)): contents[name]} for name in contents]},
            {
                "exec": [
                    {
                        "make": {
                            "command": f"sh -c 'printf made > {self.path('made')}'",
                            "creates": str(self.path("made")),
                        }
                    }
                ]
            },
            {"exec": [{"always": {"command": self.command.wanted}}]},
        ]
        self.path("m.yaml").write_text(json.dumps({"ccm": {"resources": resources}}))

    def edit(self):
        """Change something by hand, now and then in the same way again."""
        for name, expected in self.files.items():
            if not expected.is_new and self.chance.random() < 0.4:
                there = (
                    NOTHING
                    if name == "made"
                    else self.chance.choice(["by hand", "otherwise", NOTHING, expected.wanted])
                )
                expected.there = there
                self.path(name).unlink(missing_ok=True)
                if there is not NOTHING:
                    self.path(name).write_text(there)
                    self.path(name).chmod(0o600)

    def causes(self, *words):
        done = self.ccm("apply", self.path("m.yaml"), "--log-format", "json", *words)
        records = [json.loads(line) for line in done.out.splitlines()]
        found = [record["fields"].get("cause", "") for record in records if "provider" in record["fields"]]
        return dict(zip([*self.files, "always"], found, strict=True))

    def expected(self):
        found = {name: expected.cause() for name, expected in self.files.items()}
        found["always"] = "manifest" if self.command.is_new else "never converges"
        self.command.is_new = False
        return found


@pytest.mark.soak
@pytest.mark.timeout(LIMIT + PATIENCE * HISTORIES)
def test_each_change_has_the_right_cause(ccm, tmp_path, me):
    changes = 0
    for seed in numbers(HISTORIES):
        history = History(seed, tmp_path, ccm, me)
        for _run in range(RUNS):
            history.edit()
            history.manifest()
            in_noop = history.causes("--noop")
            found, expected = history.causes(), history.expected()
            assert found == expected, seed
            assert in_noop == expected, seed
            changes += sum(map(bool, expected.values()))
    print(f"{HISTORIES} histories, {changes} changes, each with the right cause")

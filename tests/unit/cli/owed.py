# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A manifest with a file, a command that may fail, and a command that subscribes to the file."""

from __future__ import annotations

import json
import re

OUTCOME = re.compile(
    r" (?:file|exec|apply)#.* (changed|stable|refreshed|failed|skipped[a-z ]*) (?:manifest=\S+ )?ensure="
)


class Site:
    def __init__(self, ccm, directory, me):
        self.ccm = ccm
        self.directory = directory
        self.owner = {"owner": me[0], "group": me[1]}
        self.file = directory / "settings"
        self.state = directory / "home/state"
        self.file_attributes = {"mode": "0600", **self.owner}
        self.engine = {}

    def resource_of_file(self, content="one\n", **more):
        given = {"ensure": "present", "content": content, **self.file_attributes, **more}
        return {"file": [{str(self.file): given}]}

    def subscriber(self, name="restart", **more):
        given = {"command": "true", "refreshonly": True, "subscribe": [f"file#{self.file}"], **more}
        return {"exec": [{name: given}]}

    def write(self, *resources, name="m.yaml"):
        ccm = {"resources": list(resources), **({"engine": self.engine} if self.engine else {})}
        (self.directory / name).write_text(json.dumps({"ccm": ccm}))

    def usual(self, between="true", content="one\n", **more):
        last = self.subscriber(require=["exec#between"], **more)
        self.write(self.resource_of_file(content), {"exec": [{"between": {"command": between}}]}, last)

    def apply(self, *words):
        done = self.ccm("apply", "m.yaml", "--no-report", *words)
        assert done.status == 0, done.err
        return done.out

    def outcomes(self, *words):
        """Return the outcome of each resource, with "owed" before it where a refresh was owed."""
        found, owed = [], ""
        for line in self.apply(*words).splitlines():
            if ": owed since " in line:
                owed = "owed "
            elif OUTCOME.search(line):
                found.append(owed + OUTCOME.search(line).group(1).split()[0])
                owed = ""
        return found

    def causes(self, *words):
        done = self.ccm("apply", "m.yaml", "--log-format", "json", *words)
        records = [json.loads(line) for line in done.out.splitlines()]
        return {
            record["msg"].split("#")[0]: record["fields"].get("cause", "")
            for record in records
            if "provider" in record["fields"]
        }

    def kept(self):
        return [path.read_bytes() for path in self.state.rglob("*") if path.is_file()]

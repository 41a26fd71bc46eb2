# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A command that makes a value, and a file that receives it."""

from __future__ import annotations

import json
import re

RECEIVED = "{{ sent('exec#mint').stdout }}"


class Site:
    def __init__(self, ccm, directory, me):
        self.ccm = ccm
        self.directory = directory
        self.owner = {"owner": me[0], "group": me[1]}
        self.file = directory / "received"
        self.made = directory / "made"
        self.state = directory / "home/state"
        self.engine = {}

    def sender(self, value="token-$$", name="mint", code=0, made=True, **more):
        made_words = {"creates": str(self.made)} if made else {}
        command = f'/bin/sh -c "echo {value}; echo told >&2; touch {self.made}; exit {code}"'
        return {"exec": [{name: {"command": command, **made_words, **more}}]}

    def receiver(self, content=RECEIVED, **more):
        return {
            "file": [{str(self.file): {"ensure": "present", "content": content, "mode": "0600", **self.owner, **more}}]
        }

    def write(self, *resources, name="m.yaml"):
        ccm = {"resources": list(resources), **({"engine": self.engine} if self.engine else {})}
        (self.directory / name).write_text(json.dumps({"ccm": ccm}))

    def usual(self, **more):
        self.write(self.sender(**more), self.receiver())

    def apply(self, *words, status=0):
        done = self.ccm("apply", "m.yaml", "--no-report", *words)
        assert done.status == status, done.err
        return done.out + done.err

    def outcomes(self, *words):
        return re.findall(r"#\S+ (changed|stable|refreshed|failed|skipped) ?", self.apply(*words))

    def kept(self):
        return [path for path in self.state.rglob("sent-*") if path.is_file()]

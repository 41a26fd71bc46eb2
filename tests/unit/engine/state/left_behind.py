# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A manifest from which resources are removed, and the files that remain of them."""

from __future__ import annotations

import json

NOOP = {"exec": [{"true": {"unless": "true"}}]}


class Site:
    def __init__(self, ccm, directory, me):
        self.ccm = ccm
        self.directory = directory
        self.owner = {"owner": me[0], "group": me[1], "mode": "0700", "ensure": "present"}

    def path(self, name):
        return self.directory / name

    def file(self, name, **properties):
        return {"file": [{str(self.path(name)): {**self.owner, **properties}}]}

    def apply(self, *resources, words=()):
        self.path("m.yaml").write_text(json.dumps({"ccm": {"resources": list(resources)}}))
        done = self.ccm("apply", "m.yaml", *words)
        assert (done.status, " failed " in done.out) == (0, False), done.out

    def orphans(self, *words):
        done = self.ccm("orphans", "m.yaml", *words)
        assert done.err == ""
        *found, count = done.out.splitlines()
        assert count == f"{len(found)} orphan{'' if len(found) == 1 else 's'}"
        assert done.status == (2 if found else 0)
        return found

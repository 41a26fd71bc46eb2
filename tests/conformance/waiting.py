# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What waits for something that is not built yet, from waiting.yaml."""

from __future__ import annotations

import fnmatch
import pathlib

import yaml

LIST = pathlib.Path(__file__).with_name("waiting.yaml")


class Waiting:
    """The ids of one sort ("vectors" or "cases") that wait, and why.

    An entry is `{reason: TEXT, vectors: [ID, ...], cases: [ID, ...]}`; an id may be a glob.
    """

    def __init__(self, sort, path=LIST):
        self.reasons = {}
        self.globs = {}
        for entry in yaml.safe_load(pathlib.Path(path).read_text(encoding="utf-8")) or []:
            for name in entry.get(sort, []):
                into = self.globs if set(name) & set("*?[") else self.reasons
                into[name] = entry["reason"]

    def reason(self, name):
        """Why NAME waits, or None."""
        if name in self.reasons:
            return self.reasons[name]
        return next((reason for glob, reason in self.globs.items() if fnmatch.fnmatchcase(name, glob)), None)

    def named(self, name):
        """Whether NAME is listed itself, not only through a glob: such a one must be taken off when it passes."""
        return name in self.reasons

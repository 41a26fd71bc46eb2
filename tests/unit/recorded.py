# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded cases and their manifests, for tests that do not run them."""

from __future__ import annotations

import functools
import re

import yaml

from tests.conformance.vectors import OURS

CASES = OURS.with_name("cases")
PLACES = {"@W@": "/srv/w", "@USER@": "root", "@GROUP@": "root", "@HTTP@": "http://127.0.0.1:1"}


# The quick one, which a PyYAML without libyaml does not have.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@functools.cache
def cases():
    """Return the file and the content of each case, for all tests of a process: they must not change it."""
    return [(path, yaml.load(path.read_bytes(), LOADER)) for path in sorted(CASES.rglob("*.yaml"))]


def manifests_of_cases():
    """Yield the name of each case, and the text of each manifest in it."""
    for path, case in cases():
        for name, file in (case.get("files") or {}).items():
            text = file.get("content", "") if isinstance(file, dict) else file
            if not name.endswith(".yaml") or not isinstance(text, str) or "ccm:" not in text:
                continue
            for place, found in PLACES.items():
                text = text.replace(place, found)
            yield path.stem, text


class ComparedVectors:
    """Vectors with our error and the error of a schema, each with its id.

    `beyond` has, by reason, regular expressions for our errors that a schema cannot find.
    """

    def __init__(self, vectors, beyond):
        self.vectors = vectors
        self.refused = [identity for identity, refusal, _complaint in vectors if refusal]
        self._beyond = [expression for group in beyond.values() for expression in group]

    def errors_of_accepted(self):
        return [
            (identity, complaint.message) for identity, refusal, complaint in self.vectors if complaint and not refusal
        ]

    def missed(self):
        """Return the vectors that we refuse, no schema refuses, and `beyond` does not list."""
        return [
            (identity, refusal)
            for identity, refusal, complaint in self.vectors
            if refusal and complaint is None and not any(re.search(each, refusal) for each in self._beyond)
        ]

    def has_beyond(self, expression):
        return any(complaint is None and re.search(expression, refusal) for _id, refusal, complaint in self.vectors)

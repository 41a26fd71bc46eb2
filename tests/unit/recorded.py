# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is recorded, for tests that hold something else than a run to it."""

from __future__ import annotations

import re

import yaml

from tests.conformance.vectors import OURS

CASES = OURS.with_name("cases")
PLACES = {"@W@": "/srv/w", "@USER@": "root", "@GROUP@": "root", "@HTTP@": "http://127.0.0.1:1"}


def manifests_of_cases():
    """The name of a case and the text of a manifest in it, for each."""
    for path in sorted(CASES.rglob("*.yaml")):
        case = yaml.safe_load(path.read_text(encoding="utf-8"))
        for name, file in (case.get("files") or {}).items():
            text = file.get("content", "") if isinstance(file, dict) else file
            if not name.endswith(".yaml") or not isinstance(text, str) or "ccm:" not in text:
                continue
            for place, found in PLACES.items():
                text = text.replace(place, found)
            yield path.stem, text


class Judged:
    """What we say of vectors and what a schema does: of each its id, our refusal, the schema's first complaint.

    `beyond` are expressions on those of our refusals, by reason, that a schema cannot know.
    """

    def __init__(self, vectors, beyond):
        self.vectors = vectors
        self.refused = [identity for identity, refusal, _complaint in vectors if refusal]
        self._beyond = [expression for group in beyond.values() for expression in group]

    def complained_of_what_is_accepted(self):
        return [
            (identity, complaint.message) for identity, refusal, complaint in self.vectors if complaint and not refusal
        ]

    def missed(self):
        """What is refused, complained of by no schema, and not beyond one."""
        return [
            (identity, refusal)
            for identity, refusal, complaint in self.vectors
            if refusal and complaint is None and not any(re.search(each, refusal) for each in self._beyond)
        ]

    def has_beyond(self, expression):
        return any(complaint is None and re.search(expression, refusal) for _id, refusal, complaint in self.vectors)

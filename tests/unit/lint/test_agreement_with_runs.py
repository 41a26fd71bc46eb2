# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of lint are errors of a run, and errors of validation are errors of lint, for all recorded manifests."""

from __future__ import annotations

import functools
import json
import random
import re

from ccm.lint.check import findings
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import read_manifest
from ccm.model.errors import CCMError

from tests.conformance.vectors import OURS, read
from tests.unit.recorded import manifests_of_cases

# Errors of a run that validation does not find: rules of findings, and messages of other rules.
ONLY_IN_A_RUN = {"reference", "child", "expression", "goss-rule", "shell", "url"}
ONLY_IN_A_RUN_TOO = ("invalid resource: provider not found", "extract_parent path must be absolute")

# Refused because of results of expressions, or of data that other sources can provide.
BEYOND_LINT = (
    r"file path must be absolute",
    r'mode "<nil>" is not a valid octal number',
    r'dangerous characters: "<nil>"',
    r"invalid subscribe format",
    r"is required but has no value",
    r"failed validation",
)


@functools.lru_cache(maxsize=1)
def _compared():
    """Return each vector with a manifest: id, our error, the errors that lint finds."""
    environments = json.loads((OURS / "envs.json").read_text(encoding="utf-8"))
    found = []
    for vector in read(OURS / "validate.jsonl"):
        request = vector["input"]
        if request["mode"] == "manifest":
            text = request["manifest"].encode("utf-8", "surrogatepass")
            found.append((vector["id"], _refusal(text, environments[request["env"]]), _errors(text)))
    return found


def _refusal(text, env):
    inputs = Inputs(facts=env.get("facts") or {}, environ=env.get("environ") or {})
    try:
        read_manifest(text, "m.yaml", "/nonexistent", inputs)
    except CCMError as error:
        return error.message
    return ""


def _errors(text):
    return [each for each in findings(text, "m.yaml", "/nonexistent") if each.level == "error"]


def _is_of_a_run(finding):
    return finding.rule in ONLY_IN_A_RUN or finding.message in ONLY_IN_A_RUN_TOO


def test_accepted_manifests_have_no_errors():
    wrong = [
        (identity, error.message)
        for identity, refusal, errors in _compared()
        for error in errors
        if not refusal and not _is_of_a_run(error)
    ]
    assert wrong == []


def test_refused_manifests_have_errors():
    missed = [
        (identity, refusal)
        for identity, refusal, errors in _compared()
        if refusal and not errors and not any(re.search(expression, refusal) for expression in BEYOND_LINT)
    ]
    assert missed == []
    unseen = [refusal for _identity, refusal, errors in _compared() if refusal and not errors]
    assert len(unseen) < 10


def test_every_error_has_a_position():
    errors = [error for _identity, _refusal, errors in _compared() for error in errors]
    assert all(error.position.file for error in errors)
    placeless = {error.message for error in errors if not error.position.line}
    assert placeless <= {"the manifest is empty"}


def test_the_manifests_of_the_cases():
    """Manifests that a run accepts have no errors, except for resources that fail in the run."""
    compared = 0
    for case, text in manifests_of_cases():
        errors = [each for each in _errors(text.encode()) if not _is_of_a_run(each) and each.rule != "template"]
        refused = _refusal(text.encode(), {})
        assert refused or not errors, (case, errors[0].message)
        compared += 1
    assert compared > 170


def test_damaged_manifests_have_findings():
    """Recorded manifests with changed characters and with lines removed or doubled: lint raises no exception."""
    drawn = random.Random(7)
    texts = [vector["input"]["manifest"] for vector in read(OURS / "validate.jsonl") if "manifest" in vector["input"]]
    for _round in range(1500):
        text = drawn.choice(texts)
        for _change in range(drawn.randrange(1, 4)):
            text = _changed(text, drawn)
        for finding in findings(text.encode("utf-8", "surrogatepass"), "m.yaml", "/nonexistent"):
            json.dumps(finding.as_dict())


def _changed(text, drawn):
    at = drawn.randrange(len(text) + 1)
    lines = text.split("\n")
    line = drawn.randrange(len(lines))
    return drawn.choice(
        [
            text[:at] + drawn.choice("{}[]:,-#'\"\n \t$&*!") + text[at:],
            text[:at] + text[at + drawn.randrange(1, 5) :],
            "\n".join(lines[:line] + lines[line + 1 :]),
            "\n".join([*lines[:line], drawn.choice(lines), *lines[line:]]),
            "\n".join([*lines[:line], lines[line].partition(": ")[0] + ": [{a: 1}, null]", *lines[line + 1 :]]),
        ]
    )

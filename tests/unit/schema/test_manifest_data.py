# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema of manifests, and lint, match the results of the recorded hierarchies as sections of a manifest."""

from __future__ import annotations

import functools
import re

import pytest
from ccm.lang import yaml
from ccm.lint.check import findings
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import read_manifest
from ccm.model.errors import CCMError
from ccm.schema.manifest import manifest_schema
from jsonschema import Draft202012Validator

from tests.conformance.vectors import OURS, read

JUDGE = Draft202012Validator(manifest_schema())
RESOURCES = "\nccm: {resources: [{exec: {name: ls}}]}\n"

# Depends on the data of a host, or on code, of expressions, annotations and values.
BEYOND_THE_SCHEMA = (
    r"cannot fetch",
    r"invalid operation",
    r"expr compile error",
    r"is required but has no value",
    r"failed validation",
    r"validation .* failed",
    r"must be a finite number",  # JSON has no others
)
# Expressions that are never evaluated can be valid or invalid.
UNUSED = "expression"


@functools.lru_cache(maxsize=1)
def _compared():
    """Return each hierarchy that can be part of a manifest: id, our error, errors of the schema and of lint."""
    found = []
    for vector in read(OURS / "hiera.jsonl"):
        text = vector["input"]["document"].rstrip("\n") + RESOURCES
        try:
            document = yaml.load(text, "m.yaml").value
        except yaml.YAMLError:
            continue
        if not isinstance(document, dict) or not set(document) <= {"data", "hierarchy", "overrides", "ccm"}:
            continue
        refusal = ""
        try:
            inputs = Inputs(facts=vector["input"].get("facts") or {}, environ={})
            read_manifest(text.encode(), "m.yaml", "/nonexistent", inputs)
        except CCMError as error:
            refusal = error.message
        errors = [each for each in findings(text.encode(), "m.yaml", "/nonexistent") if each.level == "error"]
        found.append((vector["id"], refusal, next(JUDGE.iter_errors(document), None), errors))
    return found


def test_there_are_accepted_and_refused_vectors():
    refused = [refusal for _identity, refusal, _complaint, _errors in _compared() if refusal]
    assert len(_compared()) > 240
    assert len(refused) > 40


def test_the_schema_accepts_accepted_vectors():
    wrong = [(identity, found.message) for identity, refusal, found, _errors in _compared() if found and not refusal]
    assert wrong == []


def test_the_schema_refuses_wrong_structure():
    missed = [
        (identity, refusal)
        for identity, refusal, complaint, _errors in _compared()
        if refusal and complaint is None and not any(re.search(known, refusal) for known in BEYOND_THE_SCHEMA)
    ]
    assert missed == []


def test_lint_agrees():
    for identity, refusal, complaint, errors in _compared():
        if not refusal:
            assert [error.message for error in errors if error.rule != UNUSED] == [], identity
        if complaint is not None:
            assert errors, identity


@pytest.mark.parametrize("known", BEYOND_THE_SCHEMA)
def test_each_limit_of_the_schema_occurs(known):
    assert any(
        refusal and not found and re.search(known, refusal) for _identity, refusal, found, _errors in _compared()
    )

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON schema of manifests matches our validation; jsonschema evaluates the schema."""

from __future__ import annotations

import functools
import json

import pytest
from ccm.engine.prerequisites import require_runnable
from ccm.lang import yaml
from ccm.lang.yamlwriting import dump
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import read_manifest
from ccm.model.errors import CCMError
from ccm.resources.types import TYPE_NAMES, resource_type
from ccm.schema.manifest import manifest_schema
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.conformance.vectors import OURS, read
from tests.unit.layout import entry_of
from tests.unit.recorded import ComparedVectors, manifests_of_cases

SCHEMA = manifest_schema()
JUDGE = Draft202012Validator(SCHEMA)

# Refused by our validation and accepted by the schema, by reason: regular expressions for our message.
BEYOND_THE_SCHEMA = {
    "the outcome of expressions": (
        r"expr compile error",
        r'mode "<nil>" is not a valid octal number',
    ),
    "rules on data, written as annotations": (
        r"is required but has no value",
        r"failed validation",
    ),
    "properties that depend on each other": (
        r"'command' or 'goss_rules' are mutually exclusive",
        r"'format' flag is required",
        r"'format' must be '(goss|nagios)'",
        r"'content' and 'source' are mutually exclusive",
        r"'force: true' ",
        r"cleanup requires (creates|extract_parent) to be set",
        r"url and name must have the same archive type",
    ),
    "properties that the defaults of a list may give": (r"(owner|group|mode|source|url) cannot be empty",),
    "names, paths and addresses that a type reads in code": (
        r"(file path|name) must be (an? )?(absolute|canonical)( path)?",
        r"(creates|extract_parent) path must be absolute",
        r"invalid path: ",
        r"name must be a file path, not a URL",
        r"(package|service) name contains (invalid|dangerous) characters",
        r"package version/ensure contains dangerous characters",
        r"(url|url filename|name) must (be absolute|have a filename|end in)",
        r"invalid url: ",
    ),
    "commands, variables and references that exec and service read in code": (
        r"Unterminated ",
        r"invalid command",
        r"invalid environment variable",
        r"invalid subscribe format",
        r"post (keys|value)",
    ),
    "registrations, checked once their expressions are resolved": (r"registration is invalid: ",),
}


def _plain(text):
    """Return a document as JSON values; None for invalid YAML."""
    try:
        return yaml.load(text, "m.yaml").value
    except yaml.YAMLError:
        return None


@functools.lru_cache(maxsize=1)
def _environments():
    return json.loads((OURS / "envs.json").read_text(encoding="utf-8"))


def _refusal(text, env="web"):
    """Return the message of our validation; empty when it accepts the manifest."""
    found = _environments()[env]
    inputs = Inputs(facts=found.get("facts") or {}, environ=found.get("environ") or {})
    try:
        for resource in read_manifest(
            text.encode("utf-8", "surrogatepass"), "m.yaml", "/nonexistent", inputs
        ).resources:
            require_runnable(resource)
    except CCMError as error:
        return error.message
    return ""


@functools.lru_cache(maxsize=1)
def _compared():
    """Return each vector with a manifest: id, our error, the first error of the schema."""
    found = []
    for vector in read(OURS / "validate.jsonl"):
        request = vector["input"]
        document = _plain(request["manifest"]) if request["mode"] == "manifest" else None
        if document is not None:
            complaint = next(JUDGE.iter_errors(document), None)
            found.append((vector["id"], _refusal(request["manifest"], request["env"]), complaint))
    return ComparedVectors(found, BEYOND_THE_SCHEMA)


def test_the_schema_is_valid():
    Draft202012Validator.check_schema(SCHEMA)


def test_there_are_accepted_and_refused_vectors():
    compared = _compared()
    assert len(compared.vectors) > 590
    assert 290 < len(compared.refused) < len(compared.vectors) - 270


def test_the_schema_accepts_accepted_vectors():
    assert _compared().errors_of_accepted() == []


def test_the_schema_refuses_wrong_structure_key_type_pattern_or_choice():
    assert _compared().missed() == []


@pytest.mark.parametrize("expression", [each for group in BEYOND_THE_SCHEMA.values() for each in group])
def test_each_limit_of_the_schema_occurs_in_the_vectors(expression):
    assert _compared().has_beyond(expression)


def test_the_schema_accepts_the_manifests_of_the_cases():
    compared = 0
    for case, text in manifests_of_cases():
        complaint = next(JUDGE.iter_errors(_plain(text)), None)
        assert complaint is None or _refusal(text), f"{case}: {complaint.message}"
        compared += 1
    assert compared > 170


ONE_RESOURCE = "ccm:\n  resources:\n    - "


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        "ccm: {}",
        "ccm: {resources: []}",
        "ccm: {resources: [[]]}",
        "ccm: {resources: [{}]}",
        "ccm: {resources: {file: {}}}",
        "data: {}",
        ONE_RESOURCE + "lamp: {name: x, ensure: present}",
        ONE_RESOURCE + "package: {ensure: present}",
        ONE_RESOURCE + "package: {name: x, ensure: ''}",
        ONE_RESOURCE + "package: {name: x, ensure: null}",
        ONE_RESOURCE + "archive: {name: /x.zip, ensure: '', url: 'http://h/x.zip', owner: root, group: root}",
        ONE_RESOURCE + "package: []",
        ONE_RESOURCE + "package: [x]",
        ONE_RESOURCE + "package: [{x: {ensure: null}}]",
        ONE_RESOURCE + "package: [{defaults: {ensure: absent}}, {x: {ensure: ''}}]",
        ONE_RESOURCE + "package: [{x: }, {defaults: {ensure: absent}}]",
        ONE_RESOURCE + "package: [{'': {ensure: present}}]",
        ONE_RESOURCE + "package: [{x: {ensure: present}, y: {ensure: present}}]",
        ONE_RESOURCE + "package: [{x: {ensure: present, onlyif: 'true'}}]",
        ONE_RESOURCE + "service: {nginx: {ensure: running}}",
        ONE_RESOURCE + "service: {name: nginx, ensure: started}",
        ONE_RESOURCE + "service: {name: nginx, enable: yes}",
        ONE_RESOURCE + "exec: {name: ls, require: [ls]}",
        ONE_RESOURCE + "exec: {name: ls, returns: 0}",
        ONE_RESOURCE + "exec: {name: ls, returns: [one]}",
        ONE_RESOURCE + "exec: {name: ls, environment: ['1A=x']}",
        ONE_RESOURCE + "exec: {name: ls, meta: {priority: 1}}",
        *(
            ONE_RESOURCE + f"exec: {{name: ls, meta: {{sema: ['{text}']}}}}"
            for text in (
                "x:-1",
                "x:0",
                "x:1.5",
                "x:",
                ":2",
                "x:+1",
                "3",
                "3:2",
                "",
                "a:b:1e2",
                "x:1234567890123",
            )
        ),
        ONE_RESOURCE + "exec: {name: ls, control: {when: 'true'}}",
        ONE_RESOURCE + "exec: {name: ls, health_checks: [{command: 'true', tries: -1}]}",
        ONE_RESOURCE + "file: {name: /f, ensure: present, owner: root, group: root, mode: u+x}",
        ONE_RESOURCE + "file: {name: /f, ensure: present, owner: root, group: root, mode: '17777'}",
        ONE_RESOURCE + "file: {name: /f, ensure: present, owner: root, group: root, mode: '0644', content: [a]}",
        ONE_RESOURCE + "scaffold: {name: /f, ensure: present, source: s, engine: erb}",
        ONE_RESOURCE + "scaffold: {name: /f, ensure: present, source: s, post: [{a: b, c: d}]}",
        ONE_RESOURCE + "exec: {name: ls}\n  fail_on_error: 'yes'",
        ONE_RESOURCE + "exec: {name: ls}\n  engine: {parallel: 4}",
        ONE_RESOURCE + "exec: {name: ls}\n  fail_on_eror: true",
        ONE_RESOURCE + "exec: {name: ls}\nhierarchy: {order: default}",
        ONE_RESOURCE + "exec: {name: ls}\nhierarchy: {merge: deep}",
        ONE_RESOURCE + "exec: {name: ls}\noverrides: {a: 1}",
        ONE_RESOURCE + "exec: {name: ls}\nxowned: 1",
    ],
)
def test_both_refuse(text):
    assert _refusal(text)
    assert next(JUDGE.iter_errors(_plain(text)), None) is not None


@pytest.mark.parametrize(
    "text",
    [
        ONE_RESOURCE + "exec: {name: ls}\nx-owned: {owner: root}\nx-: 1",
        ONE_RESOURCE + "package: {name: x}",
        ONE_RESOURCE + "package: [{x: }, {y: {}}, {defaults: {provider: apt}}]",
        ONE_RESOURCE + "exec: {name: ls, meta: {sema: [x, 'x:y', ':x', 'a:b:02', '3:x', '3:4:5', 'x:1_']}}",
        ONE_RESOURCE + "package: [{x: {}}, {defaults: {ensure: absent}}]",
        ONE_RESOURCE + "exec: [{ls: }, {defaults: {ensure: present}}]",
        ONE_RESOURCE + "archive: {name: /x.zip, url: 'http://h/x.zip', owner: root, group: root}",
    ],
)
def test_both_accept(text):
    assert not _refusal(text)
    JUDGE.validate(_plain(text))


WORDS = st.sampled_from(["/srv/a", "/srv/b.tar.gz", "x", "1s", "exec#ls", "A=b", "{{ Facts.cores }}", "present", ""])
SCALARS = st.one_of(WORDS, st.none(), st.booleans(), st.integers(-2, 800), st.floats(allow_nan=False, width=32))
ANYTHING = st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(WORDS, SCALARS, max_size=2))
BY_KIND = {
    "string": SCALARS,
    "mode": st.one_of(st.sampled_from(["0644", "644", "0o755", "00600", "0999", 644, "{{ '0600' }}"]), SCALARS),
    "boolean": st.one_of(st.booleans(), st.none()),
    "integer": st.one_of(st.integers(-2, 300), st.sampled_from(["3", "+3", "-0", "0", None, 0.5, 1.5])),
    "number_or_template": st.one_of(st.integers(-1, 70000), st.sampled_from(["{{ Facts.cores }}", "80", 80.0])),
    "strings": st.one_of(st.none(), st.lists(st.sampled_from(["exec#ls", "A=b", "{{ 'exec#ls' }}"]), max_size=2)),
    "integers": st.one_of(st.none(), st.lists(st.sampled_from([0, 1, "2", "-2", 3.5, None]), max_size=3)),
    "string_map": st.one_of(st.none(), st.dictionaries(WORDS, SCALARS, max_size=2)),
    "string_maps": st.one_of(st.none(), st.lists(st.dictionaries(WORDS, SCALARS, max_size=2), max_size=2)),
    "data": st.one_of(st.none(), st.dictionaries(WORDS, ANYTHING, max_size=2)),
}
# Properties that make most resources of a type valid, so that the generated properties decide; {} for other types.
BASE = {
    "archive": {"url": "http://h/x.tar.gz", "owner": "root", "group": "root"},
    "file": {"owner": "root", "group": "root", "mode": "0644"},
    "scaffold": {"source": "s"},
}
NAMES = {"archive": "/srv/b.tar.gz", "package": "vim", "service": "nginx"}


@st.composite
def _value(draw, prop):
    if draw(st.integers(0, 19)) == 7:
        return draw(ANYTHING)
    if prop.choices:
        return draw(st.sampled_from([*prop.choices, "", "other"]))
    if prop.kind not in ("object", "objects"):
        return draw(entry_of(BY_KIND, prop.kind, "BY_KIND in tests/unit/schema/test_manifest.py"))
    if prop.name == "health_checks":
        return [{"command": "/bin/true", **draw(generated_values(prop.fields))}]
    if prop.name == "register_when_stable":
        entry = {"cluster": "c", "service": "s", "protocol": "p", "address": "::1", "port": 1, "priority": 1}
        return [{**entry, **draw(generated_values(prop.fields))}]
    return draw(generated_values(prop.fields))


@st.composite
def generated_values(draw, properties):
    chosen = draw(st.lists(st.sampled_from(properties), max_size=2, unique=True)) if properties else []
    return {prop.name: draw(_value(prop)) for prop in chosen}


@st.composite
def manifests(draw):
    """Generate manifests that are valid except for the values of a few properties."""
    resources = []
    for name in draw(st.lists(st.sampled_from(TYPE_NAMES), min_size=1, max_size=2)):
        type = resource_type(name)
        properties = {**BASE.get(name, {}), **draw(generated_values(type.properties[1:]))}
        called = NAMES.get(name, "/srv/a")
        unused = {key: value for key, value in draw(generated_values(type.properties)).items() if key not in properties}
        shapes = [
            {"name": called, **properties},
            [{called: properties}],
            [{"defaults": properties}, {called: {}}],
            [{called: properties}, {"defaults": unused}],
            [{called: None}],
        ]
        resources.append({name: draw(st.sampled_from(shapes))})
    document = {"ccm": {"resources": resources}}
    if draw(st.integers(0, 4)) == 3:
        document[draw(st.sampled_from(["data", "overrides", "hierarchy"]))] = draw(
            st.sampled_from([None, {}, {"a": None}, {"a": {"b": 1}}, {"order": ["a"]}, {"order": [1]}, []])
        )
    if draw(st.integers(0, 4)) == 3:
        document["ccm"][draw(st.sampled_from(["fail_on_error", "pre_message", "engine", "resources_jet_file"]))] = draw(
            st.sampled_from([None, {}, True, "", "text", 1])
        )
    return document


SHARE = {"accepted": 0, "all": 0}


@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(manifests())
def _compare(document):
    text = dump(document)
    parsed = _plain(text)
    assume(parsed is not None)
    SHARE["all"] += 1
    if _refusal(text):
        return
    SHARE["accepted"] += 1
    complaint = next(JUDGE.iter_errors(parsed), None)
    assert complaint is None, f"{complaint.json_path}: {complaint.message}\n{text}"


def test_the_schema_accepts_each_accepted_manifest():
    _compare()
    assert SHARE["accepted"] > 0.3 * SHARE["all"] > 0

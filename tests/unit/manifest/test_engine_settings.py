# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm.engine` of a manifest: its effect and its errors."""

import pytest
from ccm.data.factfiles import gather
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import read_manifest
from ccm.model.errors import CCMError

from tests.unit.manifest.runs import refused

RESOURCES = """
ccm:
  resources:
    - exec: {name: ls}
"""


def load(engine, strict=True):
    inputs = Inputs(facts=gather({}), environ={}, strict=strict)
    return read_manifest((RESOURCES + engine).encode(), "m.yaml", "/", inputs)


@pytest.mark.parametrize(
    ("engine", "grouped", "lock_timeout"),
    [
        ("  engine: {}", True, None),
        ("  engine:", True, None),
        ("  engine: {autogroup: true}", True, None),
        ("  engine: {autogroup: null}", True, None),
        ("  engine: {autogroup: false, lock_timeout: 30s}", False, 30 * 10**9),
        ("  engine: {lock_timeout: 1m30s}\n  fail_on_error: true", False, 90 * 10**9),
    ],
)
def test_settings_take_effect(engine, grouped, lock_timeout):
    manifest = load(engine)
    assert manifest.is_grouped is grouped
    assert (manifest.engine.provider_options.get("lock_timeout") if manifest.engine else None) == lock_timeout


@pytest.mark.parametrize(
    ("engine", "message"),
    [
        ("  engine: {paralel: 4}", 'invalid ccm.engine: unknown property "paralel" in engine'),
        ("  engine: {auto_group: true}", 'in engine, did you mean "autogroup"?'),
        ("  engine: {autogroup: 'no'}", "invalid ccm.engine: autogroup must be true or false, not text ('no')"),
        ("  engine: {lock_timeout: soon}", 'invalid ccm.engine: lock_timeout "soon": invalid duration'),
        ("  engine: {package_index: old}", 'invalid ccm.engine: package_index "old": invalid duration'),
        ("  engine: {lock_timeout: -5s}", 'invalid ccm.engine: lock_timeout "-5s": negative'),
        ("  engine: {download_tries: 1.5}", "download_tries must be an integer, not a number (1.5)"),
        ("  engine: [autogroup]", "ccm.engine must be a mapping, not a list"),
    ],
)
def test_errors_have_a_position(engine, message):
    with pytest.raises(CCMError) as refused:
        load(engine)
    assert message in str(refused.value)
    assert refused.value.position.line == 5


def test_unknown_settings_pass_without_validation():
    assert load("  engine: {paralel: 4, autogroup: false}", strict=False).is_grouped is False


REFUSED = [
    ("- exec: {name: a}", f"{{order: graph, parallel: {'9' * 5000}}}", "must be a whole number from 1", ""),
    ("- exec: {name: a}", "{order: list}", "invalid ccm.engine: order must be one of serial, graph", ""),
    ("- exec: {name: a}", "{parallel: 2}", "invalid ccm.engine: parallel needs order: graph", "add order: graph, or"),
    (
        "- exec: {name: a}",
        "{order: graph, parallel: 0}",
        'invalid ccm.engine: parallel must be a whole number from 1, or auto, not "0"',
        "",
    ),
    ("- exec: {name: a}", "{order: graph, parallel: many}", 'from 1, or auto, not "many"', ""),
]


@pytest.mark.parametrize(("resources", "engine", "message", "advice"), REFUSED)
def test_what_is_refused_before_anything_runs(resources, engine, message, advice):
    error = refused(resources, engine)
    assert message in error.message
    assert error.advice.startswith(advice)

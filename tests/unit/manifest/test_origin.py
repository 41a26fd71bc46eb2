# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors in nested values of a property have their own positions in `ccm apply` and `ccm lint`."""

from __future__ import annotations

import json

import pytest

ENTRY = {"cluster": "c", "service": "s", "protocol": "p", "address": "10.0.0.1", "port": "80", "priority": "1"}


def manifest_with_second_registration(**fields):
    """A manifest whose only resource has two registrations, the second one on lines of its own."""
    entry = {name: text for name, text in {**ENTRY, **fields}.items() if text}
    lead = ["ccm:", "  resources:", "  - exec:", "    - /bin/true:", "        register_when_stable:"]
    first = "        - {" + ", ".join(f"{name}: {text}" for name, text in ENTRY.items()) + "}"
    lines = [f"          {name}: {text}" for name, text in entry.items()]
    return "\n".join([*lead, first, lines[0].replace("  cluster", "- cluster"), *lines[1:], ""])


@pytest.mark.parametrize(
    ("fields", "line", "column", "property", "message"),
    [
        ({"cluster": "'c c'"}, 7, 20, "cluster", 'cluster "c c" is not a valid name'),
        ({"address": "'a b'"}, 10, 20, "address", 'address "a b" is not a valid Address address'),
        ({"port": "70000"}, 11, 17, "port", "port '70000' must be between 1 and 65535"),
        ({"port": "web"}, 11, 17, "port", "port must be an integer number not string"),
        ({"priority": "256"}, 12, 21, "priority", "priority '256' must be between 1 and 255"),
        ({"ttl": "soon"}, 13, 16, "ttl", 'invalid TTL duration "soon": invalid duration'),
        ({"address": ""}, 7, 11, "address", "address is required"),
    ],
    ids=["cluster", "address", "port", "kind of port", "priority", "ttl", "missing"],
)
def test_fields_of_registrations(ccm, tmp_path, fields, line, column, property, message):
    text = manifest_with_second_registration(**fields)
    (tmp_path / "p.yaml").write_text(text)
    applied = ccm("apply", "p.yaml").err.splitlines()
    assert applied[0].endswith(message)
    assert applied[1] == f"  at p.yaml:{line}:{column} (register_when_stable.{property} of exec#/bin/true)"
    findings = json.loads(ccm("lint", "p.yaml", "--json", "--no-portability").out)["findings"]
    [found] = [finding for finding in findings if finding["rule"] != "registration"]
    assert found["message"].endswith(message)
    assert (found["line"], found["column"]) == (line, column)
    assert found["property"] == f"register_when_stable.{property}"
    assert found["excerpt"].splitlines()[0].endswith(text.splitlines()[line - 1].strip())


def test_expressions_in_registrations(ccm, tmp_path):
    (tmp_path / "p.yaml").write_text(manifest_with_second_registration(address="'{{ nothing( }}'"))
    assert "at p.yaml:10:20 (register_when_stable of exec#/bin/true)" in ccm("apply", "p.yaml").err


def test_errors_from_defaults_have_the_position_of_the_resource(ccm, tmp_path):
    text = (
        manifest_with_second_registration(port="70000").replace("    - /bin/true:\n  ", "    - defaults:\n  ")
        + "    - /bin/true: {}\n"
    )
    (tmp_path / "p.yaml").write_text(text)
    assert "at p.yaml:13:7 (register_when_stable.port of exec#/bin/true)" in ccm("apply", "p.yaml").err
    findings = json.loads(ccm("lint", "p.yaml", "--json", "--no-portability").out)["findings"]
    [found] = [finding for finding in findings if finding["rule"] != "registration"]
    assert (found["line"], found["column"]) == (13, 7)

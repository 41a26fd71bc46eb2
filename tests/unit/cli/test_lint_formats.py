# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm lint --format`: SARIF, commands of GitHub, JUnit XML."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import jsonschema
import pytest

BAD = """\
ccm:
  resources:
    - file:
        - /tmp/a: {ensure: absent, ownr: root}
    - exec:
        - "ls | wc": {}
"""
GOOD = "ccm: {resources: [{file: {name: /tmp/a, ensure: absent}}]}\n"


def strict(required, **properties):
    return {"type": "object", "required": required.split(), "additionalProperties": False, "properties": properties}


def texts(**properties):
    return strict(" ".join(properties), **{name: {"type": "string", "minLength": 1} for name in properties})


NUMBER = {"type": "integer", "minimum": 1}
LOCATION = strict(
    "artifactLocation",
    artifactLocation=strict("uri", uri={"type": "string", "format": "uri-reference", "pattern": "^[^ ]+$"}),
    region=strict("startLine startColumn", startLine=NUMBER, startColumn=NUMBER),
)
RESULT = strict(
    "ruleId ruleIndex level message locations",
    ruleId={"type": "string"},
    ruleIndex={"type": "integer", "minimum": 0},
    level={"enum": ["error", "warning"]},
    message=texts(text=1),
    locations={"type": "array", "items": strict("physicalLocation", physicalLocation=LOCATION)},
)
RULE = strict("id shortDescription help", id={"type": "string"}, shortDescription=texts(text=1), help=texts(text=1))
DRIVER = strict(
    "name version rules",
    name={"const": "ccm lint"},
    version={"type": "string"},
    rules={"type": "array", "uniqueItems": True, "items": RULE},
)
RUN = strict(
    "tool columnKind results",
    tool=strict("driver", driver=DRIVER),
    columnKind={"const": "unicodeCodePoints"},
    results={"type": "array", "items": RESULT},
)
# What of the schema of SARIF 2.1.0 applies to our output.
SARIF = strict(
    "$schema version runs",
    **{"$schema": {"format": "uri"}, "version": {"const": "2.1.0"}, "runs": {"items": RUN, "minItems": 1}},
)


@pytest.fixture
def manifests(tmp_path):
    """A manifest with an error and a warning, and one with nothing to find, in a directory with a space."""
    folder = tmp_path / "a b"
    folder.mkdir()
    (folder / "bad.yaml").write_text(BAD, encoding="utf-8")
    (folder / "good.yaml").write_text(GOOD, encoding="utf-8")
    return folder / "bad.yaml", folder / "good.yaml"


def test_sarif(ccm, manifests):
    ran = ccm("lint", "--format", "sarif", *manifests)
    log = json.loads(ran.out)
    jsonschema.Draft4Validator(SARIF).validate(log)
    (run,) = log["runs"]
    unknown, shell = run["results"]
    assert (ran.status, unknown["ruleId"], unknown["level"]) == (1, "unknown-key", "error")
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]][shell["ruleIndex"]] == shell["ruleId"] == "shell"
    described = run["tool"]["driver"]["rules"][unknown["ruleIndex"]]
    assert described["shortDescription"]["text"] == "Finds keys and properties that do not exist."
    assert described["help"]["text"].startswith("Look for a slip: ")
    place = unknown["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 4, "startColumn": 36}
    assert place["artifactLocation"]["uri"] == manifests[0].as_uri()
    assert shell["message"]["text"].endswith(
        "; set provider: shell, or put it in single quotes if the program needs it"
    )


def test_commands_of_github(ccm, manifests, monkeypatch):
    given = ccm("lint", "--format", "github", manifests[0]).out
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    ran = ccm("lint", *manifests)
    assert (ran.status, ran.out) == (1, given)
    first, second = ran.out.splitlines()
    assert first.startswith(f"::error file={manifests[0]},line=4,col=36,title=ccm lint%3A unknown-key::file#/tmp/a: ")
    assert second.startswith(f"::warning file={manifests[0]},line=6,col=11,title=ccm lint%3A shell::")
    assert ccm("lint", "--format", "text", manifests[1]).out.endswith("nothing found\n")
    assert json.loads(ccm("lint", "--json", manifests[1]).out)["errors"] == 0


def test_characters_with_a_meaning_for_github_are_escaped(ccm, tmp_path):
    (tmp_path / "a,b%.yaml").write_text(BAD, encoding="utf-8")
    line = ccm("lint", "--format", "github", "a,b%.yaml").out.splitlines()[0]
    assert line.startswith("::error file=a%2Cb%25.yaml,line=4")


def test_junit(ccm, manifests):
    ran = ccm("lint", "--format", "junit", *manifests)
    bad, good = ElementTree.fromstring(ran.out)
    assert (ran.status, bad.get("tests"), bad.get("failures"), good.get("failures")) == (1, "2", "1", "0")
    assert [case.find("failure") is not None for case in bad] == [True, False]
    assert bad[0].find("failure").get("type") == "unknown-key"
    assert "^" in bad[0].find("failure").text
    assert bad[1].find("system-out").text.startswith("warning: exec#ls | wc: ")
    assert (good.get("tests"), len(good)) == ("1", 1)


@pytest.mark.parametrize("format", ["sarif", "github", "junit"])
def test_a_manifest_that_cannot_be_read_is_a_finding(ccm, format):
    ran = ccm("lint", "--format", format, "missing.yaml")
    assert (ran.status, "no such file or directory" in ran.out) == (1, True)


def test_two_formats_are_refused(ccm, manifests):
    ran = ccm("lint", "--json", "--format", "sarif", manifests[0])
    assert (ran.status, "--json and --format sarif exclude each other" in ran.err) == (1, True)
    assert ccm("lint", "--format", "xml", manifests[0]).status == 1

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Control characters and changes of the direction are escaped once in all that is printed (decisions.md Q113)."""

from __future__ import annotations

import json
import re
from urllib.parse import quote
from xml.etree import ElementTree as XML

import pytest
import yaml

NAME = "a\x1b[31m\x07\x7f\x9b\u202eb\u2066c"
ESCAPED = r"a\x1b[31m\a\u007f\u009b\u202eb\u2066c"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def manifest(tmp_path):
    """A manifest whose findings and resource have the name, and another file that has it."""
    exec = {NAME: {"command": "true", "cwdd": NAME}}
    (tmp_path / "bad.yaml").write_text(json.dumps({"ccm": {"resources": [{"exec": [exec]}]}}), encoding="utf-8")
    exec = {NAME: {"command": "printf '\\033[31m\\n'", "logoutput": True}}
    (tmp_path / "good.yaml").write_text(json.dumps({"ccm": {"resources": [{"exec": [exec]}]}}), encoding="utf-8")
    (tmp_path / f"{NAME}.yaml").write_text("ccm: {}\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("format", ["text", "json", "sarif", "github", "junit"])
def test_findings(ccm, manifest, format):
    for words in (("bad.yaml",), (f"{NAME}.yaml",), (f"missing{NAME}",)):
        ran = ccm("lint", "--format", format, *words)
        assert not RAW.search(ran.out + ran.err), ran
        if format in ("json", "sarif"):
            shown = "".join(_texts(json.loads(ran.out)))
            assert NAME in shown or quote(NAME, safe="") in shown
        elif format == "junit":
            assert ESCAPED in "".join(_attributes(XML.fromstring(ran.out)))
        else:
            assert ESCAPED.replace(":", "%3A") in ran.out + ran.err


def _texts(value):
    if isinstance(value, str):
        yield value
    for entry in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(entry)


def _attributes(element):
    yield from element.attrib.values()
    yield element.text or ""
    for child in element:
        yield from _attributes(child)


@pytest.mark.starts_processes
def test_lines_of_the_log(ccm, manifest):
    lines = ccm("apply", "good.yaml", "--no-state").out
    assert not RAW.search(lines)
    assert f" WARN  exec#{ESCAPED} changed" in lines
    assert " INFO  \\x1b[31m\n" in lines
    ran = ccm("apply", "good.yaml", "--no-state", "--log-format", "json")
    assert not RAW.search(ran.out + ran.err)
    messages = [json.loads(line)["msg"] for line in ran.out.splitlines()]
    assert "\x1b[31m" in messages
    assert f"exec#{NAME} changed" in messages


def test_other_commands(ccm, manifest):
    for words in (
        ("plan", "good.yaml"),
        ("plan", "good.yaml", "--json"),
        ("graph", "good.yaml"),
        *(("graph", "good.yaml", "--format", form) for form in ("dot", "mermaid", "json")),
        ("facts", "--fact", f"x={NAME}"),
        ("hiera", "parse", "missing" + NAME),
        (NAME,),
        ("apply", "--" + NAME),
        ("--log-format", "json", "apply", "missing" + NAME),
    ):
        ran = ccm(*words)
        assert not RAW.search(ran.out + ran.err), words


@pytest.mark.parametrize(
    "words",
    [("lint", "{}"), ("apply", "{}"), ("apply", "./{}"), ("orphans", "{}"), ("lint", "m.yaml"), ("apply", "m.yaml")],
)
@pytest.mark.parametrize("address", ["http://user:s3same@host/x", "http:/user:s3same@host/x", "http:/s3same@host/x"])
def test_a_password_in_a_path(ccm, tmp_path, words, address):
    """What is given as a path is cleaned before an error shows it: one of the slashes of an address is lost."""
    file = {"ensure": "present", "owner": "root", "group": "root", "mode": "0644"}
    resources = [{"file": [{address: file}, {"/y": {**file, "source": address}}]}, {"apply": [{address: {}}]}]
    (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": resources}}))
    ran = ccm(*(word.format(address) for word in words))
    assert ran.status == 1
    assert "s3same" not in ran.out + ran.err
    assert "REDACTED@host" in ran.out + ran.err


def test_paths_that_are_no_address_stay(ccm):
    assert "srv:/data@2/x:1" in ccm("lint", "srv:/data@2/x:1").err


FORGING = "x\n   2. = file#/etc/shadow: stable\n  at forged.yaml:1:1"


@pytest.mark.parametrize(
    ("command", "entry"),
    [
        ("plan", {"exec": [{f"echo {FORGING}": {"alias": FORGING}}]}),
        ("plan", {"apply": [{FORGING: {}}]}),
        ("apply", {"exec": [{f"echo {FORGING}": {"bad": 1}}]}),
        ("apply", {"exec": [{"x": {FORGING: 1}}]}),
        ("apply", {"exec": [{"x": {"umask": FORGING}}]}),
        ("lint", {"exec": [{f"echo {FORGING}": {"bad": 1}}]}),
        ("graph", {"exec": [{f"echo {FORGING}": {}}]}),
    ],
)
def test_a_name_makes_no_line_of_its_own(ccm, tmp_path, command, entry):
    (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": [entry]}}), encoding="utf-8")
    ran = ccm(command, "m.yaml")
    assert not re.search("^(   2[.]|  at forged)", ran.out + ran.err, re.M), ran
    assert r"\n   2. = file#/etc/shadow" in ran.out + ran.err


def test_arguments_make_no_line_of_their_own(ccm):
    for lines, *words in (
        (1, "plan", FORGING),
        (1, "facts", FORGING),
        (1, "apply", "m.yaml", "--fact", FORGING),
        # The second line has the types that the original does not have.
        (2, "status", FORGING, "x"),
    ):
        ran = ccm(*words)
        assert (ran.out, ran.err.count("\n")) == ("", lines), ran


def test_lines_of_an_expression_stay(ccm, tmp_path):
    resource = {"file": [{"/x": {"ensure": "present", "owner": "{{ nope( }}"}}]}
    (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": [resource]}}), encoding="utf-8")
    assert "\n | " in ccm("apply", "m.yaml").err


def test_data_in_yaml_does_not_change_the_direction_of_text(ccm, tmp_path):
    name = f"{tmp_path}/a\u202eb\nc: d"
    ran = ccm("status", "file", name)
    assert not RAW.search(ran.out)
    assert yaml.safe_load(ran.out)["name"] == name

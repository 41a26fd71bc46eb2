# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm lint --upstream` for templates: each case was run by the original."""

from __future__ import annotations

import json

import pytest
from ccm.data.jet_differences import note_jet_differences
from ccm.lint.check import findings
from ccm.resources.scaffold.go_differences import note_go_differences

from tests.unit.layout import ROOT


def messages(manifest, directory, **switches):
    """Return level, place and message of what would differ in the original."""
    found = findings(json.dumps(manifest).encode(), "m.yaml", str(directory), **{"upstream": True, **switches})
    return [(each.level, str(each.position), each.message) for each in found if each.rule == "portability"]


def resources(*entries):
    return {"ccm": {"resources": list(entries)}}


def in_expression(text):
    """A manifest with a Jet template as the argument of `jet()`."""
    given = {"name": "/f", "ensure": "present", "owner": "a", "group": "a", "mode": "0644"}
    return resources({"file": {**given, "content": f"{{{{ jet(`{text}`) }}}}"}})


def scaffold(tmp_path, engine, text):
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "f").write_text(f"first\n{text}\n")
    return resources({"scaffold": {"name": "/s", "ensure": "present", "source": "t", "engine": engine}})


OS = "facts.host.info.os is facts.host.info.OS to the original, which does not know this name"
LOOKUP = "the original takes one argument of lookup in Jet, and no default"
NAME = (
    "facts.network.interfaces[].name is facts.network.interfaces[].Name to the original, which does not know this name"
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[ facts.host.info.os ]]", OS),
        ('[[ Facts.host["info"].os ]]', OS),
        ("[[ .Facts.host.info.os ]]", OS),
        ("[[ i := facts.host.info ]][[ i.os ]]", OS),
        ("[[ if facts.host.info.os == 1 ]]a[[ else ]]b[[ end ]]", OS),
        ("[[ if true ]]a[[ else ]][[ -(facts.host.info.os) ]][[ end ]]", OS),
        ("[[ try ]]a[[ catch e ]][[ true ? facts.host.info.os : 1 ]][[ end ]]", OS),
        ("[[ block a(b=facts.host.info.os) ]]c[[ end ]]", OS),
        ("[[ block a() ]][[ facts.host.info.os ]][[ end ]]", OS),
        ("[[ range facts.network.interfaces ]][[ .name ]][[ end ]]", NAME),
        ("[[ range _, i := facts.network.interfaces ]][[ i.name ]][[ end ]]", NAME),
        ("[[ facts.network.interfaces[0].name | upper ]]", NAME),
        ("[[ lower(facts.network.interfaces[0].name[1:2]) ]]", NAME),
        ('[[ lookup("data.x", "d") ]]', LOOKUP),
        ('[[ "data.x" | lookup: "d" ]]', LOOKUP),
    ],
)
def test_a_jet_template_that_the_original_cannot_read(tmp_path, text, message):
    [(level, place, found)] = messages(in_expression(text), tmp_path)
    assert (level, place.split(":")[0], found) == ("error", "m.yaml", message)
    [(level, _place, found)] = messages(in_expression(text), tmp_path, upstream=False)
    assert (level, found) == ("warning", message)
    assert messages(in_expression(text), tmp_path, upstream=False, portable=False) == []


@pytest.mark.parametrize(
    "text",
    [
        "[[ facts.host.info.OS ]]",
        "[[ .Facts.host.info.OS ]][[ .Data.os ]]",
        "[[ data.host.info.os ]]",
        '[[ lookup("data.x") ]][[ "data.x" | lookup ]]',
        "[[ range i, v := data.l ]][[ i ]][[ end ]]",
        "[[ range i := facts.network.interfaces ]][[ i.name ]][[ end ]]",
        "[[ facts := data ]][[ facts.host.info.os ]]",
        '[[ include "/a" . ]][[ return 1 ]]',
        "[[ yield content ]]",
        "no [[ template",
    ],
)
def test_a_jet_template_that_the_original_can_read(tmp_path, text):
    assert messages(in_expression(text), tmp_path) == []


@pytest.mark.parametrize(
    ("engine", "text", "column", "message"),
    [
        ("jet", "[[ .data.x ]]", 4, "the original finds no x in .data: write data.x"),
        ("jet", 'a [[ .data["x"] ]]', 6, "the original finds no x in .data: write data.x"),
        ("jet", "[[ .facts.host ]]", 4, "the original finds no host in .facts: write facts.host"),
        ("jet", "[[ range .data ]][[ end ]]", 10, "the original cannot range over .data: write data"),
        ("jet", "[[ facts.host.info.os ]]", 4, OS),
        ("jet", '[[ lookup("data.x", "d") ]]', 4, LOOKUP),
        ("go", "{{ .data.x }}", 4, "the original finds no x in .data: write .data.Interface.x"),
        ("go", "{{ $.Data.x }}", 4, "the original finds no x in .Data: write .Data.Interface.x"),
        ("go", "{{ with .data }}{{ .x }}{{ end }}", 20, "the original finds no x in .data: write .data.Interface.x"),
        ("go", "{{ $d := .data }}{{ $d.x }}", 21, "the original finds no x in .data: write .data.Interface.x"),
        ("go", "{{ if (.data).x }}{{ end }}", 7, "the original finds no x in .data: write .data.Interface.x"),
        ("go", "{{ range .data }}{{ end }}", 10, "the original cannot range over .data: write .data.Interface"),
        ("go", "{{ .facts.Interface.host.info.os }}", 4, OS),
        ("go", "{{ range $n := .facts.Interface.network.interfaces }}{{ $n.name }}{{ end }}", 57, NAME),
        ("go", "{{ range .facts.Interface.network.interfaces }}{{ .name }}{{ end }}", 51, NAME),
        ("go", "{{ (index .facts.Interface.network.interfaces 0).name }}", 4, NAME),
        ("go", '{{ (index .facts "network" "interfaces" 0).name }}', 4, NAME),
        ("go", '{{ template "t" .data.x }}{{ define "t" }}{{ end }}', 17, "finds no x in .data"),
    ],
)
def test_a_template_of_a_scaffold_that_the_original_cannot_read(tmp_path, engine, text, column, message):
    [(level, place, found)] = messages(scaffold(tmp_path, engine, text), tmp_path)
    assert (level, place) == ("error", f"t/f:2:{column}")
    assert message in found


@pytest.mark.parametrize(
    ("engine", "text"),
    [
        ("jet", "[[ data.x ]][[ .data ]][[ .data.Interface() ]][[ .data.Len() ]]"),
        ("jet", "[[ facts.host.info.OS ]]"),
        ("go", "{{ .data.Interface.x }}{{ .data }}{{ .data.Len }}"),
        ("go", '{{ index .data "x" }}{{ lookup "data.x" "d" }}'),
        ("go", "{{ with .data.Interface }}{{ .data.x }}{{ end }}"),
        ("go", "{{ range .data.Interface.l }}{{ . }}{{ else }}{{ .data }}{{ end }}"),
        ("go", '{{ define "t" }}{{ .data.x }}{{ end }}'),
        ("go", "{{ no template"),
        ("jinja2", "{{ data.x }}"),
        ("{{ Data.engine }}", "{{ .data.x }}"),
    ],
)
def test_a_template_of_a_scaffold_that_the_original_can_read(tmp_path, engine, text):
    found = messages(scaffold(tmp_path, engine, text), tmp_path)
    assert [message for _level, place, message in found if place.startswith("t/")] == []


def test_files_of_templates(tmp_path):
    """A file that `jet()` names, and the template of resources; each place is in its file."""
    (tmp_path / "a.jet").write_text("one\n  [[ facts.host.info.os ]]\n")
    expression = in_expression("a.jet")
    assert messages(expression, tmp_path) == [("error", "a.jet:2:6", OS)]
    of_resources = {"ccm": {"resources_jet_file": "a.jet"}}
    assert messages(of_resources, tmp_path) == [("error", "a.jet:2:6", OS)]


def test_a_missing_template_is_noted_once(tmp_path):
    assert messages({"ccm": {"resources_jet_file": "none.jet"}}, tmp_path) == []


def recorded(kind):
    """Yield what was recorded of the original: the id, the template, and whether it is `mended` here."""
    lines = (ROOT / f"tests/conformance/vectors/{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    for vector in map(json.loads, lines):
        given = vector.get("input", {})
        if "want" in vector and isinstance(given.get("template"), str):
            yield vector["id"], given, vector.get("mended", "")


def differences(kind, given):
    """Return what differs beside names of facts: in the recordings, facts are maps with other names."""
    found = []
    delimiters = given.get("left", ""), given.get("right", "")
    is_scaffold = given.get("mode") == "scaffold"
    if kind == "jet" and not is_scaffold and not delimiters[0]:
        delimiters = ("[[", "]]")
    if kind == "jet":
        note_jet_differences(given["template"], *delimiters, lambda *each: found.append(each), is_scaffold=is_scaffold)
    else:
        note_go_differences(given["template"], *delimiters, lambda *each: found.append(each))
    return [message for _line, _words, message in found if "which does not know this name" not in message]


@pytest.mark.parametrize("kind", ["jet", "gotmpl"])
def test_recorded_templates_that_the_original_renders(kind):
    """It fails for no other than those that are mended here (Q51, Q52)."""
    assert [id for id, given, mended in recorded(kind) if not mended and differences(kind, given)] == []
    mended = {given["template"] for _id, given, number in recorded(kind) if number in ("Q51", "Q52")}
    noted = {given["template"] for _id, given, number in recorded(kind) if number and differences(kind, given)}
    # What is printed otherwise, and functions that are given `.data` itself: docs/coming-from-ccm.md names both.
    calls = ('printf "%T" .data', "typeOf .data", "kindOf .data", ".data | toJson", 'get .data "port"')
    printed = (".", 'index . "nope"')
    assert mended - noted == ({f"{{{{ {text} }}}}" for text in (*printed, *calls)} if kind == "gotmpl" else set())

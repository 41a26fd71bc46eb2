# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Expressions in properties: their values, and errors with a place, early and just before a resource is managed."""

from __future__ import annotations

import json
import re
import textwrap

import pytest
from ccm.data.environment import Environment
from ccm.engine.templating import resolve_properties
from ccm.model.errors import InvalidResource, TemplateError
from ccm.model.property import DEFERRED
from ccm.model.resource import Resource, complete, resource_of
from ccm.resources.types import resource_type

from tests.unit.resources.site import Site

DATA = (
    "data: {empty: '', green: green, dash: -x, upper: A, dot: ./x, mode: '9999', token: wrong, red: red, path: /x,"
    " brace: '{{'}\n"
)
ORDERS = pytest.mark.parametrize("order", ["serial", "graph"])


@pytest.fixture
def slots(ccm, tmp_path, monkeypatch):
    """Install the type `slot`; return what runs the command."""
    site = Site(tmp_path, ccm)
    site.add("ccm-slot", {"slot": "tests.unit.manifest.slot_type:TYPE"})
    monkeypatch.syspath_prepend(str(site.directory))
    return ccm


def write(directory, resources, order="serial", more="", name="m.yaml"):
    """Write a manifest: DATA is line 1, what `more` has of the engine is line 3, and resources begin in line 5."""
    engine = f"  engine: {{order: {order}{more}}}\n"
    lines = textwrap.indent(textwrap.dedent(resources).strip("\n"), "    ")
    (directory / name).write_text(f"{DATA}ccm:\n{engine}  resources:\n{lines}\n")


REFUSED = [
    ("content: '{{ Data.empty }}'", "content must not be empty"),
    ("content: '${ Data.dash }'", "content must not begin with a dash: -x"),
    ("colour: '${ Data.green }'", "colour must be one of red, blue"),
    ("words: [a, '${ Data.upper }']", "words.2 does not match the pattern ^[a-z]+$"),
    ("link: '${ Data.dot }'", "link path must be absolute"),
    ("colour: '${ Data.brace }'", "colour must be one of red, blue"),
    ("link: '${ Data.brace }'", "link path must be absolute"),
    ("mode: '${ Data.mode }'", "mode must be octal permissions like 0644"),
    ("token: '${ Data.token }'", "this is no token"),
]


@ORDERS
@pytest.mark.parametrize(("given", "error"), REFUSED)
def test_late_values_are_validated_like_early_ones(slots, tmp_path, order, given, error):
    content = "" if given.startswith("content") else "content: x, "
    write(tmp_path, f"- slot: {{name: {tmp_path}/s, ensure: present, {content}\n    {given}}}", order)
    out = slots("apply", "m.yaml", "--no-report").out
    # The value begins with a quote, and in a list it is the second one.
    column = 9 + given.index("'" if "[" in given else ":") + ("[" not in given) * 2
    assert re.search(rf"ERROR slot#\S+ failed .* errors={re.escape(error)}\n  at m\.yaml:6:{column}\n", out), out
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    "given",
    ["colour: red", "colour: '${ Data.red }'", "words: ['${ Data.green }']", "link: '${ Data.path }'", "link: /x"],
)
def test_right_values_are_accepted(slots, tmp_path, given):
    write(tmp_path, f"- slot: {{name: {tmp_path}/s, ensure: present, content: x, {given}}}")
    done = slots("apply", "m.yaml", "--no-report")
    assert " changed " in done.out, done.out + done.err


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("colour: green", "colour must be one of red, blue"),
        ("mode: '9999'", "mode must be octal permissions like 0644"),
        ("link: ./x", "link path must be absolute"),
        ("words: [A]", "does not match pattern '^[a-z]+$'"),
    ],
)
def test_a_late_property_without_expression_is_checked_before_anything_runs(slots, tmp_path, given, error):
    write(
        tmp_path,
        f"- exec: {{name: touch {tmp_path}/made}}\n"
        f"- slot: {{name: {tmp_path}/s, ensure: present, content: x, {given}}}",
    )
    done = slots("apply", "m.yaml", "--no-report")
    assert done.status == 1
    assert error in done.err
    assert not (tmp_path / "made").exists()


#: Errors of late expressions: the resource, the beginning of the error, and the place.
EXPRESSIONS = [
    (
        "- file:\n    - HERE/f: {ensure: present, OWNER, content: \"{{ lookup('data.no') }}\"}",
        "resolving field Contents: missing key 'data.no' in environment",
        "content: ",
    ),
    (
        "- exec:\n    - x: {command: 'true', environment: [A=b, 'B={{ 1 + }}']}",
        "resolving field Environment",
        "environment: ",
    ),
    (
        "- exec:\n    - x: {command: 'true', control: {if: 'true', unless: 1 +}}",
        "expr compile error for '1 +'",
        "unless: ",
    ),
    ("- exec:\n    - x: {command: 'true', control: {if: 1 +}}", "expr compile error for '1 +'", "if: "),
    ("- exec:\n    - x: {command: 'true', meta: {undo: '{{ Data.no.no }}'}}", "resolving field undo: ", "undo: "),
    (
        "- exec:\n    - x: {command: 'true', health_checks: [{goss_rules: {file: {'{{ Data.no.no }}': {mode: x}}}}]}",
        "health check goss_rules: ",
        "goss_rules: ",
    ),
]


@ORDERS
@pytest.mark.starts_processes
@pytest.mark.parametrize(("text", "error", "key"), EXPRESSIONS)
def test_errors_of_late_expressions_have_a_place(ccm, tmp_path, me, order, text, error, key):
    owner = f"owner: {me[0]}, group: {me[1]}, mode: '0600'"
    write(tmp_path, text.replace("HERE", str(tmp_path)).replace("OWNER", owner), order)
    line = (tmp_path / "m.yaml").read_text().splitlines()[5]
    place = f"m.yaml:6:{line.index(key) + len(key) + 1}"
    (tmp_path / "session").mkdir()
    ran = ccm("apply", "m.yaml", "--no-report", "--session", tmp_path / "session")
    assert re.search(rf" failed .* errors={re.escape(error)}[^\n]*\n( \|.*\n)*  at {place}\n", ran.out), ran.out
    (event,) = [
        record
        for record in (json.loads(path.read_text()) for path in (tmp_path / "session").iterdir())
        if record.get("failed")
    ]
    assert event["error"][0].startswith(error)
    assert place not in event["error"][0]
    assert event["error_position"] == place
    logged = [json.loads(line) for line in ccm("apply", "m.yaml", "--log-format", "json").out.splitlines()]
    assert [line["fields"]["error_position"] for line in logged if line["level"] == "ERROR"] == [place]


@ORDERS
@pytest.mark.starts_processes
def test_an_unknown_key_of_sent_has_a_place(ccm, tmp_path, order):
    write(
        tmp_path,
        """
        - exec: [{mint: {command: echo one}}]
        - exec:
            - use:
                cwd: /
                command: echo {{ sent('exec#mint').nothing }}
        """,
        order,
    )
    out = ccm("apply", "m.yaml", "--no-report").out
    assert "exec#mint sends no nothing, only stdout, stderr, exitcode\n  at m.yaml:9:22\n" in out


@pytest.mark.starts_processes
def test_a_value_that_is_received_is_validated(slots, tmp_path):
    receiver = f"- slot: {{name: {tmp_path}/s, ensure: present, content: \"{{{{ sent('exec#mint').stdout }}}}\"}}"
    write(tmp_path, f"- exec: [{{mint: {{command: echo -x}}}}]\n{receiver}")
    out = slots("apply", "m.yaml", "--no-report").out
    assert "errors=content must not begin with a dash: -x\n  at m.yaml:6:" in out
    write(tmp_path, f"- exec: [{{mint: {{command: echo -canary, meta: {{send: {{sensitive: true}}}}}}}}]\n{receiver}")
    ran = slots("apply", "m.yaml", "--no-report")
    assert re.search(r"errors=a value is refused: the reason is .* sensitive value\n  at m.yaml:6:", ran.out), ran.out
    assert "canary" not in ran.out + ran.err


def test_a_single_resource_is_validated_too(slots, tmp_path):
    ran = slots("ensure", "slot", tmp_path / "s", "--content", "${ '-' + 'x' }")
    assert "errors=content must not begin with a dash: -x\n" in ran.out
    assert not (tmp_path / "s").exists()


def test_secrets_in_refused_values_are_hidden(slots, tmp_path):
    write(tmp_path, f"- slot: {{name: {tmp_path}/s, ensure: present, content: '-x', token: '-x'}}")
    assert "content must not begin with a dash: REDACTED" in slots("apply", "m.yaml", "--no-report").err
    late = "content: '${ Data.dash }', token: '${ Data.dash }'"
    write(tmp_path, f"- slot: {{name: {tmp_path}/s, ensure: present, {late}}}")
    assert "errors=content must not begin with a dash: REDACTED\n" in slots("apply", "m.yaml", "--no-report").out


@pytest.mark.parametrize(("given", "value"), [({"token": "wrong"}, "REDACTED"), ({"size": 10}, None)])
def test_errors_have_no_secret_values(slots, given, value):
    slot = resource_type("slot")
    with pytest.raises(InvalidResource) as refused:
        slot.validate(slot.made(complete(slot, {"name": "/s", "content": "x", **given})))
    assert refused.value.value == value
    assert "wrong" not in refused.value.advice


@ORDERS
def test_what_a_manifest_passes_on_has_a_place(ccm, tmp_path, order):
    (tmp_path / "child.yaml").write_text(
        "ccm:\n  engine:\n    outputs: {a: '{{ Data.no.no }}'}\n  resources: [{exec: {name: x, creates: /}}]\n"
    )
    write(tmp_path, "- apply: {name: child.yaml}", order)
    assert re.search(r"apply#child.yaml failed .*\n( \|.*\n)*  at child.yaml:3:5\n", ccm("apply", "m.yaml").out)


MISSING = "- exec: {name: x, creates: '{{ Data.no.no }}'}"


def test_plan_and_junit_have_the_place(ccm, tmp_path):
    write(tmp_path, MISSING)
    place = "m.yaml:5:32"
    assert f"\n        at {place}\n" in ccm("plan", "m.yaml").out
    (step,) = json.loads(ccm("plan", "m.yaml", "--json").out)["steps"]
    assert step["error_position"] == place
    ccm("apply", "m.yaml", "--no-report", "--junit", tmp_path / "j.xml")
    assert f"&#10;  at {place}</failure>" in (tmp_path / "j.xml").read_text()


def test_drift_has_the_place(ccm, tmp_path):
    write(tmp_path, "- exec: {name: x, creates: /}")
    ccm("apply", "m.yaml", "--no-report")
    write(tmp_path, MISSING)
    assert "\n  at m.yaml:5:32\n" in ccm("drift", "m.yaml").out
    (found,) = json.loads(ccm("drift", "m.yaml", "--json").out)["resources"]
    assert found["error_position"] == "m.yaml:5:32"


def test_a_place_in_a_file_with_odd_characters_is_shown_as_one_line(ccm, tmp_path):
    write(tmp_path, MISSING, name="m\n.yaml")
    assert "\n  at m\\n.yaml:5:32\n" in ccm("apply", tmp_path / "m\n.yaml", "--no-report").out.replace(
        f"{tmp_path}/", ""
    )


def scaffold(**given):
    type = resource_type("scaffold")
    values = {"name": "/t", "ensure": "present", "source": "s", "engine": "go", **given}
    return Resource(type, type.made(complete(type, values)))


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"source": "{{ 1 + }}"}, "Source"),
        ({"data": {"a": "{{ 1 + }}"}}, "Data[a]"),
        ({"data": {"{{ 1 + }}": 1}}, "Data key {{ 1 + }}"),
        ({"data": {"a": ["x", "{{ 1 + }}"]}}, "Data[a][1]"),
        ({"data": {"a": {"b": "{{ 1 + }}"}}}, "Data[a][b]"),
        ({"data": {"a": [{"b": "{{ 1 + }}"}]}}, "Data[a][0][b]"),
        ({"post": [{"*.go": "{{ 1 + }}"}]}, "Post[0][*.go]"),
    ],
)
def test_errors_name_the_field(given, field):
    with pytest.raises(TemplateError) as caught:
        resolve_properties(scaffold(**given), Environment({}, {}, {}))
    assert str(caught.value).startswith(f"resolving field {field}: expr compile error for '1 +'")


def test_resolution_returns_a_new_resource():
    given = scaffold(data={"{{ 'k' }}": ["{{ Data.x }}", {"deep": "{{ 1 + 1 }}"}], "gone": "{{ nil }}", "null": None})
    resolved = resolve_properties(given, Environment({}, {"x": [1]}, {}))
    assert resolved.properties.data == {"k": [[1], {"deep": 2}], "null": None}
    assert given.properties.data["gone"] == "{{ nil }}"


@pytest.mark.parametrize(
    ("words", "resolved"),
    [(["a", "b"], None), (["a", "{{ Data.x }}"], ["a", "1"]), (["${ Data.x }", "b"], ["1", "b"])],
)
def test_a_list_without_expressions_is_not_resolved(words, resolved):
    exec_type = resource_type("exec")
    given = resource_of(exec_type, {"name": "true", "environment": words})
    found = resolve_properties(given, Environment({}, {"x": 1}, {}), DEFERRED)
    assert (found is given) is (resolved is None)
    assert found.properties.environment == (resolved or words)

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that are lost for good where `creates` and `sent()` meet."""

from __future__ import annotations

import pytest
from ccm.lint.check import findings
from ccm.lint.finding import WARNING

MINT = "mint: {command: /bin/mint, creates: /minted}"
SENT = "{{ sent('exec#mint').stdout }}"
USE = f'use: {{cwd: "/{SENT}"}}'
MESSAGE = (
    "the value that exec#mint sends to {} is lost when its run is killed, fails or has no state: "
    "creates keeps it from running again"
)
OWNED = "owner: root, group: root, mode: '0600'"


def manifest(*entries, engine="{}"):
    lines = ["ccm:", f"  engine: {engine}", "  resources:", "    - exec:", *(f"        - {entry}" for entry in entries)]
    return "\n".join(lines)


@pytest.fixture
def lint(tmp_path):
    """Return the findings in a manifest, which may apply the `children`: texts by the names of their files."""

    def run(text, **children):
        for name, child in children.items():
            (tmp_path / f"{name}.yaml").write_text(child, encoding="utf-8")
        return findings(text.encode(), "m.yaml", str(tmp_path), portable=False)

    return run


def messages(found):
    return [each.message for each in found]


def test_the_finding(lint):
    [found] = lint(manifest(MINT, USE))
    assert (found.level, found.rule, found.message) == (WARNING, "lost-value", MESSAGE.format("exec#use"))
    assert (found.resource, found.property) == ("exec#mint", "creates")
    assert (found.position.line, found.position.column) == (5, 47)
    assert found.excerpt.splitlines()[1].index("^") == found.excerpt.splitlines()[0].index("/minted")
    assert found.advice == (
        "let creates name the file that receives the value, or have the command write it to a file and read that with "
        "readFile(); when the value is lost, remove what creates names"
    )


@pytest.mark.parametrize(
    ("entries", "engine", "receivers"),
    [
        ((MINT, USE, USE.replace("use", "use2")), "{}", "exec#use and 1 more"),
        (
            (MINT, "use: {environment: [\"A={{ sent('exec#mint').stderr }}{{ sent('exec#mint').exitcode }}\"]}"),
            "{}",
            "exec#use",
        ),
        ((MINT, f'use: {{command: echo, meta: {{undo: "rm {SENT}"}}}}'), "{}", "exec#use"),
        ((MINT, f'defaults: {{cwd: "/{SENT}"}}', "use: {cwd: /}"), "{}", "exec#mint"),
        ((USE, MINT), "{order: graph}", "exec#use"),
        ((MINT,), f'{{outputs: {{token: "{SENT}"}}}}', "the output token"),
        ((MINT, USE), f'{{outputs: {{all: {{token: ["{SENT}"]}}}}}}', "exec#use and 1 more"),
        (("mint: {creates: '{{ Data.marker }}'}", USE), "{}", "exec#use"),
        (("mint: {creates: /minted, refreshonly: false}", USE), "{}", "exec#use"),
    ],
)
def test_who_receives_it(lint, entries, engine, receivers):
    found = [each for each in lint(manifest(*entries, engine=engine)) if each.rule == "lost-value"]
    assert messages(found) == [MESSAGE.format(receivers)]


def test_a_sender_that_is_named_by_its_alias(lint):
    [found] = lint(manifest("/bin/mint: {alias: mint, creates: /minted}", USE))
    assert found.message == MESSAGE.format("exec#use").replace("exec#mint", "exec#/bin/mint")


def test_creates_among_the_defaults_of_a_list(lint):
    [found] = lint(manifest("mint: {command: /bin/mint}", "defaults: {creates: /minted}", USE))
    assert (found.rule, found.position.line, found.position.column) == ("lost-value", 5, 11)


def test_senders_of_one_name_are_chosen_by_control(lint):
    found = lint(
        manifest(
            MINT.replace("creates", "control: {if: 'true'}, creates"),
            MINT.replace("creates", "control: {if: 'false'}, creates"),
            USE,
        )
    )
    assert [(each.position.line, each.rule) for each in found] == [(5, "lost-value"), (6, "lost-value")]


@pytest.mark.parametrize(
    "entries",
    [
        (MINT,),
        (MINT, "use: {cwd: /}"),
        ("mint: {command: /bin/mint}", USE),
        ("mint: {creates: ''}", USE),
        ("mint: {unless: /bin/guard, onlyif: /bin/guard}", USE),
        ("mint: {creates: /minted, refreshonly: true}", USE),
        ("other: {creates: /minted}", "mint: {}", USE),
    ],
)
def test_no_value_is_lost(lint, entries):
    assert lint(manifest(*entries)) == []


def test_values_that_the_state_of_a_resource_shows(lint):
    archive = "archive: {name: /a.zip, url: 'https://localhost/a.zip', creates: /a, owner: root, group: root}"
    use = "exec: {name: use, cwd: \"/{{ sent('archive#/a.zip').checksum }}\"}"
    assert lint(f"ccm: {{resources: [{{{archive}}}, {{{use}}}]}}") == []


@pytest.mark.parametrize("order", ["serial", "graph"])
@pytest.mark.parametrize(("creates", "is_lost"), [("/token", False), ("/other", True)])
def test_creates_may_name_the_file_that_receives_the_value(lint, order, creates, is_lost):
    file = f'    - file: {{name: /token, ensure: present, content: "{SENT}", {OWNED}}}'
    text = manifest(MINT.replace("/minted", creates), engine=f"{{order: {order}}}") + "\n" + file
    assert messages(lint(text)) == ([MESSAGE.format("file#/token")] if is_lost else [])


def test_creates_names_a_file_that_receives_the_value_beside_others(lint):
    file = f'    - file: {{name: /minted, ensure: present, content: "{SENT}", {OWNED}}}'
    assert messages(lint(manifest(MINT, USE) + "\n" + file)) == [MESSAGE.format("exec#use")]


@pytest.mark.parametrize("program", ["/minted", "use"])
def test_creates_names_a_command_that_receives_the_value(lint, program):
    assert messages(lint(manifest(MINT, USE.replace("use", program)))) == [MESSAGE.format(f"exec#{program}")]


def applied(child, *entries, engine="{}"):
    return manifest(*entries, engine=engine) + f"\n    - apply: {{name: {child}.yaml}}"


def test_a_child_receives_it_from_the_manifest_that_applies_it(lint):
    [found] = lint(applied("child", MINT), child=manifest(USE))
    assert (found.message, found.position.file, found.position.line) == (MESSAGE.format("exec#use"), "m.yaml", 5)


def test_a_child_sends_it(lint):
    text = applied("child", "use: {cwd: \"/{{ sent('apply#child.yaml').outputs.token }}\"}", engine="{order: graph}")
    child = manifest(MINT, engine=f'{{outputs: {{token: "{SENT}"}}}}')
    [found] = lint(text, child=child)
    assert found.message == MESSAGE.format("the output token")
    assert (found.position.file, found.position.line) == ("child.yaml", 5)


def test_a_child_sends_it_to_a_resource_of_the_manifest_that_applies_it(lint):
    [found] = lint(applied("child", USE, engine="{order: graph}"), child=manifest(MINT))
    assert (found.message, found.position.file) == (MESSAGE.format("exec#use"), "child.yaml")
    assert found.excerpt


def test_a_child_has_a_sender_of_its_own(lint):
    assert lint(applied("child", MINT), child=manifest("mint: {command: /bin/mint}", USE)) == []


def test_a_child_that_is_applied_twice_has_one_finding(lint):
    text = applied("child", "first: {}") + "\n    - apply: {name: child.yaml}"
    assert messages(lint(text, child=manifest(MINT, USE))) == [MESSAGE.format("exec#use")]


def test_the_findings_of_a_manifest_come_before_those_of_the_manifests_that_it_applies(lint):
    found = lint(applied("child", MINT, USE), child=applied("last", MINT, USE, "a: {creates: '*'}"), last="ccm: [")
    assert [(each.position.file, each.rule) for each in found] == [
        ("m.yaml", "lost-value"),
        ("child.yaml", "lost-value"),
        ("child.yaml", "path"),
        ("last.yaml", "yaml"),
    ]

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm lint`: findings, positions, output formats, and what it accepts."""

from __future__ import annotations

import json

import pytest
from ccm.resources.types import TYPES, resource_type

from tests.unit.work import assert_linear

FILE = "owner: root, group: root, mode: '0644'"


@pytest.fixture
def lint(ccm, tmp_path):
    """Lint a manifest, by default without portability findings; `found` has the findings."""

    def run(text, *flags, portability=False):
        (tmp_path / "m.yaml").write_text(text, encoding="utf-8")
        switch = ("--portability",) if portability else ()
        ran = ccm("lint", "m.yaml", "--json", *switch, *flags)
        reply = json.loads(ran.out)
        levels = [finding["level"] for finding in reply["findings"]]
        assert (reply["errors"], reply["warnings"]) == (levels.count("error"), levels.count("warning"))
        assert ran.status == (1 if reply["errors"] or ("--strict" in flags and levels) else 0)
        assert reply["manifest"] == "m.yaml"
        return reply["findings"]

    return run


def resources(*entries):
    return "ccm:\n  resources:\n" + "".join(f"    - {entry}\n" for entry in entries)


def summary(findings, text):
    """Return the findings in short form: level, rule, and the text at the position."""
    lines = text.split("\n")
    return [
        f"{each['level']} {each['rule']} " + (lines[each["line"] - 1][each["column"] - 1 :] if each["line"] else "")
        for each in findings
    ]


def assert_findings(findings, text, wanted):
    """Check level and rule of each finding, and the beginning of the text at its position, in any order."""
    got = sorted(summary(findings, text))
    assert len(got) == len(wanted), got
    for one, start in zip(got, sorted(wanted), strict=True):
        assert one.startswith(start), (got, wanted)


def test_a_correct_manifest_has_no_findings(lint, ccm):
    text = resources("exec: {name: ls, control: {if: 'Facts.cores > 1'}}")
    assert lint(text, portability=True) == []
    ran = ccm("lint", "m.yaml")
    assert (ran.status, ran.out, ran.err) == (0, "m.yaml: nothing found\n", "")


def test_text_output_has_position_line_caret_resource_and_advice(lint, ccm):
    text = resources("exec: {name: ls, colour: red}", "exec: {name: id, onlyif: 'a {{ 1 + }}', require: [exec#lx]}")
    lint(text)
    ran = ccm("lint", "m.yaml", "--no-portability")
    assert ran.status == 1
    lines = ran.out.splitlines()
    assert lines.pop(4).startswith("  known: name, alias, ensure, provider, ")
    assert lines == [
        'm.yaml:3:24: error: unknown property "colour" in exec [unknown-key]',
        "    3 |     - exec: {name: ls, colour: red}",
        "      |                        ^",
        "  in exec#ls",
        "m.yaml:4:40: error: expr compile error for '1 +': unexpected token EOF [expression]",
        "    4 |     - exec: {name: id, onlyif: 'a {{ 1 + }}', require: [exec#lx]}",
        "      |                                        ^",
        "  in exec#id",
        "m.yaml:4:57: error: require points nowhere: no exec#lx comes before [reference]",
        "    4 |     - exec: {name: id, onlyif: 'a {{ 1 + }}', require: [exec#lx]}",
        "      |                                                         ^",
        "  in exec#id",
        "  did you mean exec#ls?",
        "m.yaml: 3 errors, 0 warnings",
    ]


def test_text_output_names_a_property_that_the_message_does_not(lint, ccm):
    lint(resources("exec: {name: ls, timeout: 30}", "exec: {name: id, umask: '9'}"))
    lines = ccm("lint", "m.yaml", "--no-portability").out.splitlines()
    assert [line for line in lines if line.startswith("  in ")] == ["  in timeout of exec#ls", "  in exec#id"]


def test_colours_are_only_for_terminals(lint, ccm, monkeypatch):
    lint(resources("exec: {name: ls, colour: red}"))
    assert "\x1b" not in ccm("lint", "m.yaml").out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert "\x1b[31;1merror:\x1b[0m" in ccm("lint", "m.yaml").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in ccm("lint", "m.yaml").out


def test_a_finding_in_json_is_complete(lint):
    [found] = lint(resources("exec: {name: ls, colour: red}"))
    assert list(found) == [
        *("level", "rule", "message", "file", "line", "column", "resource", "property", "advice", "excerpt"),
    ]
    assert (found["file"], found["line"], found["column"]) == ("m.yaml", 3, 24)
    assert (found["resource"], found["property"]) == ("exec#ls", "colour")


def test_strict_makes_warnings_errors(lint):
    text = resources("archive: {name: /a.zip, ensure: present, url: 'http://h/a.zip', owner: a, group: a, password: x}")
    assert_findings(lint(text), text, ["warning plain-secret password: x"])
    assert lint(text, "--strict") == lint(text)


def test_a_missing_manifest_is_reported(ccm):
    ran = ccm("lint", "none.yaml")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == "ccm: error: open none.yaml: no such file or directory\n"
    summary = ccm("lint", "none.yaml", "--json")
    assert (summary.status, summary.err) == (1, ran.err)
    reply = json.loads(summary.out)
    assert (reply["manifest"], reply["errors"], reply["warnings"]) == ("none.yaml", 1, 0)
    [found] = reply["findings"]
    assert (found["level"], found["rule"], found["file"], found["line"]) == ("error", "unreadable", "none.yaml", 0)
    assert found["message"] == "open none.yaml: no such file or directory"


def test_a_url_that_cannot_be_fetched_shows_no_password(ccm):
    ran = ccm("lint", "http://ann:hunter2@127.0.0.1:1/m.tgz", "--json")
    assert ran.status == 1
    assert "hunter2" not in ran.out + ran.err
    assert json.loads(ran.out)["manifest"] == "http://REDACTED@127.0.0.1:1/m.tgz"


def test_an_empty_manifest_is_named(lint, ccm):
    [found] = lint("")
    assert (found["file"], found["line"], found["column"]) == ("m.yaml", 0, 0)
    assert ccm("lint", "m.yaml").out.startswith("m.yaml: error: the manifest is empty [shape]\n")


def test_the_standard_input(ccm, tmp_path):
    (tmp_path / "child.yaml").write_text("ccm: [")
    ran = ccm("lint", "-", "--json", stdin=resources("exec: {name: ls, colour: red}", "apply: {name: child.yaml}"))
    reply = json.loads(ran.out)
    assert (ran.status, reply["manifest"]) == (1, "stdin")
    assert [(each["file"], each["line"]) for each in reply["findings"]] == [("stdin", 3), ("child.yaml", 1)]


def test_a_standard_input_that_is_too_large(ccm, monkeypatch):
    monkeypatch.setattr("ccm.manifest.source.LARGEST_MANIFEST", 10)
    ran = ccm("lint", "-", stdin="x" * 11)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("ccm: error: read stdin: a manifest cannot be larger than ")


def test_several_manifests(ccm, tmp_path):
    (tmp_path / "a.yaml").write_text(resources("exec: {name: ls, colour: red}"))
    (tmp_path / "c.yaml").write_text(resources("exec: {name: ls}"))
    ran = ccm("lint", "a.yaml", "b.yaml", "c.yaml")
    assert ran.status == 1
    assert [line for line in ran.out.splitlines() if ".yaml: " in line] == [
        "a.yaml: 1 error, 0 warnings",
        "c.yaml: nothing found",
    ]
    assert ran.err.startswith("ccm: error: open b.yaml: ")
    summary = ccm("lint", "--json", "a.yaml", "b.yaml", "c.yaml")
    assert summary.status == 1
    documents = [json.loads(text + "\n}") for text in summary.out.split("\n}\n")[:-1]]
    assert [(each["manifest"], each["errors"]) for each in documents] == [("a.yaml", 1), ("b.yaml", 1), ("c.yaml", 0)]
    assert ccm("lint", "c.yaml", "c.yaml").status == 0
    assert "required argument 'manifest' not provided" in ccm("lint").err


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ccm: [", ["error yaml "]),
        ("", ["error shape "]),
        ("[]", ["error shape []"]),
        ("ccm: {}\nhierarchies: {}\n", ["error shape {}", "error unknown-key hierarchies: {"]),
        ("ccm: {resources: []}", ["error shape resources: []}"]),
        (resources("lamp: {name: a}"), ["error unknown-key lamp: {name: a"]),
        (resources("{}", "x"), ["error shape x", "error shape {}"]),
        (
            resources("package: [x, {a: {ensure: present}, b: {}}]"),
            ["error shape x, {a: {ensure", "error shape {a: {ensure: p"],
        ),
        (resources("exec: [{defaults: {cwd: /}}, {defaults: {}}, {ls: {}}]"), ["error shape defaults: {}},"]),
        (
            resources("exec: {name: ls}") + "  engine: {autogroup: 3, threads: 4}\n",
            ["error unknown-key threads: 4}", "error value 3, threads: 4}"],
        ),
        (
            resources("exec: {name: ls}") + "  fail_on_error: maybe\n  pre_message: []\n",
            ["error kind []", "error kind maybe"],
        ),
        (
            resources("exec: {name: ls}") + "hierarchy: {order: default, mode: x}\n",
            ["error shape order: default", "error unknown-key mode: x}"],
        ),
        (
            resources("exec: {name: ls}") + "overrides: {a: 1}\nhierarchy: {order: [a], merge: x}\n",
            ["error shape a: 1}", "error value x}"],
        ),
        (resources("exec: {name: ls, returns: x, logoutput: 'no'}"), ["error kind 'no'}", "error kind x, logoutput: "]),
        (resources("exec: {name: ls, health_checks: [{command: a, timeout: soon}]}"), ["error value soon}"]),
        (resources("file: {name: f, ensure: presnt}"), ["error value f, ensure: pre", "error value presnt}"]),
        (resources("exec: {name: ls, provider: bash}"), ["error value bash}"]),
        (resources("exec: {name: ls, environment: ['1=a']}"), ["error value '1=a']}"]),
        (
            "data:\n  # @validat isInt(value)\n  a: 1\n  # @validate isInt(\n  b: 1\n" + resources("exec: {name: ls}"),
            ["error expression b: 1", "warning annotation a: 1"],
        ),
    ],
)
def test_shapes_and_values(lint, text, wanted):
    assert_findings(lint(text), text, wanted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "data: {a: '{{ readFile(1) }}', b: ['${ lookup(\"x\") }', {c: '{{ ) }}'}]}\n"
            + resources("exec: {name: ls}"),
            ["error expression ) }}'}]}", "error expression readFile(1) }}"],
        ),
        (
            "overrides: {a: {b: '{{ ( }}'}}\nhierarchy: {order: ['{{ ] }}']}\n" + resources("exec: {name: ls}"),
            ["error expression ( }}'}}", "error expression ] }}']}"],
        ),
        (resources("exec: {name: ls}") + "  post_message: '{{ nobody }}'\n", ["error expression nobody }}'"]),
        (resources("file: [{'/{{ Data. }}': {ensure: absent}}]"), ["error expression '/{{ Data. }}'"]),
        (
            resources("exec: {name: ls, control: {if: '1 + 2', unless: 'Facts.a =='}}"),
            ["error expression 1 + 2', unless", "error expression ='}}"],
        ),
        (
            resources("exec: {name: ls, control: {if: 'true'}, require: ['exec#{{ ) }}']}"),
            ["error reference 'exec#{{ ) }}'"],
        ),
        (
            resources("exec: {name: ls, health_checks: [{command: '{{ ) }}'}, {goss_rules: {file: {a: '{{ ( }}'}}}]}"),
            ["error expression ( }}'}}}]}", "error expression ) }}'}, {goss_"],
        ),
        (resources("apply: {name: '{{ Data.child }}', data: {a: '{{ ] }}'}}"), ["error expression ] }}'}}"]),
        (resources("exec: {name: ls, command: 'echo {{ Data.x }'}"), ["warning expression {{ Data.x }'}"]),
        (resources("exec: [{defaults: {cwd: '{{ ) }}'}}, {ls: {}}]"), ["error expression ) }}'}}, {ls: "]),
    ],
)
def test_expressions(lint, text, wanted):
    assert_findings(lint(text), text, wanted)


def test_an_expression_in_a_multiline_text_has_its_own_line(lint):
    text = resources(
        "file: {name: /f, ensure: absent}",
        "file:\n        name: /g\n        ensure: absent\n        content: |\n          a\n          {{ Data.x + }}\n",
    )
    [found] = lint(text)
    assert (found["line"], found["excerpt"].splitlines()[0]) == (9, "9 |           {{ Data.x + }}")


@pytest.mark.parametrize(
    "properties",
    [
        "file: {name: '{{ Data.a }}', ensure: '{{ Data.b }}'}",
        "file: {name: '/{{ Data.a }}', ensure: present, "
        "owner: '{{ Data.o }}', group: '{{ Data.g }}', mode: '{{ Data.m }}'}",
        "archive: {name: '{{ Data.a }}', ensure: present, url: 'http://h/x.zip', owner: a, group: a}",
        "archive: {name: '{{ Data.a }}', ensure: present, url: 'http://h/x.tar.xz', owner: a, group: a}",
        "archive: {name: /a.tbz2, ensure: present, url: '{{ Data.a }}', owner: a, group: a}",
        "archive: {name: /a.tar.zst, ensure: present, url: '{{ Data.a }}', owner: a, group: a}",
        "archive: {name: /x.tar, ensure: present, url: '{{ Data.a }}', owner: a, group: a}",
        "package: {name: '{{ Data.a }}', ensure: '{{ Data.b }}', provider: '{{ Data.c }}'}",
        "service: {name: '{{ Data.a }}', ensure: '{{ Data.b }}', subscribe: ['{{ Data.c }}']}",
        "scaffold: {name: '{{ Data.a }}', ensure: '{{ Data.b }}', source: '{{ Data.c }}', post: [{a: '{{ 1 }}'}]}",
        "exec: {name: '{{ Data.a }}', timeout: '{{ Data.b }}', path: '{{ Data.c }}', environment: ['A={{ Data.d }}']}",
        "exec: {name: a, register_when_stable: [{"
        "cluster: '{{ Data.a }}', service: '{{ Data.a }}', protocol: '{{ Data.a }}', "
        "address: '{{ Data.a }}', port: '{{ Data.p }}', priority: 1}]}",
        "apply: {name: '{{ Data.a }}', noop: true}",
    ],
)
def test_values_that_only_a_run_knows_are_accepted(lint, properties):
    assert {each["rule"] for each in lint(resources(properties))} <= {"registration"}


def test_errors_beside_an_expression_are_found(lint):
    text = resources("file: {name: '{{ Data.a }}', ensure: present, owner: root, group: '', mode: '9'}")
    assert_findings(lint(text), text, ["error value ''", "error value '9'"])


@pytest.mark.parametrize(
    ("entries", "wanted"),
    [
        (["exec: {name: a}", "exec: {name: b, require: [exec#a]}"], []),
        (["exec: {name: a, alias: x}", "exec: {name: b, subscribe: [exec#x]}"], []),
        (["exec: {name: b, require: [exec#c]}", "exec: {name: c}"], ["require points forward: exec#c comes later"]),
        (["exec: {name: a, require: [exec#a]}"], ["require names the resource itself: exec#a"]),
        (["service: {name: a, subscribe: [file#/x]}"], ["subscribe points nowhere: no file#/x comes before"]),
        (["exec: [{defaults: {require: [exec#z]}}, {a: {}}]"], ["require points nowhere: no exec#z comes before"]),
        (
            ["exec: {name: '{{ Data.x }}'}", "exec: {name: b, require: [exec#c, file#c]}"],
            ["require points nowhere: no file#c comes before"],
        ),
        (["exec: {name: b, subscribe: ['exec#{{ Data.x }}']}"], []),
        (["apply: {name: '{{ Data.x }}'}", "exec: {name: b, require: [exec#c]}"], []),
    ],
)
def test_references(lint, entries, wanted):
    assert [each["message"] for each in lint(resources(*entries)) if each["rule"] == "reference"] == wanted


@pytest.mark.parametrize(
    ("entry", "wanted"),
    [
        ("exec: [{defaults: {cwd: /}}]", "the list of exec resources has nothing but defaults"),
        ("exec: [{a: {cwd: /}}, {defaults: {cwd: /}}]", "the default for cwd is never used"),
        (
            "exec: [{a: {refreshonly: true}}, {defaults: {refresh_only: false}}]",
            "the default for refresh_only is never used",
        ),
        ("exec: [{a: {}}, {defaults: {name: b}}]", "the default for name is never used"),
        ("exec: [{a: {cwd: /}}, {b: {}}, {defaults: {cwd: /}}]", ""),
    ],
)
def test_defaults(lint, entry, wanted):
    found = lint(resources(entry))
    assert [each["rule"] for each in found] == (["unused-defaults"] if wanted else [])
    assert all(each["message"].startswith(wanted) for each in found)


SECRETS = [
    "data: {db_password: 'hunter2'}\n" + resources("exec: {name: ls}"),
    "overrides: {a: {list: [{apiToken: 'hunter2'}]}}\n" + resources("exec: {name: ls}"),
    resources(
        "archive: {name: /a.zip, ensure: absent, url: 'http://h/a.zip', owner: a, group: a, headers: {X: 'hunter2'}}"
    ),
    resources("archive: {name: /a.zip, ensure: absent, url: 'http://u:hunter2@h/a.zip', owner: a, group: a}"),
    resources("exec: {name: 'curl http://u:hunter2@h/'}"),
    resources("exec: {name: 'curl http://h/ http://u:hunter2@h/'}"),
    resources("exec: {name: ls, environment: ['DB_PASSWORD=hunter2']}"),
    resources("exec: [{defaults: {environment: ['TOKEN=hunter2']}}, {ls: {}}]"),
    resources(f'file: {{name: /f, ensure: present, {FILE}, content: "a\\npassword = hunter2\\n"}}'),
    resources("apply: {name: '{{ Data.x }}', data: {secret: 'hunter2'}}"),
]


@pytest.mark.parametrize("text", SECRETS)
def test_secrets_in_plain_text_are_found_and_hidden(lint, ccm, text):
    found = lint(text)
    assert [each["rule"] for each in found] == ["plain-secret"]
    assert "hunter2" not in json.dumps(found)
    assert "hunter2" not in ccm("lint", "m.yaml").out


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_from_an_expression_is_accepted(lint, text):
    assert lint(text.replace("hunter2", "{{ Facts.x }}")) == []


@pytest.mark.parametrize("value", ["$DB_PASSWORD", "<secret>", "yes", "/run/secrets/db", "ENC[PKCS7,x]", "%s"])
def test_a_placeholder_of_a_secret_is_accepted(lint, value):
    assert lint(resources(f"exec: {{name: ls, environment: ['DB_PASSWORD={value}']}}")) == []
    assert lint(f"data: {{db_password: '{value}'}}\n" + resources("exec: {name: ls}")) == []


def test_a_password_in_a_name_is_hidden_in_other_findings(lint):
    found = lint(resources("exec: {name: 'curl http://u:hunter2@h/', colour: red}"))
    assert "hunter2" not in json.dumps(found)
    assert "exec#curl http://REDACTED@h/" in json.dumps(found)


UPSTREAM = resources("exec: {name: a, require: [exec#b], meta: {retry: 1}}", "exec: {name: b}")


@pytest.mark.parametrize("flags", [(), ("--upstream",)])
def test_for_the_original_extensions_are_errors(lint, flags):
    """A requirement of what comes later is one as well: the original has no graph order."""
    found = lint(UPSTREAM + "  engine: {order: graph}\n", *flags, portability=True)
    errors = sorted(each["message"].split(":")[0] for each in found if each["level"] == "error")
    extensions = ["ccm.engine is an extension", "meta is an extension"]
    assert errors == ([*extensions, "require points forward"] if flags else [])
    warnings = sorted(each["message"].split(":")[0] for each in found if each["level"] == "warning")
    assert [text for text in warnings if text in extensions] == ([] if flags else extensions)


@pytest.mark.parametrize(
    "text",
    [
        resources("file: {name: /f, ensure: present, owner: a, group: a, mode: '2755'}"),
        resources("archive: {name: /a.tar.xz, url: 'http://h/a.tar.xz#x', ensure: present, owner: a, group: a}"),
        resources("service: {name: 'a@b'}"),
        resources("exec: {name: a, environment: ['A=']}"),
        resources("exec: {name: a, user: www-data}"),
        resources("exec: {name: a, group: www-data}"),
        resources("exec: {name: a, umask: 022}"),
        resources("package: {name: a, ensure: purged}"),
        resources("package: {name: a, ensure: present, mark: hold}"),
        resources("exec: {name: a, refresh_only: true}"),
        resources("exec: {name: a, control: {if: 'Facts.host.info.hostname == Data.a'}}"),
        resources(f"file: {{name: /f, ensure: present, {FILE}, content: '{{{{ Facts.cpu.info[0].modelName }}}}'}}"),
        resources(f'file: {{name: /f, ensure: present, {FILE}, content: "1\\n"}}'),
        resources('exec: {name: "a\\nb"}'),
        'data: {a: "1\\n2"}\n' + resources("exec: {name: ls}"),
        "overrides:\n" + resources("exec: {name: ls}"),
    ],
)
def test_for_the_original_values_that_it_refuses_are_errors(lint, text):
    assert [each["level"] for each in lint(text, "--upstream", portability=True)] == ["error"]


EXTENSIONS = [
    pytest.param(listed.name, prop, id=f"{listed.name}-{prop.name}")
    for listed in TYPES
    for prop in resource_type(listed.name).properties
    if prop.extension and not listed.extension
]
VALUES = {"integer": 3, "boolean": True, "mode": "0022", "strings": ["one"], "string_map": {"a": "b"}, "object": {}}


@pytest.mark.parametrize(("type", "prop"), EXTENSIONS)
def test_each_property_that_the_original_does_not_have_is_reported(lint, type, prop):
    """What it does with the property is in the declaration, `Property.extension`."""
    value = {"retry": 1} if prop.name == "meta" else (*prop.choices, VALUES.get(prop.kind, "one"))[0]
    name = "/a.zip" if type == "archive" else "/a"
    given = {"name": name, "ensure": resource_type(type).default_ensure, prop.name: value}
    text = resources(f"{type}: {json.dumps(given)}")
    assert prop.extension in [each["message"] for each in lint(text, portability=True)]
    assert prop.extension not in [each["message"] for each in lint(text)]


def test_a_type_that_the_original_does_not_have_is_an_error_for_it(lint, monkeypatch):
    """As its line in the list of types says (`ListedType.extension`)."""
    assert lint(resources("service: {name: a}"), "--upstream", portability=True) == []
    monkeypatch.setattr("ccm.lint.portability._TYPES_OF_ORIGINAL", frozenset({"exec"}))
    found = lint(resources("service: {name: a}"), "--upstream", portability=True)
    assert [(each["level"], each["message"]) for each in found] == [("error", "the original has no type service")]


def registered(rest):
    """A resource that has a registration with these fields and the required ones."""
    usual = "cluster: a, service: b, protocol: c, priority: 1"
    return resources(f"exec: {{name: ls, register_when_stable: [{{{usual}, {rest}}}]}}")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (resources("exec: {name: ls}") + "  engine: {autogroup: false}\n", "ccm.engine is an extension"),
        ("overrides:\n" + resources("exec: {name: ls}"), "crashes on empty overrides"),
        ('data: {a: "1\\n2"}\n' + resources("exec: {name: ls}"), "its line breaks (Q54)"),
        (resources("exec: {name: ls}\n      package: {name: a, ensure: present}"), "in any order"),
        (resources(f'file: {{name: /f, ensure: present, {FILE}, content: "1\\n"}}'), "its line breaks (Q54)"),
        (resources("file: {name: /f, ensure: present, owner: a, group: a, mode: 0644}"), "as the number 420"),
        (resources("file: {name: /f, ensure: present, owner: a, group: a, mode: '644'}"), "never gets to the mode 644"),
        (resources("package: {name: a, ensure: 5.10}"), "as 5.1"),
        (resources("scaffold: {name: /s, ensure: absent, source: '{{ Data.s }}'}"), "wants engine to be given"),
        (
            resources("scaffold: {name: /s, ensure: absent, source: '{{ Data.s }}', engine: jinja2}"),
            "go and jet as engine",
        ),
        (resources("exec: {name: ls, refresh_only: true}"), "refresh_only is refreshonly"),
        (resources("exec: {name: ls, path: /bin}"), "with path"),
        (resources("service: {name: 'a@b'}"), "services with @"),
        (resources("package: {name: a, ensure: purged}"), "the original takes purged for a version"),
        (resources("package: {name: a, ensure: present, mark: none}"), "the original ignores mark"),
        (resources("file: {name: /f, ensure: present, owner: a, group: a, mode: '2755'}"), "no mode above 0777"),
        (
            resources("archive: {name: /a.tar.xz, url: 'http://h/a.tar.xz#x', ensure: present, owner: a, group: a}"),
            "no archives of the kind tar.xz",
        ),
        (
            registered("address: web1, port: 1"),
            "no host name",
        ),
        (
            registered("address: '::1', port: '{{ 1 }}'"),
            "as port",
        ),
        (
            registered("address: '::1', port: 1, ttl: 1m"),
            "refuses ttl",
        ),
    ],
)
def test_constructs_that_differ_in_the_original(lint, text, wanted):
    beside = lint(text)
    found = [each for each in lint(text, portability=True) if each not in beside]
    assert [(each["level"], each["rule"]) for each in found] == [("warning", "portability")]
    assert wanted in found[0]["message"]
    assert {each["rule"] for each in beside} <= {"registration"}


@pytest.mark.parametrize(
    "rest", ["address: web1, port: 1", "address: '::1', port: '{{ 1 }}'", "address: '::1', port: 1, ttl: 1m"]
)
def test_for_the_original_registrations_that_it_refuses_are_errors(lint, rest):
    found = lint(registered(rest), "--upstream", portability=True)
    assert [each["rule"] for each in found if each["level"] == "error"] == ["portability"]


@pytest.mark.parametrize(
    "text",
    [
        registered("address: 10.0.0.1, port: '{{ lookup(\"data.p\") }}'"),
        resources(f"file: {{name: /f, ensure: present, {FILE}, content: one}}", "package: {name: a, ensure: 5.9}"),
        resources("exec: {name: 'ls {{ Facts.host.info.OS }}', refreshonly: true}"),
    ],
)
def test_constructs_that_are_equal_in_the_original(lint, text):
    assert lint(text, portability=True) == lint(text)


# Checked with the original; the last cases show what an expression accepts, and where.
BREAKING = ["hello\n", "a\nb", "a\nb\n\n", "\na", "a:\nb", "a\n-b", "1\n", "a\r\nb", "a\rb", "Grüße\nx"]
KEPT = ["\n", "a: b\nc", "a\n- b", "# a\nb", "a\\b\nc", "[a]\nb", "'a'\nb", " a\nb", "a\nb:", "a\nb "]
WITH_EXPRESSION = "a {{ 1 }}\nb\n"


def in_content(text):
    return resources(f"file: {{name: /f, ensure: present, {FILE}, content: {json.dumps(text)}}}")


def in_name(text):
    return resources(f"exec: {{name: {json.dumps(text)}}}")


def in_key(text):
    return resources(f"exec: [{{{json.dumps(text)}: {{creates: /}}}}]")


def in_data(text):
    return f"data: {{a: [{{b: {json.dumps(text)}}}]}}\n" + resources("exec: {name: ls}")


def in_list_of_data(text):
    return f"overrides: {{a: {{b: [{json.dumps(text)}]}}}}\n" + resources("exec: {name: ls}")


def in_environment(text):
    return resources(f"exec: {{name: ls, environment: [{json.dumps('A=' + text)}]}}")


def in_annotations(text):
    return registered(f"address: 10.0.0.1, port: 1, annotations: {{a: {json.dumps(text)}}}")


def in_health_check(text):
    return resources(f"exec: {{name: ls, health_checks: [{{command: {json.dumps(text)}}}]}}")


def in_rules(text):
    return rules(f"{{file: {{/a: {{contents: {json.dumps(text)}}}}}}}")


@pytest.mark.parametrize(
    ("written", "refused", "kept"),
    [
        (in_content, BREAKING, [*KEPT, WITH_EXPRESSION]),
        (in_name, [*BREAKING, WITH_EXPRESSION], KEPT),
        (in_key, [*BREAKING, WITH_EXPRESSION], KEPT),
        (in_data, [*BREAKING, WITH_EXPRESSION], [*KEPT, "# {{ 1 }}\nb"]),
        (in_annotations, [*BREAKING, WITH_EXPRESSION], KEPT),
        (in_health_check, [*BREAKING, WITH_EXPRESSION], KEPT),
        (in_list_of_data, [], BREAKING),
        (in_environment, ["a\nb", "a: b\nc"], ["a", WITH_EXPRESSION]),
        (in_rules, [], BREAKING),
    ],
)
def test_line_breaks_that_the_original_cannot_read(lint, written, refused, kept):
    def findings_of(text):
        return [each["rule"] for each in lint(written(text), portability=True) if "line breaks" in each["message"]]

    assert [text for text in refused if findings_of(text) != ["portability"]] == []
    assert [text for text in kept if findings_of(text)] == []


def test_advice_for_a_text_with_line_breaks(lint):
    def advice(text):
        return [each["advice"] for each in lint(text, portability=True)]

    assert advice(in_content("a\n")) == ["it would take one with an expression in it"]
    assert advice(in_name("a\n")) == [""]


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("Facts.host.info.hostname", "Facts.host.info.Hostname"),
        ('Facts["host"].info["os"]', "Facts.host.info.OS"),
        ("Facts?.host?.info?.platformFamily", "Facts.host.info.PlatformFamily"),
        ("Facts.memory.virtual.total", "Facts.memory.virtual.Total"),
        ("Facts.network.interfaces[Data.x].mtu", "Facts.network.interfaces[].MTU"),
        ("sum(Data.x, Facts.partition.usage[0].usedPercent)", "Facts.partition.usage[].UsedPercent"),
    ],
)
def test_names_of_facts_in_the_original(lint, expression, wanted):
    text = resources(f"exec: {{name: ls, control: {{if: '{expression} == 1'}}}}")
    [found] = lint(text, portability=True)
    assert (found["level"], found["rule"], found["advice"]) == ("warning", "portability", "here, both are known")
    assert f" is {wanted} to the original, which does not know this name" in found["message"]
    assert lint(text) == []


@pytest.mark.parametrize(
    "expression",
    ["Facts.host.info.OS", "Facts.site.os", "Data.host.info.os", "Facts.host.os", 'lookup("facts.host.info.os")', "1"],
)
def test_correct_names_of_facts(lint, expression):
    assert lint(f"data: {{a: '{{{{ {expression} }}}}'}}\n" + resources("exec: {name: ls}"), portability=True) == []


@pytest.mark.parametrize(
    ("name", "advice"),
    [("platfromFamily", "did you mean platformFamily?"), ("nosuch", "gathered are hostname, uptime, bootTime, ")],
)
def test_unknown_facts(lint, name, advice):
    text = f"hierarchy: {{order: ['a:{{{{ Facts.host.info.{name} }}}}']}}\n" + resources("exec: {name: ls}")
    for portability in (True, False):
        [found] = lint(text, portability=portability)
        assert (found["level"], found["rule"], found["line"]) == ("warning", "fact", 1)
        assert found["message"].startswith(f"no machine has a fact Facts.host.info.{name}: ")
        assert found["advice"].startswith(advice)


def test_a_fact_in_a_multiline_text_has_its_own_position(lint):
    content = "content: |\n          Facts.host.info.os\n          {{ Facts.host.info.OS }} {{ Facts.host.info.os }}"
    text = resources(
        f"file:\n        name: /g\n        ensure: present\n        {FILE.replace(', ', chr(10) + ' ' * 8)}"
    )
    text += f"        {content}\n          {{{{ Facts.host.info.os }}}}\n"
    found = lint(text, portability=True)
    lines = text.split("\n")
    assert [lines[each["line"] - 1][: each["column"]] for each in found] == [
        "          {{ Facts.host.info.OS }} {{ Facts.host.info.o",
        "          {{ Facts.host.info.o",
    ]


def test_children_are_linted_in_the_order_of_a_run(lint, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/child.yaml").write_text(
        resources("exec: {name: b, require: [exec#a, exec#c]}", "apply: {name: ../m.yaml}"), encoding="utf-8"
    )
    found = lint(resources("exec: {name: a}", "apply: {name: sub/child.yaml}", "exec: {name: c, require: [exec#b]}"))
    assert [(each["file"], each["message"]) for each in found] == [
        ("sub/child.yaml", "require points nowhere: no exec#c comes before"),
        ("sub/child.yaml", "a manifest applies itself"),
    ]
    assert found[0]["excerpt"].startswith("3 |     - exec: {name: b, require: [exec#a, exec#c]}\n")
    assert (
        lint(resources("apply: {name: m.yaml, control: {if: 'Data.x'}}", "apply: {name: m.yaml, data: {x: 1}}")) == []
    )


def test_refused_children(lint, tmp_path):
    (tmp_path / "child.yaml").write_text(resources("apply: {name: none.yaml}"), encoding="utf-8")
    found = lint(
        resources(
            "apply: {name: child.yaml, allow_apply: false}",
            "apply: {name: /no.yaml, noop: true, health_check_only: true}",
        )
    )
    assert [(each["level"], each["message"].partition(":")[0]) for each in found] == [
        ("error", "cannot set healthcheck only and noop mode at the same time"),
        ("warning", "the child manifest cannot be read"),
        ("error", "apply resources are denied by the manifest that applies this one"),
        ("warning", "the child manifest cannot be read"),
    ]


def test_a_long_chain_ends(lint, tmp_path):
    for number in range(12):
        (tmp_path / f"{number}.yaml").write_text(resources(f"apply: {{name: {number + 1}.yaml}}"), encoding="utf-8")
    [found] = lint(resources("apply: {name: 0.yaml}"))
    assert found["message"] == "maximum apply depth of 10 exceeded"


@pytest.mark.parametrize(
    ("engine", "good", "wrong"),
    [
        ("go", '{{ .data.x | upper }} {{ write "a" "b" }}', "a\n{{ if }}"),
        ("go", '{{ lookup "data.x" }}', "a\n{{ nosuch 1 }}"),
        ("jet", "[[ data.x ]] [[ if data.y ]]1[[ end ]] {{ if }}", "a\n[[ if data.y ]]"),
        ("jet, left_delimiter: '<%', right_delimiter: '%>'", "<% data.x %> [[ if", "a\n<% if data.y %>"),
        ("jet", '[[ lookup("data.x") ]] [[ write("a", "b") ]] [[ render("a", "b") ]]', "a\n[[ upcase(data.a) ]]"),
        ("jet, left_delimiter: '<%'", "<% data.x ]]", "a\n<% if data.y ]]"),
        ("jinja2", "{% if x %}{{ x }}{% endif %}", "a\n{% if x %}"),
    ],
)
def test_templates_of_scaffolds(lint, tmp_path, engine, good, wrong):
    (tmp_path / "s/sub").mkdir(parents=True)
    (tmp_path / "s/good").write_text(good, encoding="utf-8")
    text = resources(f"scaffold: {{name: /s, ensure: present, source: s, engine: {engine}}}")
    assert lint(text) == []
    (tmp_path / "s/sub/wrong").write_text(wrong, encoding="utf-8")
    [found] = lint(text)
    assert (found["rule"], found["file"]) == ("template", "s/sub/wrong")
    assert found["line"] == 2
    assert found["resource"] == "scaffold#/s"


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("dd", "is not an absolute path"),
        ("./dd/", "is not an absolute path"),
        ("/x/*.c", "is a pattern, which is not looked for"),
        ("/x/[ab]", "is a pattern, which is not looked for"),
        ("/x/{{ Data.y }}", "has an expression, which is not resolved here"),
    ],
)
def test_watched_files_that_never_change(ccm, lint, path, problem):
    text = resources(f"exec: {{name: 'true', refreshonly: true, meta: {{watch_files: [/a, /b/c/, '{path}']}}}}")
    assert_findings(lint(text), text, [f"error value '{path}'"])
    assert lint(text)[0]["message"] == f'"{path}" {problem}'
    ran = ccm("apply", "m.yaml")
    assert (ran.status, f'"{path}" {problem}\n  at m.yaml:3:' in ran.err) == (1, True), ran.err
    assert "  write whole paths of files and directories; a directory stands for all below it\n" in ran.err


@pytest.mark.parametrize(("engine", "count"), [("jinja2", 0), ("go", 1), ("jet", 1)])
def test_a_binary_file_among_templates(lint, tmp_path, engine, count):
    """In the languages of the original it is a template; none of its bytes are shown."""
    (tmp_path / "s").mkdir()
    (tmp_path / "s/x.png").write_bytes(b"\x89PNG\n\0{{ if [[ if {% if {# SECRETS")
    found = lint(resources(f"scaffold: {{name: /s, ensure: present, source: s, engine: {engine}}}"))
    assert [(each["file"], each["line"], each["excerpt"]) for each in found] == [("s/x.png", 2, "")] * count


def test_a_template_above_the_size_limit(lint, tmp_path, monkeypatch):
    monkeypatch.setattr("ccm.data.reading.MAX_SIZE", 100)
    (tmp_path / "s").mkdir()
    (tmp_path / "s/large").write_bytes(b"x" * 101)
    [found] = lint(resources("scaffold: {name: /s, ensure: present, source: s}"))
    assert (found["level"], found["rule"], found["property"]) == ("error", "template", "")
    assert found["message"] == f"read {tmp_path}/s/large: larger than 100 bytes"


def test_a_missing_source_can_be_created_later(lint):
    [found] = lint(resources("scaffold: {name: /s, ensure: present, source: s}"))
    assert (found["level"], found["property"]) == ("warning", "source")


def test_the_template_of_resources(lint, tmp_path):
    text = "ccm: {resources_jet_file: r.jet}\n"
    assert_findings(lint(text), text, ["error template r.jet"])
    (tmp_path / "r.jet").write_text("- exec: {name: '[[ data.x ]]'}\n[[ if ]]\n", encoding="utf-8")
    [found] = lint(text)
    assert (found["file"], found["line"]) == ("r.jet", 2)
    (tmp_path / "r.jet").write_text("- exec: {name: '[[ data.x ]]'}\n", encoding="utf-8")
    assert lint(text) == []


def test_lint_gathers_no_facts(lint, monkeypatch):
    monkeypatch.setattr("ccm.data.factfiles.gather", lambda *given, **named: pytest.fail("gathered"))
    assert lint("data: {a: '{{ Facts.host.info.OS }}'}\n" + resources("exec: {name: '{{ Facts.cores }} ls'}")) == []


@pytest.mark.parametrize(
    ("entry", "wanted"),
    [
        (
            "archive: {ensure: absent, url: 'http://h/a.tar.gz', owner: a}",
            ["error value archive: ", "error value archive: "],
        ),
        ("archive: {name: 5, ensure: present, url: 'http://h/a.zip', owner: a, group: a}", ["error value 5"]),
        (
            "archive: {name: /a.tar, ensure: present, url: 'http://h/a.zip', owner: a, group: a}",
            ["error value 'http://"],
        ),
    ],
)
def test_several_errors_of_related_properties(lint, entry, wanted):
    text = resources(entry)
    assert_findings(lint(text), text, wanted)


def test_the_work_for_a_manifest_grows_linearly_with_its_length(lint):
    def linted(count):
        names = [f"exec: {{name: echo {number}, require: [exec#none{number}]}}" for number in range(count)]
        assert len(lint(resources(*names))) == count

    assert_linear(lambda count: lambda: linted(count), 75)


def rules(text):
    return resources(f"exec: {{name: ls, health_checks: [{{command: id}}, {{goss_rules: {text}}}]}}")


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("{file: {/a: {exists: true, size: {gt: 5}}}, gossfile: {a.yaml: {skip: true}}}", []),
        ("{fil: {/a: {exists: true}}}", ["warning goss-rule fil: {/a"]),
        ("{file: {/a: {exist: true}}}", ["error goss-rule exist: true"]),
        ("{gossfile: {a.yaml: {exists: true}}}", ["error goss-rule exists: true"]),
        ("{file: [/a]}", ["error goss-rule file: [/a]"]),
        ("{file: {/a: true}}", ["error goss-rule /a: true"]),
        ("{file: {/a: {size: {over: 5}}}}", ["error goss-rule size: {over"]),
        ("{file: {/a: {size: {gt: 5, lt: 9}}}}", ["error goss-rule size: {gt"]),
        (
            "{dns: {a.b: {timeout: soon, resolvabel: true}}}",
            ["error goss-rule resolvabel", "error goss-rule timeout: soon"],
        ),
        ("{file: {/a: {size: {gt: '${ Data.x }'}, '${ Data.y }': true}, '/${ Data.z }': '${ Data.x }'}}", []),
        ("{http: {'https://a': {timeout: '${ Data.x }', status: 200, body: [a, /b/]}}}", []),
        ("{file: {/a: {exists: true, contents: null}}, user: null}", []),
    ],
)
def test_rules_of_health_checks(lint, written, wanted):
    text = rules(written)
    found = lint(text)
    assert_findings(found, text, wanted)
    assert all(each["resource"] == "exec#ls" for each in found)


def test_the_nearest_rule_is_proposed(lint):
    assert [each["advice"] for each in lint(rules("{fil: {}, file: {/a: {exist: true}}}"))] == [
        "did you mean file?",
        "did you mean exists?",
    ]


@pytest.mark.parametrize(
    ("source", "ensure", "wanted"),
    [
        ("gone", "present", ["warning file gone"]),
        ("there", "present", []),
        ("/no/such/file", "present", []),
        ("gone", "absent", []),
        ("'{{ Data.x }}'", "present", []),
    ],
)
def test_the_source_of_a_file(lint, tmp_path, source, ensure, wanted):
    (tmp_path / "there").touch()
    text = resources(f"file: {{name: /f, ensure: {ensure}, {FILE}, source: {source}}}")
    assert_findings(lint(text), text, wanted)


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ('template("gone.templ")', ['warning file "gone.templ"']),
        ('template("gone.jet")', ['warning file "gone.jet"']),
        ('jet("gone.jet", "<", ">")', ['warning file "gone.jet"']),
        ('upper(file("gone"))', ['warning file "gone"']),
        ('Facts.x ? [readFile("gone")] : {"a": 1}', ['warning file "gone"']),
        ('template("/gone.templ") + file("/gone") + file(Data.x)', []),
        ('template("x.tpl")', ['warning file "x.tpl"']),
        ('template("files/motd")', ['warning file "files/motd"']),
        ('jet("x.templ")', ['warning file "x.templ"']),
        ('jet("x.tpl", "<", ">")', ['warning file "x.tpl"']),
        ('template("Welcome.") + template("a.b c/d") + template("1.5") + template("${ 1 }.tpl")', []),
        ('jet("[[ 1 ]]/x.tpl") + jet("<1>.tpl", "<", ">") + template(Data.x + ".tpl")', []),
        ('template("${ 1 + }")', ['error expression "${ 1 + }"']),
        ('template(\'a ${ template("{{ 1 + " + Data.x) } ${ template("gone.templ") }\')', ["warning file 'a ${"]),
        ('template("${ Data.x }") + jet("[[ data.x ]]") + jet("<data.x>", "<", ">")', []),
        ('jet("[[ if ]]")', ['error expression "[[ if ]]"']),
        ('jet("<if>", "<", ">")', ['error expression "<if>"']),
        ('jet("[[ upcase(data.a) ]]")', ['error expression "[[ upcase']),
        ('jet("<data.a | write>", "<", ">")', ['error expression "<data.a']),
    ],
)
def test_text_arguments_of_functions(lint, expression, wanted):
    text = resources(f"exec:\n        name: ls\n        command: >-\n          a {{{{ {expression} }}}}")
    assert_findings(lint(text), text, wanted)


def test_files_that_functions_render(lint, tmp_path):
    (tmp_path / "a.templ").write_text('a\n {{ 1 + }}\n${ template("a.templ") }${ file("gone") }\n')
    (tmp_path / "b.jet").write_text("a\n[[ if ]]\n")
    found = lint(resources("""exec: {name: '{{ template("a.templ") + jet("b.jet") + template("b.jet") }}'}"""))
    assert [(each["level"], each["rule"], each["file"], each["line"], each["column"]) for each in found] == [
        ("error", "expression", "a.templ", 2, 7),
        ("warning", "file", "a.templ", 3, 33),
        ("error", "template", "b.jet", 2, 1),
    ]
    assert found[0]["excerpt"].startswith("2 |  {{ 1 + }}")

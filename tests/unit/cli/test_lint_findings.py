# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm lint`: lookups, commands, duplicates, URLs and registrations with an unexpected effect."""

from __future__ import annotations

import json

import pytest

from tests.unit.work import assert_linear

OWNED = "owner: root, group: root, mode: '0644'"
DATA = """data: {port: 8080, web: {user: www}, given: null, made: "{{ Facts.x }}", list: [{a: 1}]}
overrides: {edge: {site: x}}
"""


@pytest.fixture
def lint(ccm, tmp_path):
    """Return the findings in a manifest: rule, message and the text at the position."""

    def run(text, *flags):
        (tmp_path / "m.yaml").write_text(text, encoding="utf-8")
        ran = ccm("lint", "m.yaml", "--json", "--no-portability", *flags)
        assert ran.err == ""
        lines = text.split("\n")
        return [
            (each["level"], each["rule"], each["message"], lines[each["line"] - 1][each["column"] - 1 :])
            for each in json.loads(ran.out)["findings"]
        ]

    return run


def resources(*entries):
    return "ccm:\n  resources:\n" + "".join(f"    - {entry}\n" for entry in entries)


def content(expression):
    return resources(f'file: {{name: /a, ensure: present, content: "{{{{ {expression} }}}}", {OWNED}}}')


def test_the_work_for_many_expressions_in_one_text_grows_linearly(lint):
    def linted(count):
        many = "{{ 1 }}{{ 2 }}" * count
        text = resources(f"exec: {{name: ls, environment: ['A={many}{{{{ 1 + }}}}{{{{ 2 }}}}{{{{ 1 + }}}}']}}")
        findings = lint(text)
        assert [where for _level, _rule, _message, where in findings] == ["+ }}{{ 2 }}{{ 1 + }}']}", "+ }}']}"]

    assert_linear(lambda count: lambda: linted(count), 500)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("facts.typo", "facts.typo"),
        ("facts.hots.info.os", "facts.hots"),
        ("facts.host.inof", "facts.host.inof"),
        ("facts.host.info.platfromFamily", "facts.host.info.platfromFamily"),
        ("facts.host.info.OS", "facts.host.info.OS"),
        ("facts.memory.virtual.fre", "facts.memory.virtual.fre"),
        ("facts.network.interfaces.0.nmae", "facts.network.interfaces.0.nmae"),
    ],
)
def test_a_lookup_of_an_unknown_fact(lint, path, name):
    [found] = lint(content(f"lookup('{path}')"))
    assert found[:3] == ("warning", "fact", f"no machine has a fact {name}: only facts that are given could have it")
    assert found[3].startswith(f"'{path}'")


@pytest.mark.parametrize(
    "expression",
    [
        "lookup('facts.host.info.platformFamily')",
        "lookup('facts.network.default_ipv4')",
        "lookup('facts.network.interfaces.0.name')",
        "lookup('facts.partition.partitions.#.device')",
        "lookup('facts.role', 'none')",
        "lookup('facts.' + Data.x)",
        "lookup(Data.x)",
        "lookup('facts')",
    ],
)
def test_lookups_of_facts_that_can_exist(lint, expression):
    assert lint(content(expression)) == []


def test_a_default_does_not_help_a_name_that_never_exists(lint):
    [found] = lint(content("lookup('facts.host.info.platfrom', 'x')"))
    assert found[1] == "fact"


def test_given_facts_are_known(lint, tmp_path):
    text = content("lookup('facts.role') + lookup('facts.site.name')")
    assert len(lint(text)) == 2
    (tmp_path / "facts.yaml").write_text("site: {name: x}", encoding="utf-8")
    assert lint(text, "--fact", "role=web", "--facts", "facts.yaml") == []


@pytest.mark.parametrize(
    ("path", "advice"),
    [
        ("data.prot", "did you mean data.port?"),
        ("data.web.usr", "declare it in data, give lookup a default, or lint with the data of --hiera"),
        ("data.nothing", "declare it in data, give lookup a default, or lint with the data of --hiera"),
        ("data.port.x", "declare it in data, give lookup a default, or lint with the data of --hiera"),
    ],
)
def test_a_lookup_of_unknown_data(lint, ccm, path, advice):
    [found] = lint(DATA + content(f"lookup('{path}')"))
    assert found[:3] == ("warning", "data", f"lookup finds no {path}: neither data nor overrides have it")
    assert f"  {advice}\n" in ccm("lint", "m.yaml", "--no-portability").out


@pytest.mark.parametrize(
    "path", ["data.port", "data.web.user", "data.site", "data.given.x", "data.made.x", "data.list.3.b", "data.web.#"]
)
def test_lookups_of_data_that_can_exist(lint, path):
    assert lint(DATA + content(f"lookup('{path}')")) == []
    assert lint(content(f"lookup('{path}', 1)")) == []


OTHER = "declare it in data, give a default after ??, or lint with the data of --hiera"


@pytest.mark.parametrize(
    ("expression", "name", "advice"),
    [
        ("Data.prot", "Data.prot", "did you mean Data.port?"),
        ("1 + int(Data['prot'])", "Data.prot", "did you mean Data.port?"),
        ("Data.web.usr", "Data.web.usr", OTHER),
        ("Data.nothing[0].trim()", "Data.nothing", OTHER),
        ("Data.port ?? Data.nothing", "Data.nothing", OTHER),
        ("Data.nothing == 1", "Data.nothing", OTHER),
        ("let a = 1; a + Data.nothing", "Data.nothing", OTHER),
    ],
)
def test_unknown_data(lint, ccm, expression, name, advice):
    [found] = lint(DATA + content(expression))
    assert found[:3] == ("warning", "data", f"there is no {name}: neither data nor overrides have it")
    assert f"  {advice}\n" in ccm("lint", "m.yaml", "--no-portability").out


def test_unknown_data_in_control_and_in_a_late_property(lint):
    for given in ("{mode: '{{ Data.prot }}', control: {if: 'true'}}", "{control: {if: 'Data.prot == 1'}}"):
        [found] = lint(
            f"{DATA}ccm: {{resources: [{{file: [/x: {given}]}}]}}\n".replace("{mode", "{ensure: absent, mode")
        )
        assert found[:2] == ("warning", "data")


@pytest.mark.parametrize(
    "expression",
    [
        *(
            "Data.port",
            "Data.web.user",
            "Data.site",
            "Data.given.x",
            "Data.made.x",
            "Data.list[3].b",
            "Data.port.string()",
        ),
        *("Data.a ?? 'x'", "Data?.a", "Data.web?.a", "Data.a.b ?? 'x'", "Data[Environ.A]", "Environ.Data"),
        "Data.a == nil ? '' : Data.a.b",
        "nil != Data.a && Data.a",
        "'a' in Data && Data.a",
        "'a' in Data.web && Data.web.a",
        "let a = Data.a; a ?? 'x'",
    ],
)
def test_data_that_can_exist_or_may_be_missing(lint, expression):
    assert lint(DATA + content(expression)) == []


def test_all_data_from_elsewhere(lint, tmp_path):
    (tmp_path / "h.yaml").write_text("data: {a: 1}", encoding="utf-8")
    assert lint(content("Data.b")) == []
    assert [found[1] for found in lint(content("Data.b"), "--hiera", "h.yaml")] == ["data"]
    assert lint(DATA + content("Data.b"), "--hiera", "https://127.0.0.1:1/h.yaml") == []


def test_data_of_hiera_is_known(lint, tmp_path):
    (tmp_path / "h.yaml").write_text("data: {a: 1}\noverrides: {x: {b: 1}}", encoding="utf-8")
    text = content("lookup('data.a') + lookup('data.b') + lookup('data.c')")
    assert [found[2].split(":")[0] for found in lint(text, "--hiera", "h.yaml")] == ["lookup finds no data.c"]
    assert lint(text, "--hiera", "https://127.0.0.1:1/h.yaml") == []


@pytest.mark.parametrize(
    ("data", "count"), [("", 0), (", data: {other: 1}", 1), (", data: {port: 1}", 0), (", data: '{{ Data.port }}'", 1)]
)
def test_a_child_has_given_data_or_the_data_of_its_parent(lint, tmp_path, data, count):
    (tmp_path / "child.yaml").write_text(content("lookup('data.port')"), encoding="utf-8")
    found = lint(DATA + resources(f"apply: {{name: child.yaml{data}}}"))
    assert len(found) == count


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('data: {home: "{{ Environ.HOME }}"}\n', "Environ"),
        ("data: {home: \"{{ lookup('environ.HOME') }}\"}\n", "environ.HOME"),
        ("data: {home: \"{{ lookup('environ.HOME', 'x') }}\"}\n", "environ.HOME"),
        ('data: {}\noverrides: {a: {list: [{x: "a{{ Environ.HOME }}"}]}}\n', "Environ"),
        ('data: {}\nhierarchy: {order: ["stage:{{ Environ.STAGE }}"]}\noverrides: {}\n', "Environ"),
    ],
)
def test_environ_where_it_is_empty(lint, text, name):
    [found] = lint(text + resources("exec: {name: ls}"))
    assert found[:3] == ("warning", "environ", f"{name} is always empty in data, overrides and hierarchy")


def test_environ_where_it_is_not_empty(lint):
    assert lint(content("Environ.HOME + lookup('environ.HOME')")) == []


@pytest.mark.parametrize(
    ("command", "construct"),
    [
        ("ls /tmp | wc -l", "|"),
        ("ls|wc -l", "|"),
        ("ls /tmp|wc -l", "|"),
        ("echo hi > /tmp/x", ">"),
        ("echo hi >> /tmp/x", ">>"),
        ("make 2>/dev/null", "2>"),
        ("make 2>&1", "2>&1"),
        ("wc -l < /etc/passwd", "<"),
        ("test -f /x && touch /y", "&&"),
        ("test -f /x || touch /y", "||"),
        ("cd /tmp; ls", ";"),
        ("sleep 5 &", "&"),
        ("echo $(date)", "$(...)"),
        ('echo "at $(date)"', "$(...)"),
        ("echo `date`", "`...`"),
        ("rm /tmp/*.log", "*"),
        ("ls /dev/sd?", "?"),
        ("ls /dev/sd[ab]", "["),
        ("echo $HOME", "$HOME"),
        ('echo "$HOME"', "$HOME"),
        ("touch {{ Data.x }} && ls", "&&"),
        ("sh -c date > /tmp/x", ">"),
    ],
)
@pytest.mark.parametrize("property", ["command", "name", "onlyif", "unless"])
def test_syntax_that_needs_a_shell(lint, command, construct, property):
    quoted = json.dumps(command)
    entry = f"name: {quoted}" if property == "name" else f"name: x, {property}: {quoted}"
    found = lint(resources(f"exec: {{{entry}}}"))
    message = f"{property} has {construct} and provider is not shell: the program gets it as an argument"
    assert [each[:3] for each in found] == [("warning", "shell", message)]
    environment = ", environment: [HOME=/root]"
    assert lint(resources(f"exec: {{{entry}, provider: shell{environment}}}")) == []
    assert lint(resources(f"exec: {{{entry}, provider: '{{{{ Data.p }}}}'{environment}}}")) == []


@pytest.mark.parametrize(
    "command",
    [
        "grep 'a|b' /etc/hosts",
        'grep "a|b;c" /etc/hosts',
        "find /tmp -name *.log -exec rm {} ;",
        "find /tmp -exec rm {} \\\\;",
        "curl http://h/x?a=1&b=[2];c|d",
        "sh -c 'ls | wc -l > /tmp/x; echo *'",
        '/bin/bash -c "ls $(date) | wc"',
        "systemctl restart web-*",
        "tar --exclude=*.o -cf /tmp/x /src",
        "pip install a>=1.0",
        "test a = b",
        "[ -f /x ]",
        "echo '$HOME `x` *'",
        "echo \\\\$HOME",
        "awk '{print $1}' /etc/hosts",
        "echo {{ Data.a | upper() }}",
        "echo 100%",
    ],
)
def test_commands_that_need_no_shell(lint, command):
    assert lint(resources(f"exec: {{name: x, command: {json.dumps(command).replace(chr(92) * 4, chr(92) * 2)}}}")) == []


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("echo $HOME", "HOME"),
        ('echo "$HOME"', "HOME"),
        ("B=1; echo $B $USER", "USER"),
        ("echo '$A' $C", "C"),
    ],
)
def test_variables_that_commands_do_not_inherit(lint, command, name):
    [found] = lint(resources(f"exec: {{name: x, provider: shell, command: {json.dumps(command)}}}"))
    assert found[:3] == (
        "warning",
        "variable",
        f"command has ${name} without environment: commands inherit no variables",
    )
    inherited = f"exec: {{name: x, provider: shell, environment: [{name}=1], command: {json.dumps(command)}}}"
    assert lint(resources(inherited)) == []


def test_variables_in_a_script_of_a_shell(lint):
    [found] = lint(resources("exec: {name: \"sh -c 'echo $HOME'\"}"))
    assert found[1:3] == ("variable", "name has $HOME without environment: commands inherit no variables")


@pytest.mark.parametrize(
    "command",
    [
        "echo $PATH $LANG $PWD",
        "for f in a b; do echo $f; done",
        "x=1; echo $x",
        "read -r line; echo $line",
        ". /etc/os-release; echo $ID",
        "echo '$HOME' \\\\$HOME $1 $? $$",
    ],
)
def test_variables_that_are_set(lint, command):
    text = json.dumps(command).replace(chr(92) * 4, chr(92) * 2)
    assert lint(resources(f"exec: {{name: x, provider: shell, command: {text}}}")) == []


ARCHIVE = "name: /a.zip, ensure: present, url: 'http://h/a.zip', extract_parent: /opt"


@pytest.mark.parametrize(
    ("resource", "path", "sign"),
    [
        ("exec: {name: ls, creates: '/opt/app-*'}", "creates", "*"),
        ("exec: {name: ls, provider: shell, creates: '/opt/app-?'}", "creates", "?"),
        ("exec: {name: ls, creates: '/opt/app-[12]'}", "creates", "["),
        ("exec: {name: ls, creates: '~/app'}", "creates", "~"),
        ("exec: {name: ls, cwd: '~deploy'}", "cwd", "~"),
        (f"archive: {{{ARCHIVE}, creates: '/opt/app-*', {OWNED.partition(', mode')[0]}}}", "creates", "*"),
    ],
)
def test_paths_that_are_not_expanded(lint, resource, path, sign):
    [found] = lint(resources(resource))
    assert found[:3] == ("warning", "path", f"{path} has {sign}, which is not expanded: it is a character of the name")
    assert found[3].startswith("'")


@pytest.mark.parametrize("path", ["/opt/app~", "/opt/a[", "{{ lookup('facts.x') * 2 }}", "${ lookup('x', '}*') }/a"])
def test_paths_that_are_as_they_are_written(lint, path):
    found = lint(resources(f'exec: {{name: ls, creates: "{path}"}}'))
    assert [each for each in found if each[1] == "path"] == []


def test_a_pattern_beside_an_expression_is_found(lint):
    found = lint(resources("""exec: {name: ls, creates: "{{ lookup('facts.x') }}/*.d"}"""))
    assert [each[2].partition(",")[0] for each in found if each[1] == "path"] == ["creates has *"]


def test_a_resource_that_is_declared_twice(lint):
    file = f"file: {{name: /a, ensure: present, {OWNED}}}"
    [found] = lint(resources(file, "exec: {name: ls}", file))
    assert found[:3] == ("warning", "duplicate", "file#/a is declared twice, first in line 3: both run, in order")


def test_resources_that_are_not_duplicates(lint, tmp_path):
    chosen = [
        f"file: {{name: /a, ensure: present, {OWNED}, control: {{{word}: 'Facts.x == 1'}}}}"
        for word in ("if", "unless")
    ]
    assert lint(resources(*chosen)) == []
    assert lint(resources("exec: {name: apt}", "package: {name: apt, ensure: present}")) == []
    (tmp_path / "child.yaml").write_text(resources("exec: {name: ls}"), encoding="utf-8")
    assert lint(resources("apply: {name: child.yaml}", "apply: {name: child.yaml, data: {a: 1}}")) == []


@pytest.mark.parametrize(
    ("entry", "property", "scheme"),
    [
        ("archive: {name: /a.zip, ensure: present, url: 'ftp://h/a.zip', owner: a, group: a}", "url", "ftp"),
        ("archive: {name: /a.zip, ensure: present, url: 'ftp://{{ Data.h }}/a.zip', owner: a, group: a}", "url", "ftp"),
        (f"file: {{name: /a, ensure: present, source: 'https://h/a', {OWNED}}}", "source", "https"),
        (f"file: {{name: /a, ensure: present, source: 'file:///a', {OWNED}}}", "source", "file"),
        ("scaffold: {name: /a, ensure: present, engine: jet, source: 'ftp://h/a.tgz'}", "source", "ftp"),
    ],
)
def test_an_unsupported_url_scheme(lint, entry, property, scheme):
    [found] = lint(resources(entry))
    assert found[:3] == ("error", "url", f"{property} has the unsupported scheme {scheme}://")


def test_supported_url_schemes(lint):
    entry = "archive: {name: /a.zip, ensure: present, url: 'HTTPS://h/a.zip', owner: a, group: a}"
    assert lint(resources(entry)) == []
    assert lint(resources("scaffold: {name: /a, ensure: present, engine: jet, source: 'https://h/a.tgz'}")) == []
    assert lint(resources(f"file: {{name: /a, ensure: absent, source: 'https://h/a', {OWNED}}}")) == []
    assert lint(resources(f"file: {{name: /a, ensure: present, source: '{{{{ Data.x }}}}', {OWNED}}}")) == []


def test_registrations_are_not_published(lint):
    entry = "{cluster: c, service: web, protocol: tcp, address: 10.1.1.1, port: 80, priority: 1}"
    message = "register_when_stable is published by ccm apply and ccm watch with --register only"
    [found] = lint(resources(f"exec: {{name: ls, register_when_stable: [{entry}]}}"))
    assert found[:3] == ("warning", "registration", message)
    in_defaults = resources(f"exec: [{{defaults: {{register_when_stable: [{entry}]}}}}, {{ls: {{}}}}]")
    assert [each[2] for each in lint(in_defaults)] == [message]
    assert lint(resources("exec: {name: ls, register_when_stable: []}")) == []


@pytest.mark.parametrize("key", ["command", "onlyif", "unless"])
def test_a_quote_that_is_not_closed(lint, key):
    [found] = lint(resources(f"exec: {{name: /bin/x, {key}: 'echo \"x'}}"))
    assert found[:3] == ("error", "shell", f"{key} cannot be split into words: Unterminated double-quoted string")
    assert lint(resources(f"exec: {{name: /bin/x, provider: shell, {key}: 'echo \"x'}}")) == []


def rule(kind, name, attributes):
    checks = f"health_checks: [{{goss_rules: {{{kind}: {{'{name}': {attributes}}}}}}}]"
    return resources(f"file: {{name: /a, ensure: present, {OWNED}, {checks}}}")


@pytest.mark.parametrize(
    ("kind", "name", "attributes", "required"),
    [
        ("addr", "tcp://x:1", "{timeout: 1}", "reachable"),
        ("command", "x", "{timeout: 1}", "exit-status"),
        ("dns", "x", "{timeout: 1}", "resolvable"),
        ("file", "/x", "{mode: '0644'}", "exists"),
        ("group", "x", "{gid: 1}", "exists"),
        ("http", "http://x", "{timeout: 1}", "status"),
        ("interface", "x", "{mtu: 1}", "exists"),
        ("kernel-param", "x", "{}", "value"),
        ("matching", "x", "{content: a}", "matches"),
        ("mount", "/x", "{usage: 1}", "exists"),
        ("package", "x", "{versions: [1]}", "installed"),
        ("port", "tcp:1", "{ip: [x]}", "listening"),
        ("process", "x", "{}", "running"),
        ("user", "x", "{uid: 1}", "exists"),
    ],
)
def test_a_goss_rule_without_its_required_key(lint, kind, name, attributes, required):
    [found] = lint(rule(kind, name, attributes))
    assert found[:3] == ("error", "goss-rule", f"a rule for {kind} without {required} never holds")


@pytest.mark.parametrize(
    "attributes",
    ["{resolveable: true}", "{resolvable: true}", "{skip: true}", "{'{{ Facts.x }}': 1}"],
)
def test_a_complete_goss_rule(lint, attributes):
    assert lint(rule("dns", "x", attributes)) == []


def test_defaults_of_resources_that_are_all_null(lint):
    found = lint("ccm:\n  resources:\n    - file:\n        - defaults: {ensure: absent}\n        - /x:\n")
    assert not [each for each in found if "is never used" in each[2]]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("[web, db]", "the validation of key k is ignored: lists and mappings are not validated"),
        ("{a: 1}", "the validation of key k is ignored: lists and mappings are not validated"),
        ("null", ""),
        (
            "1",
            r'key "k" validation "\"web\" in value" failed: invalid operation: in (mismatched types string and string)',
        ),
    ],
)
def test_a_validation_is_compiled_for_values_that_a_run_validates(lint, value, found):
    text = f'data:\n  # @validate "web" in value\n  k: {value}\n' + resources("exec: {name: ls}")
    level = "warning" if "ignored" in found else "error"
    assert [(each[0], each[2]) for each in lint(text)] == ([(level, found)] if found else [])


def test_a_validation_holds_for_the_values_of_overrides(lint):
    text = "data:\n  # @validate value > 5\n  k: [1]\noverrides: {a: {k: 1}}\n" + resources("exec: {name: ls}")
    assert [each[0] for each in lint(text)] == ["error"]


@pytest.mark.parametrize(
    ("text", "unread", "at"),
    [
        ("{0}---\n{0}", "3 lines", "---"),
        ("%YAML 1.2\n---\n{0}...\n# a\n--- # b\nx: 1\n", "1 line", "..."),
        ("---\n{0}--- {{}}\n", "1 line", "--- {}"),
        ("# a\n---\n{0}---\n# b\n...\n", "", ""),
        ("{0}# ---\n", "", ""),
    ],
)
def test_what_follows_the_first_document_is_not_read(lint, text, unread, at):
    found = lint(text.format(resources("exec: {name: ls}")))
    message = f"a manifest is the first YAML document of its file: {unread} after it will not be read"
    assert [(each[:3], each[3]) for each in found] == ([(("warning", "yaml", message), at)] if unread else [])


def test_an_unknown_function_of_the_template_of_resources(lint, ccm, tmp_path):
    (tmp_path / "r.jet").write_text("- exec:\n    - [[ uper(data.a) ]]: {}\n", encoding="utf-8")
    (tmp_path / "m.yaml").write_text("data: {a: b}\nccm: {resources_jet_file: r.jet}\n", encoding="utf-8")
    wanted = 'r.jet:2:1: error: the template does not parse: function "uper" not defined, did you mean "upper"?'
    assert wanted in ccm("lint", "m.yaml").out


OWNERS = "owner: root, group: root, ensure: present"
SUM = "0123456789abcdef" * 4
SHOWN = "write the 64 hexadecimal digits that sha256sum shows"


@pytest.mark.parametrize(
    ("checksum", "kind", "advice"),
    [
        ("abc", "no", SHOWN),
        (SUM[:63] + "g", "no", SHOWN),
        (f"sha256:{SUM}", "no", "write the 64 hexadecimal digits alone, without sha256:"),
        (SUM[:32], "of the kind MD5, and no", SHOWN),
        (SUM[:40], "of the kind SHA-1, and no", SHOWN),
        (SUM + SUM, "of the kind SHA-512, and no", SHOWN),
    ],
)
def test_a_checksum_that_no_download_has(lint, ccm, checksum, kind, advice):
    text = resources(f"archive: {{name: /a.zip, url: 'http://h/a.zip', {OWNERS}, checksum: '{checksum}'}}")
    [found] = lint(text)
    assert found[:3] == ("warning", "value", f"no download has this checksum: it is {kind} SHA-256")
    assert found[3].startswith(f"'{checksum}'")
    assert f"  {advice}\n" in ccm("lint", "m.yaml", "--no-portability").out


@pytest.mark.parametrize("checksum", [SUM, SUM.upper(), "{{ Data.sum }}", ""])
def test_a_checksum_that_a_download_can_have(lint, checksum):
    given = f"url: 'http://h/a.zip', {OWNERS}"
    assert lint(resources(f"archive: {{name: /a.zip, {given}, checksum: '{checksum}'}}")) == []
    absent = given.replace("present", "absent")
    assert lint(resources(f"archive: {{name: /a.zip, {absent}, checksum: abc}}")) == []


def test_a_checksum_in_defaults_and_of_a_scaffold(lint):
    given = f"{{defaults: {{checksum: abc, {OWNERS}}}}}, {{/a.zip: {{url: 'http://h/a.zip'}}}}"
    [found] = lint(resources(f"archive: [{given}]"))
    assert found[1] == "value"
    [found] = lint(resources("scaffold: {name: /s, ensure: present, source: 'http://h/a.tgz', checksum: abc}"))
    assert found[1] == "value"

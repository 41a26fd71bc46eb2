# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Several mistakes of a manifest, and words of other tools (decisions.md Q115)."""

from __future__ import annotations

import json
import os
import threading

import pytest
from ccm.cli import mistakes


def manifest(*resources):
    return "ccm:\n  resources:\n" + "".join(f"    - {each}\n" for each in resources)


WRONG = [f"file: {{name: /f{at}, contnt: x, owner: root, group: root, mode: '0644'}}" for at in range(7)]


@pytest.mark.parametrize("words", [("apply",), ("apply", "--noop"), ("plan",), ("graph",), ("apply", "--render")])
def test_five_mistakes_are_shown_and_lint_is_named(ccm, tmp_path, words):
    (tmp_path / "m.yaml").write_text(manifest(*WRONG))
    ran = ccm(*words, "m.yaml")
    assert ran.status == 1
    lines = ran.err.splitlines()
    errors = [line for line in lines if line.startswith("ccm: error: ")]
    assert errors[0].endswith('invalid manifest resource 1: unknown property "contnt" in file, did you mean "content"?')
    assert errors[1:] == ['ccm: error: unknown property "contnt" in file, did you mean "content"?'] * 4
    places = [line.split()[1] for line in lines if line.startswith("  at ")]
    assert places == [f"m.yaml:{line}:25" for line in range(3, 8)]
    assert lines[-1] == "7 mistakes: ccm lint m.yaml shows them all"


def test_one_mistake_is_shown_alone(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(manifest(WRONG[0]))
    assert "mistakes" not in ccm("apply", "m.yaml").err
    assert ccm("apply", "m.yaml").err.count("error:") == 1


def test_a_mistake_that_only_this_machine_has_is_shown_with_the_others(ccm, tmp_path):
    text = manifest("file: {name: /f, ensure: '${ Facts.mine }', owner: a, group: a, mode: '0644'}", *WRONG)
    (tmp_path / "m.yaml").write_text(text)
    err = ccm("apply", "m.yaml", "--fact", "mine=odd").err
    assert 'must be one of "present"' in err.splitlines()[0]
    assert err.endswith("8 mistakes: ccm lint m.yaml shows them all\n")


def test_mistakes_in_a_log_of_json(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(manifest(*WRONG))
    lines = [json.loads(line) for line in ccm("apply", "--log-format", "json", "m.yaml").err.splitlines()]
    assert [line["level"] for line in lines] == ["ERROR"] * 5 + ["INFO"]
    assert [line["fields"].get("position") for line in lines[:5]] == [f"m.yaml:{line}:25" for line in range(3, 8)]
    assert lines[5]["msg"] == "7 mistakes: ccm lint m.yaml shows them all"


def test_other_mistakes_hide_secrets(ccm, tmp_path):
    wrong = "file: {name: '/x', contnt: 'password: canary', owner: root, group: root, mode: '0644'}"
    (tmp_path / "m.yaml").write_text(manifest(WRONG[0], wrong))
    ran = ccm("apply", "m.yaml")
    assert "2 mistakes: " in ran.err
    assert "canary" not in ran.err


def test_data_in_a_pipe_is_read_once(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(manifest(*WRONG))
    os.mkfifo(tmp_path / "data")
    writer = threading.Thread(target=(tmp_path / "data").write_text, args=("data: {a: 1}\n",))
    writer.start()
    assert "7 mistakes: " in ccm("apply", "--hiera", "data", "m.yaml").err
    writer.join()


def test_without_more_mistakes_the_first_is_shown(ccm, tmp_path, monkeypatch):
    def refuse(*_given, **_named):
        raise RecursionError

    monkeypatch.setattr(mistakes, "findings", refuse)
    (tmp_path / "m.yaml").write_text(manifest(*WRONG))
    err = ccm("apply", "m.yaml").err
    assert ("unknown property" in err, err.count("error:")) == (True, 1)


def test_without_the_schema_unknown_keys_are_no_mistakes(ccm, tmp_path, monkeypatch):
    (tmp_path / "m.yaml").write_text(manifest(*WRONG, "file: {name: relative}"))
    monkeypatch.setenv("NO_SCHEMA_VALIDATION", "1")
    assert "mistakes" not in ccm("apply", "m.yaml").err


@pytest.mark.parametrize(
    ("resource", "rule", "advice"),
    [
        ("package: {name: x, ensure: installed}", "word", "write ensure: present"),
        ("package: {name: x, ensure: latets}", "word", "write ensure: latest"),
        ("package: {name: x, ensure: held}", "word", "write mark: hold"),
        ("package: {name: x, ensure: uninstalled}", "word", "write ensure: absent"),
        ("package: {name: x, ensure: foo}", "word", "write a version, or one of present, absent, latest, purged"),
        ("file: {name: /x, ensure: file, owner: root, group: root, mode: '0644'}", "value", "write ensure: present"),
        ("package: [{defaults: {ensure: installed}}, {x: {}}]", "word", "write ensure: present"),
        ("package: {name: x, ensure: 1.2}", "", ""),
        ("package: {name: x, ensure: purged}", "", ""),
        ("package: {name: x, ensure: '${ Facts.x }'}", "", ""),
        ("service: {name: x, ensure: started}", "value", "write ensure: running"),
        ("service: {name: x, ensure: stoped}", "value", "write ensure: stopped"),
        ("service: {name: x, ensure: hold}", "value", '"unmanaged" leaves it as it is, and only enable is looked at'),
        (
            "file: {name: /x, ensure: held, owner: root, group: root, mode: '0644'}",
            "value",
            "or link, for a symbolic link",
        ),
    ],
)
def test_lint_finds_words_of_other_tools(ccm, tmp_path, resource, rule, advice):
    (tmp_path / "m.yaml").write_text(manifest(resource))
    found = json.loads(ccm("lint", "--json", "m.yaml").out)["findings"]
    assert [(each["rule"], each["advice"]) for each in found] == ([(rule, advice)] if rule else [])


def test_properties_of_other_tools(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(manifest("file: {name: /f, user: root, group: root, mode: '0644'}"))
    for words in (("lint", "m.yaml"), ("apply", "m.yaml")):
        ran = ccm(*words)
        assert 'unknown property "user" in file, did you mean "owner"?' in ran.out + ran.err
    (tmp_path / "m.yaml").write_text(manifest("exec: {name: ls, chdir: /}"))
    assert 'unknown property "chdir" in exec, did you mean "cwd"?' in ccm("apply", "m.yaml").err


def test_the_advice_of_the_first_error_is_of_the_table(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(manifest("service: {name: x, ensure: started}"))
    assert ccm("apply", "m.yaml").err.endswith("\n  write ensure: running\n")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("version",), 'expected command but got "version", did you mean "--version"?'),
        (("ensure", "archive", "/x.tgz", "--group", "root"), "unknown long flag '--group', write --owner USER:GROUP"),
        (("ensure", "file", "/x", "--user", "root"), "unknown long flag '--user', did you mean '--owner'?"),
    ],
)
def test_words_of_other_command_lines(ccm, words, text):
    ran = ccm(*words)
    assert ran.status == 1
    assert ran.err.startswith(f"error: {text}")


def test_differences_of_the_original_are_found_on_request(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(manifest("exec: {name: ls, meta: {retry: 1}}"))
    for words in ((), ("--no-portability",)):
        assert ccm("lint", "m.yaml", *words).out == "m.yaml: nothing found\n"
    assert "meta is an extension" in ccm("lint", "m.yaml", "--portability").out
    assert "meta is an extension" in ccm("lint", "m.yaml", "--upstream").out


@pytest.mark.parametrize(
    ("engine", "resources"),
    [
        ("graph", "[a: {require: [exec#b]}, b: {require: [exec#none]}]"),
        ("graph", "[a: {meta: {before: [exec#none]}}]"),
        ("graph", "[a: {command: \"echo {{ sent('exec#none').stdout }}\"}]"),
        ("serial", "[a: {command: \"echo {{ sent('exec#b').stdout }}\"}, b: {}]"),
        ("serial", "[a: {}, b: {meta: {notify: [exec#a, exec#a]}}]"),
    ],
)
def test_a_wrong_reference_is_one_mistake(ccm, tmp_path, engine, resources):
    (tmp_path / "m.yaml").write_text(f"ccm: {{engine: {{order: {engine}}}, resources: [{{exec: {resources}}}]}}\n")
    err = ccm("apply", "m.yaml").err
    assert (err.count("error: "), "mistakes" in err) == (1, False), err


def test_in_graph_order_no_reference_points_forward(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(manifest("exec: [a: {require: [exec#b]}, b: {require: [exec#none]}]", *WRONG[:2]))
    err = ccm("apply", "--parallel", "2", "m.yaml").err
    assert "3 mistakes: " in err
    assert "require points nowhere: no exec#none in this manifest" in err
    assert ("points forward" in err, "comes before" in err) == (False, False)


def test_faults_of_data_are_counted_as_lint_counts_them(ccm, tmp_path):
    data = "data:\n  # @validate value > 5\n  n: 7\n  # @validate value +\n  o: ''\n"
    (tmp_path / "m.yaml").write_text(data + manifest(WRONG[0]))
    err = ccm("apply", "m.yaml").err
    assert err.count("error: ") == 2, "the faults of the data together, then the property"
    assert "3 mistakes: " in err
    assert ccm("lint", "m.yaml", "--no-portability").out.endswith("3 errors, 0 warnings\n")


def test_properties_indented_like_their_name_have_advice(ccm, tmp_path):
    entries = "    - {0}:\n        - /{0}:\n          ensure: present\n          mode: '0644'\n"
    (tmp_path / "m.yaml").write_text("ccm:\n  resources:\n" + entries.format("file") + entries.format("service"))
    assert ccm("apply", "m.yaml").err.count("indent its properties below the name") == 2
    assert ccm("lint", "m.yaml").out.count("indent its properties below the name") == 2


@pytest.mark.parametrize(
    ("resource", "advice"),
    [
        ("exec: {name: ls, retries: 3}", "write meta: {retry: 3}"),
        ("exec: {name: ls, notify: [service#x]}", "write meta: {notify: [TYPE#NAME]}"),
        ("service: {name: x, refresh: true}", "or what changes has meta: {notify: [TYPE#NAME]}"),
        ("service: {name: x, enable: yes}", "write true, without quotes"),
        ("exec: {name: ls, logoutput: 'False'}", "write false, without quotes"),
        ("service: {name: x, ensure: true}", "write ensure: running"),
        ("service: {name: x, ensure: no}", "write ensure: stopped"),
        ("scaffold: {name: /x, source: /s, engine: jinja3}", "write jinja2"),
        ("scaffold: {name: /x, source: /s, post: {'*.sh': chmod 755}}", "write a list, each entry after -"),
        ("exec: {name: '{{ Environ.HOME matches \"\\d\" }}'}", r"like \\d, or put the text in backquotes: `\d`"),
        ("scaffold: {name: /x, source: /s, engine: erb}", "write go or jet or jinja2"),
        ("file: {name: /x, content: x, validate: visudo -cf %s}", "write meta: {validate: COMMAND %s}"),
        ("file: {name: /x, content: x, validate_cmd: visudo -cf %}", "write meta: {validate: COMMAND %s}"),
        ("package: {name: x, reverse: true}", "write meta: {reverse: true}"),
        ("exec: {name: ls, undo: rm x}", "write meta: {undo: COMMAND}"),
        ("user: {name: x, uid: '{{ Data.uid }}'}", "write the number itself: it takes no expression"),
        ("user: {name: x, groups: adm}", "write a list, also of one entry: [...]"),
        ("exec: {name: ls, returns: 0}", "write a list, also of one entry: [0]"),
        ("exec: {name: ls, environment: {A: b}}", "write a list: [A=…]"),
    ],
)
def test_advice_for_words_of_other_tools(ccm, tmp_path, resource, advice):
    (tmp_path / "m.yaml").write_text(manifest(resource))
    for words in (("lint", "m.yaml"), ("apply", "m.yaml")):
        ran = ccm(*words)
        assert (advice in ran.out + ran.err, "did you mean" in ran.out + ran.err) == (True, False)


def test_retries_in_meta(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(manifest("exec: {name: ls, meta: {retries: 3}}"))
    assert 'unknown property "retries" in meta, did you mean "retry"?' in ccm("apply", "m.yaml").err


@pytest.mark.parametrize(
    ("resource", "advice"),
    [
        ("{if: \"{{ Facts.x == 'linux' }}\"}", "write the expression alone, without {{ }} or ${ } around it"),
        ("{unless: ' ${ Facts.x }'}", "write the expression alone, without {{ }} or ${ } around it"),
    ],
)
def test_advice_for_expressions_in_control(ccm, tmp_path, resource, advice):
    (tmp_path / "m.yaml").write_text(manifest(f"exec: {{name: ls, control: {resource}}}"))
    for words in (("lint", "m.yaml"), ("apply", "--log-format", "json", "--noop", "m.yaml")):
        ran = ccm(*words)
        assert advice in ran.out + ran.err


@pytest.mark.parametrize(
    ("expression", "advice"),
    [
        ("Fact.x", "did you mean Facts?"),
        ("data.x", "did you mean Data?"),
        ("uppercase('x')", "did you mean upper?"),
        ("toUpper('x')", "did you mean upper?"),
        ("tojson(1)", "did you mean toJSON?"),
        ("lokup('x')", "did you mean lookup?"),
        ("xyzzy", ""),
        ("template('{{ Fact.x }}')", "did you mean Facts?"),
    ],
)
def test_the_nearest_name_of_an_expression(ccm, tmp_path, expression, advice):
    (tmp_path / "m.yaml").write_text(manifest(f'exec: {{name: "ls {{{{ {expression} }}}}"}}'))
    [found] = json.loads(ccm("lint", "--json", "m.yaml").out)["findings"]
    assert (found["rule"], found["advice"]) == ("expression", advice)
    if "template" not in expression:
        assert ccm("apply", "m.yaml").err.endswith(f"\n  {advice}\n") is bool(advice)


def test_the_nearest_name_in_data(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(
        "data: {a: \"{{ lokup('x') }}\", b: \"{{ readFil('x') }}\"}\n" + manifest("exec: [ls: {}]")
    )
    found = json.loads(ccm("lint", "--json", "m.yaml").out)["findings"]
    assert [each["advice"] for each in found] == ["did you mean lookup?", ""]
    assert "\n  did you mean lookup?\n" in ccm("apply", "m.yaml").err


@pytest.mark.parametrize(
    ("entry", "advice"),
    [
        ("package: [zsh]", "write - zsh: {}"),
        ("package: zsh", "write - zsh: {}"),
        ("package: [{name: zsh}]", "without the word name: - zsh: {}"),
        ("package: [{name: zsh, ensure: absent}]", "without the word name: - zsh: {…}"),
        ("file: {/tmp/a: {ensure: absent}}", "begin each entry of a list with -, like - /tmp/a:"),
    ],
)
def test_advice_for_lists_of_another_form(ccm, tmp_path, entry, advice):
    (tmp_path / "m.yaml").write_text(manifest(entry))
    found = json.loads(ccm("lint", "--json", "m.yaml").out)["findings"]
    assert found
    assert all(each["advice"].endswith(advice) for each in found), found
    assert f"{advice}\n" in ccm("apply", "m.yaml").err


@pytest.mark.parametrize(
    "resource", ["exec: {name: ls, require", "exec: {name: ls, subscribe", "service: {name: x, subscribe"]
)
def test_a_wrong_reference_has_its_place_and_is_named(ccm, tmp_path, resource):
    text = manifest(f"{resource}: [exec#a, 'file:/tmp/a', nothing]}}")
    (tmp_path / "m.yaml").write_text(text)
    place = f"m.yaml:3:{text.splitlines()[2].index('file:/tmp/a')}"
    for words in (("lint", "m.yaml"), ("apply", "m.yaml")):
        ran = ccm(*words)
        assert place in ran.out + ran.err
        assert "\n  write TYPE#NAME in place of file:/tmp/a\n" in ran.out + ran.err


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        (
            "hierarchy: {order: [a]}\ndata: {x: 1}\n",
            "this is data for --hiera, no manifest: ccm hiera parse m.yaml reads it",
        ),
        ("resources: [{exec: [{ls: {}}]}]\n", "put resources below ccm:"),
        ("data: {x: 1}\nresources: [{exec: [{ls: {}}]}]\n", "put resources below ccm:"),
        ("ccm: {resources: [{exec: [{ls: {}}]}]}\nfail_on_error: true\n", "put fail_on_error below ccm:"),
        ("- exec: [{ls: {}}]\n", "put the list below ccm: and resources:"),
        ("data: {x: 1}\nccm: {}\n", "give ccm.resources a list, each entry starting with -"),
    ],
)
def test_advice_for_a_manifest_of_another_form(ccm, tmp_path, text, advice):
    (tmp_path / "m.yaml").write_text(text)
    found = json.loads(ccm("lint", "--json", "m.yaml").out)["findings"]
    assert {each["advice"] for each in found} == {advice}
    assert f"\n  {advice}\n" in ccm("apply", "m.yaml").err


def test_an_open_statement_of_jet_is_named(ccm, tmp_path):
    (tmp_path / "r.jet").write_text("- exec:\n[[ range data.x ]]\n    - a: {}\n")
    (tmp_path / "m.yaml").write_text("data: {x: []}\nccm: {resources_jet_file: r.jet}\n")
    lines = ccm("lint", "m.yaml").out.splitlines()
    assert lines[0].startswith(
        "r.jet:2:1: error: the template does not parse: unexpected EOF: write [[ end ]] for the range"
    )
    assert lines[1].endswith("[[ range data.x ]]")
    assert "\n  write [[ end ]] for the range in line 2\n" in ccm("apply", "m.yaml").err


def test_an_open_statement_of_a_scaffold_is_named(ccm, tmp_path):
    (tmp_path / "s").mkdir()
    (tmp_path / "s/a").write_text("\n[[ if data.x ]]\n")
    (tmp_path / "m.yaml").write_text(manifest("scaffold: {name: /x, ensure: present, source: s, engine: jet}"))
    ran = ccm("apply", "--noop", "--log-format", "json", "m.yaml")
    assert '"error_advice":"write [[ end ]] for the if in line 2"' in ran.out + ran.err

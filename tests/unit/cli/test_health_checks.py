# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Health checks with rules of goss, in manifests and requests: tries, expressions, errors, counts."""

from __future__ import annotations

import json
import pathlib

import pytest


def manifest(rules, **check):
    """A manifest with one converged resource that has a check with rules; as YAML, which includes JSON."""
    checks = [{"goss_rules": rules, **check}]
    return json.dumps({"ccm": {"resources": [{"exec": [{"/bin/true": {"creates": "/", "health_checks": checks}}]}]}})


@pytest.fixture
def checked(ccm):
    """Return the response to a request with a check with rules: the result of the check, the errors, the log."""

    def run(rules, *words, **check):
        properties = {"name": "/bin/true", "health_checks": [{"goss_rules": rules, **check}]}
        protocol = "io.choria.ccm.v1.resource.ensure.request"
        request = json.dumps({"protocol": protocol, "type": "exec", "properties": properties})
        ran = ccm(*words, "ensure", "api", "pipe", stdin=request)
        event = json.loads(ran.out)["state"]
        return event["health_check"][0], event["error"], ran.err

    return run


COUNTING = "echo x >> tries; test $(wc -l < tries) -ge {}"


@pytest.mark.starts_processes
def test_rules_are_tried_until_they_pass(checked):
    rules = {"command": {COUNTING.format(3): {"exit-status": 0}}}
    result, errors, log = checked(rules, tries=5, try_sleep="1ms")
    assert (result["status"], result["tries"], errors) == (0, 3, [])
    assert log.count("ERROR Health check failed") == 2


@pytest.mark.starts_processes
def test_rules_are_tried_once_by_default(checked):
    result, errors, _log = checked({"command": {COUNTING.format(2): {"exit-status": 0}}})
    assert (result["status"], result["tries"]) == (2, 1)
    assert errors == ['health check status "CRITICAL"']


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("echo two words; echo more", " output=two words\n"),
        ("echo said >&2", " output=said\n"),
        ("printf '\\n\\033[31mred\\r\\n'", " output=\\x1b[31mred\n"),
        ("echo curl -u me:canary http://me:canary@h", " output=curl -u me:REDACTED http://REDACTED@h\n"),
        ("printf %0300d 0", f" output={'0' * 200}\n"),
        ("printf '%0199d\\033' 0", f" output={'0' * 199}\n"),
        ("true", " status=CRITICAL\n"),
        ("echo password: canaryA1", " output=password: REDACTED\n"),
        ("echo Authorization: Bearer canary", " output=Authorization: REDACTED\n"),
        ("echo Set-Cookie: sid=canary", " output=Set-Cookie: REDACTED\n"),
        ("echo x-api-key: canary", " output=x-api-key: REDACTED\n"),
        ("echo '<password>canary</password>'", " output=<password>REDACTED</password>\n"),
        ("echo login u password canary", " output=login u password REDACTED\n"),
        ("echo pass=canary", " output=pass=REDACTED\n"),
        ("echo secret canary", " output=secret REDACTED\n"),
        (
            "echo -----BEGIN PRIVATE KEY-----canary",
            " output=-----BEGIN PRIVATE KEY-----REDACTED\n",
        ),
    ],
)
def test_the_last_try_of_a_command_shows_what_it_printed(ccm, tmp_path, command, shown):
    (tmp_path / "check").write_text(f"{command}\nexit 2\n")
    checks = [{"command": f"sh {tmp_path}/check", "tries": 2, "try_sleep": "1ms"}]
    resource = {"/bin/true": {"creates": "/", "health_checks": checks}}
    (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": [{"exec": [resource]}]}}))
    out = ccm("apply", "m.yaml").out
    first, last = [f"{line}\n" for line in out.split("\n") if "Health check failed" in line]
    assert first.endswith(" try=1 sleep=1ms status=CRITICAL\n")
    assert last.endswith(shown)
    assert "canary" not in out


@pytest.mark.starts_processes
def test_a_failed_rule_about_content_shows_what_was_found(checked, tmp_path):
    (tmp_path / "f").write_text("port 80\npassword: canary\n" + "x\n" * 1_000_000)
    (tmp_path / "page").write_text("Set-Cookie: canary\n")
    rules = {"exists": True, "contents": ["port 81"]}
    _result, _errors, log = checked({"file": {"f": rules, "page": {**rules, "contents": {"have-prefix": "x"}}}})
    assert ' ERROR File: f: contents: Expected "port 80\\npassword: REDACTED\\nx\\nx' in log
    assert '..." to have patterns ["port 81"] the missing elements were ["port 81"]' in log
    assert ' ERROR File: page: contents: Expected "Set-Cookie: REDACTED\\n" to have prefix "x"' in log
    assert "canary" not in log
    assert max(map(len, log.splitlines())) < 500


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    "contents",
    [
        {"consist-of": ["a"]},
        {"have-key": "a"},
        {"not": ["a"]},
        {"and": [{"have-key": "a"}]},
        {"gt": 1},
        {"not": {"gt": 1}},
        {"contain-element": {"gt": 1}},
        {"semver-constraint": ">=1.0.0"},
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "password: canary\n",
        "x\n-----BEGIN PRIVATE KEY-----\n" + "canary\n" * 3000 + "-----END PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY-----\n" + "canary\n" * 3000,
    ],
)
def test_a_rule_that_refuses_content_shows_its_beginning(checked, tmp_path, contents, text):
    (tmp_path / "f").write_text(text)
    _result, _errors, log = checked({"file": {"f": {"exists": True, "contents": contents}}})
    [line] = [line for line in log.splitlines() if line.startswith(" ERROR File: f: contents: Error ")]
    assert "canary" not in log
    assert "REDACTED" in line or contents == {"contain-element": {"gt": 1}}
    assert len(line) < 700


@pytest.mark.starts_processes
@pytest.mark.parametrize(("text", "shown"), [("\033" * 500, "\\u001b" * 32 + "..."), ("a" * 300, "a" * 197 + "...")])
def test_what_is_shown_of_content_has_at_most_200_characters(checked, tmp_path, text, shown):
    (tmp_path / "f").write_text(text)
    _result, _errors, log = checked({"file": {"f": {"exists": True, "contents": ["x"]}}})
    assert f' ERROR File: f: contents: Expected "{shown}" to have patterns ["x"]' in log


@pytest.mark.starts_processes
def test_a_skipped_rule_is_no_error(checked):
    rules = {"file": {"missing": {"exists": True, "mode": "0644"}, "other": {"exists": True, "skip": True}}}
    result, _errors, log = checked(rules)
    assert result["Output"].startswith("Count: 3, Failed: 1, ")
    assert ": skipped" not in log
    assert [line for line in checked(rules, "--debug")[2].splitlines() if line.startswith(" ERROR")] != []
    assert " DEBUG File: missing: mode: skipped" in checked(rules, "--debug")[2]


@pytest.mark.starts_processes
def test_a_failed_rule_is_shown_and_a_passed_rule_on_request(checked):
    rules = {"matching": {"a": {"content": "7", "matches": {"gt": 8}}, "b": {"content": 1, "matches": 1}}}
    result, _errors, log = checked(rules)
    assert result["Output"].startswith("Count: 2, Failed: 1, Duration: ")
    failed = (
        " ERROR Matching: a: matches: Expected 7 to be numerically gt 8 the transform chain was"
        ' [{"to-numeric":{}}] the raw value was "7" type=exec name=/bin/true format=goss\n'
    )
    assert failed in log
    assert "Matching: b" not in log
    _result, _errors, log = checked(rules, "--debug")
    assert " DEBUG Matching: b: matches: matches expectation: 1 type=exec" in log


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"file": {"/x": {"exits": True}}}, "invalid Attribute for File:/x: exits"),
        ({"file": {"/x": None}}, "Could not parse resource File:/x"),
        ({"file": ["/x"]}, "rules of file must be a mapping, not a list"),
        ({"command": {"true": {"exit-status": 0, "timeout": "1s"}}}, "timeout of Command:true must be an integer"),
        ({"process": {"x": {"running": True, "skip": "perhaps"}}}, "skip of Process:x must be true or false"),
        (
            {"http": {"http://x/": {"status": 200, "request-headers": ["none"]}}},
            "entry 1 of request-headers is not",
        ),
        ({"gossfile": {"none.yaml": {}}}, "no matched files were found"),
        ({"fil": {"/x": {}}}, "found 0 tests"),
        ({"matching": {"a": {"content": "{{ nothing() }}", "matches": 1}}}, "unknown name nothing"),
    ],
)
def test_rules_that_cannot_run_are_unknown_with_a_reason(checked, rules, words):
    result, errors, _log = checked(rules)
    assert (result["status"], result["tries"]) == (3, 1)
    assert words in result["Output"]
    assert errors == [result["Output"], 'health check status "UNKNOWN"']


@pytest.mark.starts_processes
def test_rules_of_an_unknown_kind_are_ignored_with_a_warning(checked):
    result, _errors, log = checked({"matching": {"a": {"content": 1, "matches": 1}}, "fille": {"/x": {}}})
    assert result["status"] == 0
    assert "WARN  Rules of an unknown kind are ignored type=exec name=/bin/true format=goss kind=fille" in log


MANIFEST = """
data: {n: 6, flag: true, mode: "0600", names: [a, b]}
ccm:
  resources:
    - exec:
        - /bin/true:
            health_checks:
              - goss_rules:
                  matching:
                    quoted is text:
                      content: "${ Data.n }"
                      matches: {equal: "6"}
                    plain is what it says:
                      content: ${ Data.n }
                      matches:
                        equal: 6
                    "key ${ Data.n }":
                      content: 7
                      matches:
                        gt: ${ Data.n }
                    octal:
                      content: ${ Data.mode }
                      matches: 384
                    power:
                      content: 1e3
                      matches: {equal: 1000.0}
                    list as Go prints it:
                      content: ${ Data.names }
                      matches: "[a b]"
"""


@pytest.mark.starts_processes
def test_expressions_in_rules_have_the_type_of_their_yaml(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(MANIFEST)
    ran = ccm("--debug", "apply", "m.yaml")
    assert 'Matching: key 6: matches: matches expectation: {"gt":6}' in ran.out
    assert "Checked Resources: 1 (ok: 1, critical: 0, warning: 0 unknown: 0)" in ran.out
    assert "ERROR" not in ran.out


def test_checks_are_counted_and_a_failed_one_fails_its_resource(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(manifest({"file": {"/nowhere": {"exists": True}}}))
    ran = ccm("apply", "m.yaml")
    assert ran.status == 0
    assert "Checked Resources: 1 (ok: 0, critical: 1, warning: 0 unknown: 0)" in ran.out
    assert "Failed Resources: 1" in ran.out


@pytest.mark.parametrize("mode", ["--noop", "--monitor-only"])
def test_rules_run_in_every_mode(ccm, tmp_path, mode):
    (tmp_path / "m.yaml").write_text(manifest({"file": {"/": {"exists": True, "filetype": "directory"}}}))
    assert "Checked Resources: 1 (ok: 1," in ccm("apply", mode, "m.yaml").out


def test_files_of_rules_are_relative_to_the_manifest(ccm, tmp_path):
    below = tmp_path / "below"
    below.mkdir()
    (below / "m.yaml").write_text(manifest({"gossfile": {"rules/*.yaml": {}}}))
    (below / "rules").mkdir()
    (below / "rules" / "a.yaml").write_text("gossfile: {../b.json: {}}\nfile: {/: {exists: true}}\n")
    (below / "b.json").write_text('{"file": {"/tmp": {"exists": true}}}')
    ran = ccm("--debug", "apply", pathlib.Path("below", "m.yaml"))
    assert "File: /: exists: matches" in ran.out
    assert "File: /tmp: exists: matches" in ran.out


def test_a_missing_variable_in_a_template_of_rules_is_an_error(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(manifest({"gossfile": {"r.yaml": {}}}))
    (tmp_path / "r.yaml").write_text('file: {"{{ .Env.NO_SUCH_VARIABLE }}": {exists: true}}\n')
    ran = ccm("apply", "m.yaml")
    assert 'map has no entry for key "NO_SUCH_VARIABLE"' in ran.out
    assert "unknown: 1)" in ran.out

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm docs`: what it prints of names, and what it says of unknown ones."""

from __future__ import annotations

import json

import pytest
from ccm.cli.reference import entries


@pytest.fixture
def docs(ccm):
    """Return the lines that `ccm docs` prints of a name."""

    def run(*words):
        ran = ccm("docs", *words)
        assert (ran.status, ran.err) == (0, "")
        assert max(map(len, ran.out.splitlines())) <= 80
        return ran.out.splitlines()

    return run


def heads(lines):
    """Return the lines that begin an entry."""
    return [line for line in lines if line.endswith(("(type)", "(property)", "(meta key)", "(flag)", "(function)"))]


def test_without_a_name_all_names_are_listed_by_kind(docs):
    lines = docs()
    titles = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles[1:] == [
        "Types:",
        "Properties:",
        "Keys of meta:",
        "Keys of a manifest:",
        "Flags:",
        "Findings of ccm lint:",
        "Functions of expressions and templates:",
    ]
    words = set(" ".join(lines).split())
    assert {"file", "meta.noop", "--parallel", "plain-secret", "kvGet", "health_checks."} <= words
    assert any(line.split()[:3] == ["file.", "ensure", "provider"] for line in lines)


def test_a_property_with_its_details(docs):
    lines = docs("service.enable")
    assert lines[:3] == ["service.enable (property)", "", lines[2]]
    assert "  value  true, false or mask" in lines
    assert docs("exec.umask")[-1].startswith("  original ")


def test_a_type_has_its_properties_and_names_the_common_ones(docs):
    lines = docs("service")
    assert lines[0] == "service (type)"
    assert "Properties:" in lines
    assert any(line.startswith("  enable ") for line in lines)
    assert any(line.startswith("Properties of every type: name, alias, ensure") for line in lines)
    assert "  other names           svc" in lines
    assert docs("svc") == lines[: len(docs("svc"))]


def test_the_keys_of_meta_and_of_structures(docs):
    assert any(line.startswith("  retry_reset ") for line in docs("meta"))
    assert any(line.startswith("  sensitive ") for line in docs("meta.send"))
    assert any(line.startswith("  try_sleep ") for line in docs("health_checks"))
    assert any(line.startswith("  download_tries ") for line in docs("ccm.engine"))


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("file.mode", ["file.mode (property)"]),
        ("file.require", ["require (property)"]),
        ("service.meta.refresh", ["meta.refresh (meta key)"]),
        ("retry", ["meta.retry (meta key)"]),
        ("meta.retry", ["meta.retry (meta key)"]),
        ("--parallel", ["--parallel (flag)"]),
        ("-S", ["--subscribe (flag)"]),
        ("kvGet()", ["kvGet (function)"]),
        ("control.if", ["control.if (property)"]),
        ("json", ["--json (flag)"]),
        ("order", ["ccm.engine.order (property)"]),
    ],
)
def test_names_in_short(docs, word, found):
    short = [line for line in heads(docs(word)) if not line.startswith("--subscribe") or word == "-S"]
    assert short[: len(found)] == found


def test_a_name_that_means_several_things_gets_all_of_them(docs):
    assert heads(docs("mode")) == ["file.mode (property)", "--mode (flag)"]
    lines = docs("file")
    assert heads(lines) == ["file (type)", "file (function)"]
    assert "file (finding)" in lines
    assert docs("[file]")[0] == "file (type)"


def test_what_commands_say_differently_is_not_repeated(docs):
    lines = docs("json")
    assert "ccm drift, ccm orphans: Output the resources in JSON format." in lines
    assert lines.count("ccm lint: Output findings in JSON format.") == 1
    assert [line.partition(":")[0] for line in docs("meta.validate") if ": A command" in line] == ["file", "scaffold"]


def test_a_name_that_is_a_command_too(docs):
    assert docs("apply")[-1] == "ccm apply is a command, too: see ccm apply --help"


def test_keys_of_a_manifest(docs):
    assert docs("fail_on_error")[:3] == ["ccm.fail_on_error (key)", "", "Ends the run at the first failure."]
    order = docs("hierarchy.order")
    assert "expressions over Facts." in order[2] and order[-1] == "  value  list"
    shown = docs("hierarchy")
    assert [line.split()[0] for line in shown[shown.index("Keys:") + 1 :]][:2] == ["order", "merge"]
    shown = [line.split()[0] for line in docs("ccm") if line.startswith("  ")]
    assert {"engine", "fail_on_error", "resources"} <= set(shown)


def test_a_variable_of_the_environment_is_its_flag(docs):
    assert docs("CCM_STATE")[0] == "--state (flag)"


def test_a_function_of_sprig(docs):
    assert docs("trimAll") == [
        "trimAll (function)",
        "",
        "Return a text without any of these characters at its begin and its end.",
        "",
        "  call  trimAll characters text",
        "  in    Go templates (Sprig)",
    ]


def test_json(ccm):
    everything = json.loads(ccm("docs", "--json").out)["entries"]
    assert everything == [entry.as_dict() for entry in entries()]
    (mode, flag) = json.loads(ccm("docs", "mode", "--json").out)["entries"]
    assert (mode["anchor"], flag["anchor"]) == ("property-file-mode", "flag-mode")


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("file.moed", 'did you mean "file.mode"?'),
        ("--paralel", 'did you mean "parallel"?'),
        ("kvget", 'did you mean "kvGet"?'),
        ("retryy", 'did you mean "retry"?'),
        ("lint", "it is a command: see ccm lint --help"),
        ("trimAl", 'did you mean "trimAll"?'),
        ("agent", "ccm docs lists all names"),
        ("fail_on_eror", 'did you mean "fail_on_error"?'),
        ("xyzzy", "ccm docs lists all names"),
    ],
)
def test_an_unknown_name(ccm, word, advice):
    ran = ccm("docs", word)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == f'ccm: error: the reference has no "{word}"\n  {advice}\n'


def test_completion_proposes_names(ccm):
    assert "file.mode\n" in ccm("--completion-bash", "docs", "file.mo").out
    assert ccm("--completion-bash", "docs", "plain-s").out == "plain-secret\n"


def test_flags_of_other_commands_stay_wrong_elsewhere(ccm):
    assert "unknown long flag '--parallel'" in ccm("facts", "--parallel").err

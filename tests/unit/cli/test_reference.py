# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference has an entry for each declaration, and the guides say the same of rules and functions."""

from __future__ import annotations

import ast
import collections
import importlib
import re

import pytest
from ccm.cli.reference import FINDING, FLAG, FUNCTION, KEY, KINDS, META_KEY, PROPERTY, TYPE, Entry, commands, entries
from ccm.data.environment import Environment
from ccm.data.function_texts import GO, JET, OWN_FUNCTIONS, SPRIG
from ccm.data.functions import FUNCTIONS, Functions
from ccm.data.gotemplates import GoTemplates
from ccm.data.jet import jet_functions
from ccm.lang.expr.catalogue import BUILTINS
from ccm.lang.expr.texts import TEXTS
from ccm.lang.gotemplate.builtins import BUILTINS as GO_BUILTINS
from ccm.lang.gotemplate.sprig.catalogue import NAMES, function
from ccm.lang.gotemplate.sprig.function_texts import TEXTS as SPRIG_TEXTS
from ccm.lang.gotemplate.texts import TEXTS as GO_TEXTS
from ccm.lang.jet.functions import DEFAULTS as JET_BUILTINS
from ccm.lang.jet.texts import TEXTS as JET_TEXTS
from ccm.lint.rules import RULES
from ccm.manifest.declarations import DEFAULTS
from ccm.manifest.document import CCM_KEYS, TOP_KEYS
from ccm.manifest.engine_settings import ENGINE
from ccm.model.errors import CCMError
from ccm.resources.types import TYPE_NAMES, resource_type

from tests.unit.layout import PACKAGE, ROOT

ENTRIES = list(entries())
# The place of the rule among the arguments of a call that notes a finding.
NOTING = {"warn": 0, "error": 0, "refuse": 0, "note": 0, "Finding": 1}


def named(kind):
    return {entry.name: entry for entry in ENTRIES if entry.kind == kind}


def test_kinds_follow_each_other_and_anchors_are_unique():
    assert list(dict.fromkeys(entry.kind for entry in ENTRIES)) == list(KINDS)
    anchors = collections.Counter(entry.anchor for entry in ENTRIES)
    assert [anchor for anchor, count in anchors.items() if count > 1] == []
    assert all(re.fullmatch(r"[A-Za-z][\w-]*", anchor) for anchor in anchors)


def test_anchors_are_made_of_kind_and_name():
    wanted = {
        (TYPE, "file"): "type-file",
        (PROPERTY, "file.mode"): "property-file-mode",
        (PROPERTY, "require"): "property-require",
        (META_KEY, "meta.send.sensitive"): "meta-send-sensitive",
        (FLAG, "--parallel"): "flag-parallel",
        (FINDING, "plain-secret"): "finding-plain-secret",
        (FUNCTION, "kvGet"): "function-kvGet",
    }
    assert {key: named(key[0])[key[1]].anchor for key in wanted} == wanted


def test_summaries_are_one_sentence_and_texts_go_on():
    for entry in ENTRIES:
        assert entry.summary and "\n" not in entry.summary and entry.summary.endswith((".", ")")), entry.name
        assert all(text and entry.summary != text for text in entry.text), entry.name
        assert all(label and value for label, value in entry.details), entry.name


def below(properties, above=""):
    for prop in properties:
        yield above + prop.name
        if above + prop.name != "meta":
            yield from below(prop.fields, f"{above}{prop.name}.")


def test_each_declared_property_flag_and_key_has_an_entry():
    properties = set(below((ENGINE,), "ccm."))
    keys = set()
    for type in map(resource_type, TYPE_NAMES):
        common = set(below(type.properties)) - set(below(type.own_properties))
        properties |= common | {f"{type.name}.{name}" for name in below(type.own_properties)} | {f"{type.name}.ensure"}
        properties |= {f"{type.name}.provider"} if type.provider_names else set()
        (meta,) = (prop for prop in type.properties if prop.name == "meta")
        keys |= {f"meta.{name}" for name in below(meta.fields)}
    assert set(named(TYPE)) == set(TYPE_NAMES)
    assert set(named(PROPERTY)) == properties
    assert set(named(META_KEY)) == keys
    of_run = {f"ccm.{key}" for key in CCM_KEYS if key != "engine"}
    assert set(named(KEY)) == {*TOP_KEYS, *of_run, "hierarchy.order", "hierarchy.merge", DEFAULTS}
    assert set(named(FLAG)) == {f"--{flag.name}" for command in commands() for flag in command.flags}


def test_texts_come_from_the_declarations():
    mode = named(PROPERTY)["file.mode"]
    (declared,) = (prop for prop in resource_type("file").own_properties if prop.name == "mode")
    assert " ".join((mode.summary, *mode.text)) == declared.help
    assert dict(named(PROPERTY)["file.ensure"].details)["one of"] == "present, absent, directory, link"
    assert dict(named(PROPERTY)["service.enable"].details)["value"] == "true, false or mask"
    assert dict(named(PROPERTY)["exec.umask"].details)["original"].startswith("the original ignores umask")


def test_what_commands_and_types_say_differently_is_said_of_each():
    json, validate = named(FLAG)["--json"], named(META_KEY)["meta.validate"]
    assert "ccm lint: Output findings in JSON format." in json.text
    assert "ccm lint" in dict(json.details)["commands"].split(", ")
    assert [text.partition(":")[0] for text in validate.text] == ["file", "scaffold"]
    assert dict(validate.details)["types"] == "file, scaffold"
    assert dict(named(META_KEY)["meta.noop"].details)["types"] == "every type"


def test_an_entry_as_a_document():
    entry = Entry(FLAG, "--a.b", "Do it.", ["More."], (("value", "text"),), ["-a"])
    assert entry.as_dict() == {
        "kind": "flag",
        "name": "--a.b",
        "anchor": "flag-a-b",
        "summary": "Do it.",
        "text": ["More."],
        "details": {"value": "text"},
        "others": ["-a"],
    }


def rules_in_the_code():
    """Return the rules that the checks name, as texts or by constants."""
    found = set()
    for path in (*(PACKAGE / "lint").glob("*.py"), PACKAGE / "cli/lint.py"):
        names = vars(importlib.import_module(f"ccm.{path.parent.name}.{path.stem}"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
            given = node.args[NOTING[name]] if name in NOTING and len(node.args) > NOTING[name] else None
            if isinstance(given, ast.Constant):
                found.add(given.value)
            elif isinstance(given, ast.Name) and given.id.lstrip("_").isupper():
                found.add(names[given.id])
    return found


def test_each_rule_of_lint_is_declared():
    assert sorted(rule.name for rule in RULES) == sorted(rules_in_the_code())


def plain(markdown):
    """Return a cell of a table as plain text."""
    without_links = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", markdown)
    return without_links.replace("`", "").replace("\\|", "|")


def test_the_runner_says_of_each_rule_what_is_declared():
    page = (ROOT / "docs/runner.md").read_text(encoding="utf-8").partition("| rule | finds |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `([\w-]+)` \| (.*) \|$", page, re.MULTILINE)
    assert [(name, plain(finds)) for name, finds in rows] == [(rule.name, rule.finds) for rule in RULES]


def test_each_function_of_expressions_has_a_text():
    assert set(TEXTS) == BUILTINS
    of_expressions = {own.name for own in OWN_FUNCTIONS if "expressions" in own.languages}
    assert of_expressions == set(FUNCTIONS)
    of_languages = BUILTINS | set(GO_BUILTINS) | set(JET_BUILTINS) | NAMES
    assert set(named(FUNCTION)) == of_languages | {own.name for own in OWN_FUNCTIONS}
    assert all(call.startswith(f"{name}(") for name, (call, _does) in TEXTS.items())


def test_each_function_of_templates_has_a_text():
    assert set(GO_TEXTS) == set(GO_BUILTINS)
    assert set(JET_TEXTS) == set(JET_BUILTINS)
    length = named(FUNCTION)["len"]
    assert dict(length.details) == {"in": "expressions, Go templates, Jet templates"}
    assert [text.partition(",")[0] for text in length.text] == ["In expressions", "In Go templates", "In Jet templates"]


def test_each_function_of_sprig_has_a_text():
    assert set(SPRIG_TEXTS) == NAMES
    for name, (call, does) in SPRIG_TEXTS.items():
        called, *arguments = call.split()
        takes = function(name)
        assert called == name
        if takes.variadic:
            assert len(arguments) > len(takes.parameters), call
        else:
            assert len(arguments) == len(takes.parameters) and "..." not in arguments, call
        assert re.fullmatch(r"(Return|End) .*[^.;]\.", does) and ". " not in does, name
        entry = named(FUNCTION)[name]
        assert does == entry.summary or f"In {SPRIG}, {call}: {does}" == entry.text[-1]
        assert dict(entry.details)["in"].split(", ")[-1] == SPRIG


def test_forms_of_a_function_of_sprig_share_its_text():
    texts = {name: does for name, (_call, does) in SPRIG_TEXTS.items()}
    assert texts["osBase"] == texts["base"]
    assert SPRIG_TEXTS["must_date_modify"] == ("must_date_modify duration time", texts["mustDateModify"])
    assert texts["fromJson"].endswith("; another text gives nil.")
    assert texts["mustFromJson"] == "Return the value of a text in JSON; an error ends the rendering."
    same = [name for name in NAMES if name.startswith("must") and ";" not in texts[name]]
    assert all(texts[name] == texts[name[4].lower() + name[5:]] for name in same)


def test_forms_with_the_same_text_do_the_same():
    """A form that ends the rendering is another function than one that gives a value instead."""
    # Those of regular expressions differ in the message of their failure.
    pairs = {
        (function(name).call, does)
        for name, (_call, does) in SPRIG_TEXTS.items()
        if not re.match("(mustR|r)egex", name)
    }
    assert len(pairs) == len({call for call, _does in pairs}) == len({does for _call, does in pairs})


def test_go_templates_call_the_slice_of_sprig():
    with pytest.raises(CCMError, match="list should be type of slice or array"):
        GoTemplates(Environment({}, {}, {}, "/")).render('{{ slice "text" 1 }}', "t")
    assert set(GO_BUILTINS) & NAMES == {"slice"}
    assert GO not in dict(named(FUNCTION)["slice"].details)["in"].split(", ")


def test_functions_are_documented_for_the_languages_that_have_them():
    environment = Environment({}, {}, {}, "/")
    of_jet = {own.name for own in OWN_FUNCTIONS if JET in own.languages and not own.of_scaffolds}
    assert of_jet == set(jet_functions(Functions(environment)))
    templates = GoTemplates(environment)
    for own in OWN_FUNCTIONS:
        if not own.of_scaffolds:
            with pytest.raises(CCMError) as caught:
                templates.render(f"{{{{ print ({own.name} 1 2 3 4 5 6) }}}}", "t")
            assert caught.value.message.startswith("parsing template") == (GO not in own.languages), own.name


def test_the_guides_list_these_functions():
    page = (ROOT / "docs/expressions.md").read_text("utf-8").partition("## Functions")[2].partition("```")[0]
    assert set(re.findall(r"`(\w+)`", page)) == set(FUNCTIONS) | BUILTINS
    page = (ROOT / "docs/templates.md").read_text("utf-8").partition("| | Jet | Go | Jinja2 |")[2].partition("\n\n")[0]
    languages = {own.name: own.languages for own in OWN_FUNCTIONS}
    rows = re.findall(r"^\| (`.*`)[^|]*\| (yes|no) \| (yes|no) \| (yes|no) \|$", page, re.MULTILINE)
    assert rows
    for names, *said in rows:
        for name in re.findall(r"`(\w+)\(", names):
            has = [f"{language} templates" in languages[name] for language in ("Jet", "Go", "Jinja2")]
            assert has == [word == "yes" for word in said], name

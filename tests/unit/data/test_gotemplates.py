# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Go templates in an environment: variables, functions of CCM and of Sprig, this host."""

from __future__ import annotations

import pytest
from ccm.data.environment import Environment
from ccm.data.gotemplates import GoTemplates, go_variables, template_function
from ccm.host.facts.system import Facts
from ccm.model.errors import TemplateError


@pytest.fixture
def environment(tmp_path):
    (tmp_path / "motd").write_text("welcome\n")
    return Environment({"hostname": "web1"}, {"port": 8080, "words": ["b", "a"]}, {"HOME": "/home/ann"}, str(tmp_path))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{{ .facts.hostname }} {{ .Facts.hostname }}", "web1 web1"),
        ("{{ .data.Interface.port }} {{ .environ.Interface.HOME }}", "8080 /home/ann"),
        ("{{ .environ.NOPE }}{{ index .environ `NOPE` }}|", "<no value>|"),
        ('{{ printf "%T %T" .data .environ }}', "map[string]interface {} map[string]string"),
        ("{{ len . }} {{ .environ }}", "6 map[HOME:/home/ann]"),
        ('{{ lookup "data.port" | printf "%T" }} {{ lookup "data.no" 5 }}', "int64 5"),
        ('{{ readFile "motd" | trim }} {{ file "motd" | upper | trim }}', "welcome WELCOME"),
        ('{{ jet "[[ data.port ]]" }}', "8080"),
        ('{{ .data.words | sortAlpha | join "," }} {{ .data.none | default "x" }}', "a,b x"),
        ("{{ now | kindOf }} {{ randAlpha 5 | len }} {{ env `NOPE_NOPE` }}|", "struct 5 |"),
    ],
)
def test_templates_can_use_the_environment(environment, text, wanted):
    assert GoTemplates(environment).render(text, "motd.txt") == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{{ nope }}", 'parsing template f failed: template: f:1: function "nope" not defined'),
        (
            '{{ template "nope" }}',
            'template: f:1:12: executing "f" at <{{template "nope"}}>: template "nope" not defined',
        ),
        (
            '{{ lookup "data.no" }}',
            'template: f:1:3: executing "f" at <lookup "data.no">: error calling lookup: '
            "missing key 'data.no' in environment",
        ),
        (
            '{{ kvGet "a" }}',
            'template: f:1:3: executing "f" at <kvGet "a">: error calling kvGet: '
            "kvGet requires 2 string arguments: bucket, key",
        ),
    ],
)
def test_errors_are_template_errors(environment, text, wanted):
    with pytest.raises(TemplateError) as caught:
        GoTemplates(environment).render(text, "f")
    assert str(caught.value) == wanted


def test_functions_delimiters_and_data_can_be_given(environment):
    functions = {"write": template_function(lambda name, content: f"{name}={content};", "string", "string")}
    templates = GoTemplates(environment, functions, "[[", "]]")
    assert templates.render('[[ write .x "y" ]]{{ 1 }}', "f", {"x": "a"}) == "a=y;{{ 1 }}"


def test_facts_are_gathered_when_a_template_uses_them():
    calls = []
    facts = Facts.gathered_by({"a": lambda: calls.append("a") or 1, "b": lambda: calls.append("b") or 2})
    templates = GoTemplates(Environment(facts, {}, {}))
    assert templates.render("{{ .facts.a }}{{ .facts.Interface.a }}", "f") == "11"
    assert calls == ["a"]


def test_an_empty_environment_has_empty_maps():
    assert GoTemplates(Environment()).render("{{ .facts }}{{ .data }}{{ .environ }}", "f") == "map[]map[]map[]"
    assert sorted(go_variables(Environment())) == ["Data", "Environ", "Facts", "data", "environ", "facts"]

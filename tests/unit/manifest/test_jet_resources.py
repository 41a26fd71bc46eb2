# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resources that a Jet template generates: use of the text, and positions of errors."""

from __future__ import annotations

import sys

import pytest
from ccm.manifest.loader import Inputs, load_document
from ccm.manifest.reader import parse_manifest, read_manifest
from ccm.model.errors import CCMError

TOP = "data: {names: [a, b]}\nccm:\n  resources_jet_file: r.jet\n"


def load(directory, template, text=TOP):
    if template is not None:
        (directory / "r.jet").write_bytes(template.encode("utf-8", "surrogateescape"))
    inputs = Inputs(facts={"os": "x"}, environ={"HOME": "/h"})
    return read_manifest(text.encode(), "m.yaml", str(directory), inputs)


def refused(directory, template, text=TOP):
    with pytest.raises(CCMError) as caught:
        load(directory, template, text)
    return caught.value


def test_the_template_sees_data_facts_and_functions(tmp_path):
    (tmp_path / "f").write_text("f")
    echo = "echo [[ n ]] [[ facts.os ]] [[ file('f') ]] ${ Data.names[0] }".replace("'", '"')
    template = f"[[ range i, n := data.names ]]- exec: [{{'{echo}': {{}}}}]\n[[ end ]]"
    names = [resource.properties.name for resource in load(tmp_path, template).resources]
    assert names == ["echo a x f a", "echo b x f a"]


def test_errors_in_resources_are_shown_in_the_rendered_text(tmp_path):
    error = refused(tmp_path, "[[ range i, n := data.names ]]- exec:\n  - [[ n ]]: {nosuch: 1}\n[[ end ]]")
    assert 'invalid manifest resource 1: unknown property "nosuch"' in error.message
    assert str(error.position) == "r.jet (rendered):2:9"
    assert "- a: {nosuch: 1}" in error.excerpt


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("a: [", "r.jet (rendered) is not YAML"),
        ("text", "the template must render to a list of resources, not text"),
        ("a: 1", "the template must render to a list of resources, not a mapping"),
        ("[[ if false ]]x[[ end ]]", "resources jet template produced no output, check for syntax errors"),
        ("[]", "manifest must contain resources"),
        ("# nothing\n", "manifest must contain resources"),
        ("[[ data.names", "template: /r.jet:1: "),
        ("[[ nosuch ]]", "nosuch"),
        (None, "r.jet: no such file or directory"),
    ],
)
def test_text_that_is_not_a_list_of_resources_is_refused(tmp_path, template, message):
    error = refused(tmp_path, template)
    assert message in error.message
    assert error.position is not None or template == "# nothing\n"


def test_a_template_path_is_relative_to_the_manifest(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "p.jet").write_text("- exec: [{'true': {}}]")
    assert len(load(tmp_path, None, "ccm: {resources_jet_file: parts/p.jet}").resources) == 1


def test_without_pyyaml_the_error_names_the_rendered_text(tmp_path, monkeypatch):
    """A node gets the manifest parsed, and may have no PyYAML."""
    (tmp_path / "r.jet").write_text("[]")
    document = parse_manifest(TOP.encode(), "m.yaml")
    monkeypatch.setattr("ccm.lang.yaml._loader_class", None)
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(CCMError, match=r"r\.jet \(rendered\) cannot be read: reading YAML needs PyYAML"):
        load_document(document, "m.yaml", str(tmp_path), Inputs(facts={}, environ={}))

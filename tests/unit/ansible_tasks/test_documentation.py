# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation of module options matches their declaration."""

from __future__ import annotations

import ast
import functools
import re

import pytest
import yaml
from ccm.resources.types import required_type

from tests.tools.module_docs import FRAGMENT, TYPES, declared_options, generated_files
from tests.unit.layout import PLUGINS, ROOT

MODULES = sorted(path.stem for path in (PLUGINS / "modules").glob("*.py"))


@functools.cache
def texts(path):
    """Return the string constants of a file or of the class in it, by name."""
    tree = ast.parse(path.read_text("utf-8"))
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found[node.targets[0].id] = yaml.safe_load(node.value.value)
    return found


def documented(module):
    """Return what a module says of itself, and its options: its own texts over the texts of the fragments."""
    documentation = texts(PLUGINS / "modules" / f"{module}.py")["DOCUMENTATION"]
    options = {}
    for fragment in documentation["extends_documentation_fragment"]:
        name, _dot, part = fragment.removeprefix("ccm.core.").partition(".")
        options.update(texts(PLUGINS / "doc_fragments" / f"{name}.py")[(part or "documentation").upper()]["options"])
    for name, entry in documentation.get("options", {}).items():
        options[name] = {**options.get(name, {}), **entry}
    return documentation, options


def attributes(documentation):
    """Return the attributes of a module: its own over the attributes of the fragments that it extends."""
    found = {}
    for fragment in documentation["extends_documentation_fragment"]:
        name, _dot, part = fragment.removeprefix("ccm.core.").partition(".")
        text = texts(PLUGINS / "doc_fragments" / f"{name}.py")[(part or "documentation").upper()]
        for key, values in text.get("attributes", {}).items():
            found[key] = {**found.get(key, {}), **values}
    for key, values in documentation.get("attributes", {}).items():
        found[key] = {**found.get(key, {}), **values}
    return found


def test_what_is_made_from_the_declarations_is_up_to_date():
    """The options of modules that are properties of their types, and what the modules return."""
    for path, text in generated_files().items():
        assert (ROOT / path).read_text("utf-8") == text, f"{path} differs from the declarations: run make docs"


@pytest.mark.parametrize("module", TYPES)
def test_a_module_repeats_nothing_of_a_declaration(module):
    """It has a text for an option only where it says more than the property does."""
    generated = texts(ROOT / FRAGMENT)[module.upper()]["options"]
    own = texts(PLUGINS / "modules" / f"{module}.py")["DOCUMENTATION"].get("options", {})
    for name in set(own) & set(generated):
        assert set(own[name]) <= {"description", "version_added"}, f"{name}: the declaration has the rest"
        assert own[name]["description"] != [generated[name]["description"]], f"{name}: the declaration says the same"


@pytest.mark.parametrize("module", MODULES)
def test_options_are_documented_as_declared(module):
    options = documented(module)[1]
    declared = declared_options(module)
    place = f"DOCUMENTATION of plugins/modules/{module}.py"
    assert set(declared) - set(options) == set(), f"{place} lacks options that are declared"
    assert set(options) - set(declared) == set(), f"{place} has options that are not declared"
    for name, spec in declared.items():
        entry = options[name]
        for key, default in (
            ("type", "str"),
            ("elements", None),
            ("required", False),
            ("default", None),
            ("choices", None),
            ("aliases", None),
        ):
            assert entry.get(key, default) == spec.get(key, default), f"{name}: {key}"


@pytest.mark.parametrize("module", MODULES)
def test_everything_is_described(module):
    documentation, options = documented(module)
    returned = texts(PLUGINS / "modules" / f"{module}.py")["RETURN"]
    undescribed = [name for name, entry in {**options, **returned}.items() if not entry.get("description")]
    assert undescribed == [], f"DOCUMENTATION or RETURN of plugins/modules/{module}.py lacks their description"
    assert re.fullmatch(r"\d+\.\d+\.\d+", documentation["version_added"])
    assert documentation["module"] == module
    assert attributes(documentation)["check_mode"]["support"] == "full"


@pytest.mark.parametrize("module", MODULES)
def test_examples_use_existing_options(module):
    options = documented(module)[1]
    aliases = {alias for entry in options.values() for alias in entry.get("aliases", ())}
    used = []
    for task in every_task(texts(PLUGINS / "modules" / f"{module}.py")["EXAMPLES"]):
        used += [(key, task[key]) for key in task if key.startswith("ccm.core.")]
    assert used
    for name, arguments in used:
        known = documented(name.removeprefix("ccm.core."))[1]
        assert set(arguments or ()) - set(known) - aliases == set(), name


def test_the_guide_uses_existing_options():
    text = (ROOT / "docs/ansible.md").read_text("utf-8")
    blocks = re.findall(r"^```yaml (?:play|tasks)[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    used = [task for block in blocks for task in every_task(yaml.safe_load(block))]
    assert len(used) >= 5
    for task in used:
        for name in task:
            if name.startswith("ccm.core."):
                assert set(task[name] or ()) - set(documented(name.removeprefix("ccm.core."))[1]) == set(), task


def every_task(entries):
    for entry in entries:
        if "hosts" in entry:
            yield from every_task(entry.get("tasks", []) + entry.get("handlers", []))
        else:
            yield entry


@pytest.mark.parametrize("module", TYPES)
def test_declared_properties_are_options(module):
    """All properties, except those for which tasks have other options."""
    left_out = {prop.name for prop in required_type(module).properties} - set(declared_options(module))
    assert left_out <= {"control", "health_checks", "meta", "register_when_stable", "require", "subscribe"}

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation of module options matches their declaration."""

from __future__ import annotations

import ast
import functools
import re

import pytest
import yaml
from ccm.ansible_tasks.apply_options import APPLY_OPTIONS
from ccm.ansible_tasks.archive_task import archive_argument_spec
from ccm.ansible_tasks.argument_spec import HIDDEN_OPTION, STAGED_SOURCE, argument_spec
from ccm.ansible_tasks.facts_info import FACTS_OPTIONS
from ccm.ansible_tasks.file_task import file_argument_spec
from ccm.ansible_tasks.hiera_info import DOCUMENT_OPTION, HIERA_OPTIONS
from ccm.ansible_tasks.package_task import package_argument_spec
from ccm.ansible_tasks.resource_info import RESOURCE_OPTIONS
from ccm.ansible_tasks.scaffold_task import scaffold_argument_spec
from ccm.ansible_tasks.sent_package import PACKAGE_OPTION
from ccm.resources.archive.type import TYPE as ARCHIVE
from ccm.resources.exec.type import TYPE as EXEC
from ccm.resources.file.type import TYPE as FILE
from ccm.resources.package.type import TYPE as PACKAGE
from ccm.resources.scaffold.type import TYPE as SCAFFOLD
from ccm.resources.service.type import TYPE as SERVICE

from tests.unit.layout import PLUGINS, ROOT

SPECIFICATIONS = {
    "apply": {**APPLY_OPTIONS, **PACKAGE_OPTION},
    "archive": {**archive_argument_spec(ARCHIVE), **HIDDEN_OPTION},
    "exec": {**argument_spec(EXEC), **HIDDEN_OPTION},
    "facts_info": {**FACTS_OPTIONS, **HIDDEN_OPTION},
    "file": {**file_argument_spec(FILE), **HIDDEN_OPTION, STAGED_SOURCE: {"type": "str"}},
    "hiera_info": {**HIERA_OPTIONS, **DOCUMENT_OPTION, **HIDDEN_OPTION},
    "package": {**package_argument_spec(PACKAGE), **HIDDEN_OPTION},
    "resource_info": RESOURCE_OPTIONS,
    "scaffold": {**scaffold_argument_spec(SCAFFOLD), **HIDDEN_OPTION, STAGED_SOURCE: {"type": "str"}},
    "service": {**argument_spec(SERVICE), **HIDDEN_OPTION},
}


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
    documentation = texts(PLUGINS / "modules" / f"{module}.py")["DOCUMENTATION"]
    options = dict(documentation.get("options", {}))
    for fragment in documentation["extends_documentation_fragment"]:
        name, _dot, part = fragment.removeprefix("ccm.core.").partition(".")
        options.update(texts(PLUGINS / "doc_fragments" / f"{name}.py")[(part or "documentation").upper()]["options"])
    return documentation, options


def attributes(documentation):
    """Return the attributes of a module: its own over those of the fragments that it extends."""
    found = {}
    for fragment in documentation["extends_documentation_fragment"]:
        name, _dot, part = fragment.removeprefix("ccm.core.").partition(".")
        text = texts(PLUGINS / "doc_fragments" / f"{name}.py")[(part or "documentation").upper()]
        for key, values in text.get("attributes", {}).items():
            found[key] = {**found.get(key, {}), **values}
    for key, values in documentation.get("attributes", {}).items():
        found[key] = {**found.get(key, {}), **values}
    return found


def test_every_module_is_checked():
    modules = {path.stem for path in (PLUGINS / "modules").glob("*.py")} - {"__init__"}
    assert modules == set(SPECIFICATIONS), "SPECIFICATIONS in this file has the options of each module"


@pytest.mark.parametrize("module", SPECIFICATIONS)
def test_options_are_documented_as_declared(module):
    options = documented(module)[1]
    declared = SPECIFICATIONS[module]
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


@pytest.mark.parametrize("module", SPECIFICATIONS)
def test_everything_is_described(module):
    documentation, options = documented(module)
    returned = texts(PLUGINS / "modules" / f"{module}.py")["RETURN"]
    undescribed = [name for name, entry in {**options, **returned}.items() if not entry.get("description")]
    assert undescribed == [], f"DOCUMENTATION or RETURN of plugins/modules/{module}.py lacks their description"
    assert documentation["version_added"] == ("0.2.0" if module.endswith("_info") else "0.1.0")
    assert documentation["module"] == module
    assert attributes(documentation)["check_mode"]["support"] == "full"


@pytest.mark.parametrize("module", SPECIFICATIONS)
def test_examples_use_existing_options(module):
    options = documented(module)[1]
    aliases = {alias for entry in options.values() for alias in entry.get("aliases", ())}
    used = []
    for task in every_task(texts(PLUGINS / "modules" / f"{module}.py")["EXAMPLES"]):
        used += [(key, task[key]) for key in task if key.startswith("ccm.core.")]
    assert len(used) >= (1 if module.endswith("_info") else 3)
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


@pytest.mark.parametrize(
    ("module", "type"),
    [("archive", ARCHIVE), ("file", FILE), ("exec", EXEC), ("package", PACKAGE), ("service", SERVICE)],
)
def test_declared_properties_are_options(module, type):
    """All properties, except those for which tasks have other options."""
    left_out = {prop.name for prop in type.properties} - set(SPECIFICATIONS[module])
    assert left_out <= {"control", "health_checks", "meta", "register_when_stable", "require", "subscribe"}

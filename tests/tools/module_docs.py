# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Ansible reads of the modules in files that git keeps, from the declarations; `make docs` writes it (docs.py).

The documentation of the modules of types: options, and what a task returns. meta/runtime.yml: groups of modules, and
the action plugins of types that have none of their own.
"""

from __future__ import annotations

import functools
import importlib
import pathlib
import re
import textwrap
import unittest.mock

import ansible.module_utils.basic  # noqa: F401 - it starts a process when it is imported first, which no test may do
import yaml
from ccm.ansible_tasks.argument_spec import module_properties, refresh_options
from ccm.model.facets import TaskValue
from ccm.resources.descriptions import description
from ccm.resources.types import TYPE_NAMES, required_type
from ccm.schema.event import event_schema

from plugins.plugin_utils.required_ansible import OLDEST

ROOT = pathlib.Path(__file__).parents[2]
FRAGMENT = "plugins/doc_fragments/options.py"
RUNTIME = "meta/runtime.yml"
#: The action plugin that only checks the arguments of a task.
GENERAL_ACTION = "resource_info"
#: The types with a module that manages one resource; the module apply runs whole manifests.
TYPES = tuple(name for name in TYPE_NAMES if name != "apply")
#: The options of every type, in the fragment `resource`.
OF_EVERY_TYPE = ("alias", "health_checks")
#: The module whose documentation has the keys of all events and health checks; others refer to it.
COMPLETE = "file"
WRITTEN = "# Written by make docs: change the declarations, not this text.\n"
_WIDTH = 120
_FRAGMENTS = f'''\
# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
{WRITTEN}
from __future__ import annotations


class ModuleDocFragment:
    """The options of each module that are properties of its type; a module has texts only where a play needs more."""
'''
_RUNTIME = f"""\
# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
{WRITTEN}---
requires_ansible: ">={".".join(map(str, OLDEST))}.0"
action_groups:
  # group/ccm.core.files in module_defaults gives owner and group to all that make files
  files:
{{files}}
  # all modules of the collection; no option is common to all
  all:
{{all}}
plugin_routing:
  modules:
    # types that need only the check of their arguments on the controller
{{routes}}
"""
_RETURN = re.compile(r'^RETURN = r"""\n.*?^"""\n', re.MULTILINE | re.DOTALL)
#: From the kinds of properties, and from types of JSON schemas, to type and elements in the documentation of Ansible.
_TYPES = {
    "string": ("str", ""),
    "mode": ("str", ""),
    "boolean": ("bool", ""),
    "integer": ("int", ""),
    "strings": ("list", "str"),
    "data": ("dict", ""),
    "object": ("dict", ""),
    "objects": ("list", "dict"),
    "array": ("list", "str"),
}
_COMMON = (
    TaskValue(
        "msg",
        help="What was done, what would be done in check mode, or why it failed.",
        returned="always",
        sample="Nothing to do",
    ),
    TaskValue(
        "event",
        "data",
        help="CCM's own record of what became of the resource, as C(ccm apply) writes it.",
        returned="unless the arguments were refused",
    ),
    TaskValue(
        "health_checks",
        "objects",
        help="The results of the health checks, in order.",
        returned="when there are any and they were run",
    ),
    TaskValue("log", "strings", help="What the provider had to say.", returned="when it said something"),
)
_OF_CHECKS = (
    TaskValue("name", help="The name of the check.", returned="always"),
    TaskValue(
        "status",
        "integer",
        help="V(0) for OK, V(1) for WARNING, V(2) for CRITICAL, V(3) for UNKNOWN.",
        returned="always",
    ),
    TaskValue("tries", "integer", help="How often it was tried.", returned="always"),
    TaskValue(
        "Output",
        help="What the command printed, or how many rules there were and how many failed.",
        returned="always",
    ),
)


class _Declared(Exception):
    """Carries the options with which a module makes its AnsibleModule."""


@functools.cache
def declared_options(name):
    """The options of a module, as it declares them to Ansible."""
    module = importlib.import_module(f"plugins.modules.{name}")

    def made(spec, **_rest):
        raise _Declared(spec)

    with unittest.mock.patch.object(module, "AnsibleModule", made):
        try:
            module.main()
        except _Declared as declared:
            return declared.args[0]
    raise AssertionError(f"plugins/modules/{name}.py made no AnsibleModule")


def generated_files():
    """The files that git keeps, by their paths: what they should be."""
    found = {FRAGMENT: _fragments(), RUNTIME: runtime(TYPES)}
    for name in TYPES:
        path = f"plugins/modules/{name}.py"
        text = (ROOT / path).read_text(encoding="utf-8")
        if not _RETURN.search(text):
            raise SystemExit(f'{path} has no place for what is returned: write RETURN = r""" and """ on two lines')
        found[path] = _RETURN.sub(lambda _old, name=name: f'RETURN = r"""\n{returned(name)}"""\n', text)
    return found


def runtime(types):
    """The text of meta/runtime.yml, with the action plugins of `types`."""
    own = {path.stem for path in (ROOT / "plugins/action").glob("*.py")}
    modules = sorted(path.stem for path in (ROOT / "plugins/modules").glob("*.py"))
    of_files = [name for name in modules if {"owner", "group"} <= set(declared_options(name))]
    return _RUNTIME.format(
        files="\n".join(f"    - {name}" for name in of_files),
        all="\n".join(f"    - {name}" for name in modules),
        routes="\n".join(
            f"    {name}: {{action_plugin: ccm.core.{GENERAL_ACTION}}}" for name in types if name not in own
        ),
    )


def _fragments():
    parts = [f'\n    {name.upper()} = r"""\noptions:\n{options(name)}"""\n' for name in TYPES]
    return "".join([_FRAGMENTS, *parts])


def options(name):
    """The options of a module that its type declares, as YAML."""
    type = required_type(name)
    declared = declared_options(name)
    properties = [prop for prop in module_properties(type) if prop.name not in OF_EVERY_TYPE]
    return "".join(
        _option(prop.name, _help(prop, type), declared[prop.name]) for prop in [*properties, *refresh_options(type)]
    )


def _help(prop, type):
    """What an option is for, with names in backquotes as Ansible marks them."""
    text = prop.help
    if prop.name == "provider" and len(type.provider_names) == 1:
        text = f"The provider to use. There is one, `{type.provider_names[0]}`."
    return re.sub(r"`([^`]*)`", r"C(\1)", text)


def _option(name, help, spec):
    lines = [f"  {name}:\n", _wrapped("description: ", help, 4), f"    type: {spec['type']}\n"]
    for key in ("elements", "required", "default", "choices", "aliases"):
        if key in spec:
            line = f"    {key}: {_flow(spec[key])}\n"
            is_long = len(line) > _WIDTH and isinstance(spec[key], (list, tuple))
            lines += [f"    {key}:\n", *(f"      - {_flow(each)}\n" for each in spec[key])] if is_long else [line]
    return "".join(lines)


def returned(name):
    """What a task of a module returns, as YAML."""
    own = {value.name: value for value in description(name).task_values}
    common = [own.get(value.name, value) for value in _COMMON]
    values = [common[0], *(value for value in own.values() if value not in common), *common[1:]]
    return WRITTEN + "".join(_value(value, name) for value in values)


def _value(value, name):
    helps, inside = [value.help], ""
    if value.name == "event":
        inside = _of_events(name)
        if name != COMPLETE:
            helps.append(f"See M(ccm.core.{COMPLETE}) for the keys of all events.")
    elif value.name == "health_checks":
        if name == COMPLETE:
            inside = "".join(_entry(of.name, of.kind, [of.help], of.returned, 4) for of in _OF_CHECKS)
        else:
            helps.append(f"See M(ccm.core.{COMPLETE}) for their keys.")
    return _entry(value.name, value.kind, helps, value.returned, 0, inside, value.sample)


def _of_events(name):
    """What RV(event) contains: the state of its type, in one module the keys of all events as well."""
    schema, type = event_schema()["$defs"]["event"], required_type(name)
    samples = {"type": name, "provider": type.default_provider, "requested_ensure": type.default_ensure}
    found = []
    for key, declared in schema["properties"].items():
        if key != "status" and name != COMPLETE:
            continue
        kind = declared.get("type", "boolean" if declared.get("const") is True else "string")
        kind = kind[0] if isinstance(kind, list) else kind
        if kind == "array" and declared["items"]["type"] == "object":
            kind = "objects"
        when = "always" if key in schema["required"] else _when(kind)
        inside = _of_states(description(name).state_fields, 8) if key == "status" else ""
        sample = samples.get(key, declared.get("examples", [None])[0])
        found.append(_entry(key, kind, [declared["description"]], when, 4, inside, sample))
    return "".join(found)


def _of_states(fields, indent):
    return "".join(
        _entry(
            field.name,
            field.kind,
            [field.help or "The state in detail."],
            "always" if field.required else _when(field.kind),
            indent,
            _of_states(field.fields, indent + 4),
        )
        for field in fields
    )


def _when(kind):
    return "when it is true" if kind == "boolean" else "when there is one"


def _entry(name, kind, helps, when, indent, inside="", sample=None):
    """A returned value, as YAML."""
    margin = " " * indent
    type, elements = _TYPES[kind]
    lines = [f"{margin}{name}:\n"]
    if len(helps) == 1:
        lines.append(_wrapped("description: ", helps[0], indent + 2))
    else:
        lines += [f"{margin}  description:\n", *(_item(text, indent + 4) for text in helps)]
    lines.append(_wrapped("returned: ", when, indent + 2))
    lines.append(f"{margin}  type: {type}\n")
    if elements:
        lines.append(f"{margin}  elements: {elements}\n")
    if sample is not None:
        lines.append(f"{margin}  sample: {_flow(sample)}\n")
    if inside:
        lines += [f"{margin}  contains:\n", inside]
    return "".join(lines)


def _item(text, indent):
    return _wrapped("- ", text, indent)


def _wrapped(head, text, indent):
    """A text after a dash or a key, in lines that YAML reads as one."""
    try:
        is_plain = yaml.safe_load(f"- {text}") == [text]
    except yaml.YAMLError:
        is_plain = False
    if not is_plain:
        text = "'" + text.replace("'", "''") + "'"
    margin = " " * indent
    lines = textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=margin + head,
        subsequent_indent=margin + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "".join(line + "\n" for line in lines)


def _flow(value):
    """A value of an option on one line."""
    return yaml.safe_dump(value, default_flow_style=True, width=10**6).removesuffix("...\n").rstrip("\n")

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Ansible's argument_spec of a resource type, made from its declared properties, and the AnsibleModule with one."""

from __future__ import annotations

import json
import sys
from binascii import a2b_base64

from ..model.property import Property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from ..model.resource import ResourceType
    from .ansible_module import AnsibleModule, ArgumentSpec, Options

#: Properties that are no options of modules: in a play a handler, which is refreshed, replaces `subscribe`.
MANIFEST_ONLY = ("subscribe",)
REFRESH = "refresh"
#: What Python raises for input of absurd size or depth, and for text that no system call accepts.
UNUSABLE_INPUT = (OSError, ValueError, OverflowError, MemoryError, RecursionError)

_TYPES: ArgumentSpec = {
    "string": {"type": "str"},
    "mode": {"type": "raw"},
    "boolean": {"type": "bool"},
    "integer": {"type": "int"},
    "strings": {"type": "list", "elements": "str"},
    "integers": {"type": "list", "elements": "int"},
    "string_map": {"type": "dict"},
    "string_maps": {"type": "list", "elements": "dict"},
    "data": {"type": "dict"},
}

#: The options of a health check in a play; its format follows from them.
_CHECK = {
    "command": {"type": "str"},
    "goss_rules": {"type": "dict"},
    "tries": {"type": "int"},
    **{name: {"type": "str"} for name in ("name", "timeout", "try_sleep")},
}


def module_properties(type: ResourceType) -> list[Property]:
    """Return the properties of a type that are options of its module."""
    return [prop for prop in type.basic_properties if prop.name not in MANIFEST_ONLY]


def refresh_options(type: ResourceType) -> list[Property]:
    """Return the option `refresh` of a type's module; none for a type that declares no subscriptions (Q102).

    It is a boolean, None where the task does not give it, or one of the words that the type has for `meta.refresh`.
    """
    if not any(prop.name in MANIFEST_ONLY for prop in type.own_properties):
        return []
    words = next((field.choices for field in type.own_meta if field.name == REFRESH), ())
    help = "Whether to refresh it, as a change of a resource that it subscribes to does in a manifest."
    return [Property(REFRESH, "boolean", nullable=True, choices=words, help=help)]


def argument_spec(type: ResourceType, play_options: ArgumentSpec | None = None) -> ArgumentSpec:
    """Return the argument_spec of a type's module; `play_options` are the options that only a play has."""
    spec = {prop.name: _option(prop) for prop in module_properties(type)}
    ensure = spec["ensure"]
    if type.ensure_choices:
        ensure["choices"] = list(type.ensure_choices)
    ensure.update(default=type.default_ensure, aliases=["state"])
    if type.name_aliases:
        spec["name"]["aliases"] = list(type.name_aliases)
    spec["health_checks"] = {"type": "list", "elements": "dict", "options": _CHECK}
    spec.update((prop.name, _option(prop)) for prop in refresh_options(type))
    spec.update(play_options or {})
    return spec


def takes_words(prop: Property) -> bool:
    """Return whether a property is a boolean or one of some words, which no type of Ansible's is."""
    return prop.kind == "boolean" and bool(prop.choices)


def _option(prop: Property) -> dict[str, Any]:
    option: dict[str, Any] = {"type": "raw"} if takes_words(prop) else dict(_TYPES[prop.kind])
    if prop.required:
        option["required"] = True
    if prop.default is not None or (prop.kind == "boolean" and not prop.nullable):
        option["default"] = prop.default_value()
    if prop.choices and not takes_words(prop):
        option["choices"] = list(prop.choices)
    if prop.aliases:
        option["aliases"] = list(prop.aliases)
    # Ansible asks for it where the name of an option, like `key`, might be one of a secret.
    option["no_log"] = prop.secret
    return option


#: The option by which an action plugin, and no task, passes the values of options that are secret.
HIDDEN = "_hidden"
HIDDEN_OPTION: ArgumentSpec = {HIDDEN: {"type": "str", "no_log": True}}

#: The option by which an action plugin, and no task, gives the path on the node of the `source` that it transferred. It
#: is an option of its own: `source` is logged as the task gave it, and one text cannot hold two paths safely.
STAGED_SOURCE = "_staged_source"


def new_module(make_module: Callable[..., AnsibleModule], spec: ArgumentSpec) -> AnsibleModule:
    """Return the AnsibleModule with the options `spec`.

    `make_module` is the class AnsibleModule of `ansible.module_utils.basic`. In a locale in which Python has another
    encoding for names than UTF-8, this does not return: the module runs in another process (decisions.md Q92).
    """
    module = make_module(spec, supports_check_mode=True)
    if sys.getfilesystemencoding() != "utf-8":
        from .other_locale import run_in_utf8

        run_in_utf8(module)
    return module


def given_options(module: AnsibleModule) -> Options:
    """Return the options that the task gave a module, by name; `module.params` is what Ansible shows of them."""
    given: Options = module.params
    packed = given.get(HIDDEN)
    if not packed:
        return given
    return {**given, **json.loads(a2b_base64(packed))}

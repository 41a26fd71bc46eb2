# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Words of other tools, each with what to write here: one table for options of modules, lint and the command line.

A front end asks it when a word is not known, and after a failure; no run that succeeds needs it (decisions.md Q115).
`builtin_words.py` has what only the controller of a play asks.
"""

from __future__ import annotations

from ..lang.near import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Collection

#: Options that only modules of ansible.builtin have, each with the one to write here.
BUILTIN_OPTIONS = {
    "argv": "name",
    "cache_valid_time": "update_cache",
    "chdir": "cwd",
    "cmd": "name",
    "enabled": "enable",
    "pkg": "name",
    "src": "source",
}

#: Values of `ensure` in other tools, and verbs for them, each with what to write here.
STATES = {
    "file": "write ensure: present",
    "held": "write mark: hold",
    "hold": "write mark: hold",
    "installed": "write ensure: present",
    "removed": "write ensure: absent",
    "started": "write ensure: running",
    "uninstalled": "write ensure: absent",
    "upgraded": "write ensure: latest",
}

#: Properties of other tools, each with the one to write here.
PROPERTIES = {
    "permissions": "mode",
    "state": "ensure",
    "user": "owner",
}

#: Properties of other tools for what `meta` says here, each with what to write in it.
IN_META = {
    "before": "before: [TYPE#NAME]",
    "delay": "delay: 10s",
    "noop": "noop: true",
    "notify": "notify: [TYPE#NAME]",
    "retries": "retry: 3",
    "retry": "retry: 3",
    "reverse": "reverse: true",
    "tries": "retry: 3",
    "try_sleep": "delay: 10s",
    "undo": "undo: COMMAND",
    "validate": "validate: COMMAND %s",
    "validate_cmd": "validate: COMMAND %s",
}

#: Properties of other tools for which resources have no single one, each with a property that a type needs for what
#: to do, and with what to do.
WITHOUT_PROPERTY = {
    "backup": ("content", "write meta: {reverse: true}, which keeps what was there before"),
    "decrypt": ("content", "leave it out: it is an option of tasks, and the task ccm.core.apply has it"),
    "loop": ("meta", "the template that ccm.resources_jet_file names makes resources of a list"),
    "remote_src": ("source", "leave it out: source is a path on the node, or a file beside the manifest"),
    "template": ("content", "write content: \"${ template(readFile('FILE')) }\", or a scaffold for Jinja2"),
    "when": ("control", "write control: {if: EXPRESSION}"),
    "refresh": (
        "meta",
        "exec and service have subscribe: [TYPE#NAME], or what changes has meta: {notify: [TYPE#NAME]}",
    ),
}

#: What other tools write for a boolean, each with the word to write here.
BOOLEANS = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}

#: What to write for a boolean as `ensure`: the first of these words that the type knows.
BOOLEAN_STATES = {
    "true": ("write ensure: running", "write ensure: present"),
    "false": ("write ensure: stopped", "write ensure: absent"),
}

#: Commands that other programs have, each with what to write after `ccm`.
COMMANDS = {"agent": "watch", "version": "--version"}

#: Flags for what a part of another flag's value says, each with that flag and the form of its value.
FLAGS = {"group": ("owner", "USER:GROUP")}


def property_for(word: str, known: Collection[str]) -> str:
    """Return which of the `known` names an unknown one means, "" when none."""
    ours = PROPERTIES.get(word) or IN_META.get(word, "").partition(":")[0]
    if ours not in known:
        ours = nearest(word, known)
    return ours if ours in known else _among(BUILTIN_OPTIONS.get(word, ""), known)


def property_advice(word: str, known: Collection[str]) -> str:
    """Return what to write for a property that no resource has, "" where that is not clear, or not in a resource."""
    if "meta" not in known:
        return ""
    if word in IN_META:
        return f"write meta: {{{IN_META[word]}}}"
    needed, advice = WITHOUT_PROPERTY.get(word, ("", ""))
    return advice if needed in known else ""


def boolean_advice(value: str) -> str:
    """Return what to write for a text in the place of a boolean, "" where it is not clear."""
    word = BOOLEANS.get(value.lower())
    return f"write {word}, without quotes" if word else ""


def choice_advice(word: str, choices: Collection[str]) -> str:
    """Return which of the choices to write for a word that is none of them."""
    return f"write {nearest(word, choices) or ' or '.join(choices)}"


def is_of_table(advice: str) -> bool:
    """Return whether an advice is what this table says of an `ensure`."""
    return advice in STATES.values() or any(advice in each for each in BOOLEAN_STATES.values())


def _among(ours: str, known: Collection[str]) -> str:
    return ours if ours in known else ""


def state_advice(word: str, known: Collection[str], properties: Collection[str]) -> str:
    """Return what to write for a value of `ensure` that is none of the `known` words, "" where it is not clear.

    `properties` are the names of the properties that the type has.
    """
    advice = STATES.get(word, "")
    name, _colon, value = advice.partition(" ")[2].partition(": ")
    if value in known if name == "ensure" else name in properties:
        return advice
    for advice in BOOLEAN_STATES.get(BOOLEANS.get(word.lower(), ""), ()):
        if advice.rpartition(" ")[2] in known:
            return advice
    near = nearest(word, known)
    return f"write ensure: {near}" if near else ""


def version_advice(word: str, known: Collection[str], properties: Collection[str]) -> str:
    """Return what to write for a word that is taken as a version, "" for what may be one: it has a digit.

    The arguments are as in `state_advice`.
    """
    if word in known or any(char.isdigit() for char in word):
        return ""
    return state_advice(word, known, properties) or f"write a version, or one of {', '.join(known)}"

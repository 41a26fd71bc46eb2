# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Options as users of ansible.builtin or of manifests write them. PRIVATE to the collection."""

from __future__ import annotations

from ..module_utils.ansible_tasks.quoting import written_command
from ..module_utils.lang.near import nearest
from ..module_utils.model.builtin_words import (
    MANIFEST_OPTIONS,
    builtin_option_advice,
    builtin_state_advice,
    missing_name_advice,
    origin_of,
)
from ..module_utils.model.errors import InvalidResource
from ..module_utils.model.foreign_words import PROPERTIES
from ..module_utils.redaction.texts import without_text_secrets

#: The key of what a task has in place of options by name.
FREE_FORM = "_raw_params"
#: Options of ansible.builtin that are commands.
_COMMANDS = ("argv", "cmd")


def by_option_names(spec, given):
    """Return a task's options with aliases replaced by the names of `spec`.

    Raises InvalidResource for an option that is given by two names, and for an option by its name in other tools.
    """
    names = {alias: name for name, option in spec.items() for alias in option.get("aliases", ())}
    renamed, origin = {}, {}
    for written, value in given.items():
        name = names.get(written, written)
        if name in renamed:
            both = " and ".join(sorted((written, origin[name])))
            raise InvalidResource(f"{both} are the same option: give one of them")
        renamed[name], origin[name] = value, written
    for name in renamed:
        ours = PROPERTIES.get(name)
        if name not in spec and ours in spec:
            raise InvalidResource(f"{name} is no option here: write {ours}")
    return renamed


def refuse_foreign_options(spec, given):
    """Raise InvalidResource for options that only modules of Ansible have, or only manifests; it names all of them."""
    refusals = [refusal for name in sorted(given) for refusal in _refusals(spec, given, name)]
    if refusals:
        raise InvalidResource("; ".join(refusals))


def _refusals(spec, given, name):
    """Yield why an option of a task is refused, if it is known from elsewhere."""
    if name in spec:
        return
    advice = builtin_option_advice(name, given[name], spec)
    if advice:
        yield f"{name} is an option of {origin_of(spec)}: {_specific(spec, given, name) or advice}"
    elif name in MANIFEST_OPTIONS:
        yield f"{name} is for manifests: {MANIFEST_OPTIONS[name]}"


def unknown_options(spec, given):
    """Return the options of a task that are no options here nor elsewhere, and look like none."""
    known = [*spec, *(alias for option in spec.values() for alias in option.get("aliases", ()))]
    return [
        name
        for name in given
        if name not in known
        and name not in PROPERTIES
        and not nearest(name, known)
        and not [*_refusals(spec, given, name)]
    ]


def refuse_missing_name(spec, given):
    """Raise InvalidResource for a task without the name that it needs, where there is more to say of it."""
    if spec.get("name", {}).get("required") and given.get("name") is None:
        advice = missing_name_advice(given, spec)
        if advice:
            raise InvalidResource(f"name is missing: {advice}")


def refuse_free_form(spec, given):
    """Raise InvalidResource for a value without a name, which only a command may be."""
    if FREE_FORM not in given:
        return
    names = [name for name in ("name", "path") if name in spec]
    text = without_text_secrets(str(given[FREE_FORM]))
    advice = f"write {names[0]}: {text}" if names else "leave it out"
    raise InvalidResource(f"{text} has no name of an option: {advice}")


def _specific(spec, given, name):
    """Return what to write for the value of an option of ansible.builtin, "" where its name says all."""
    value = given[name]
    if name in _COMMANDS and "command" in spec:
        # A task with a name has the command apart from it.
        ours = "command" if "name" in given else "name"
        command = written_command(value) if isinstance(value, list) else ""
        return f"write {ours}: {command}" if command else f"write {ours}"
    if name == "src" and "target" in spec and given.get("ensure") == "link":
        return "write target"
    is_template = name == "src" and "template" in spec and str(value).endswith(".j2")
    return "write template" if is_template else ""


def refuse_versions_in_names(spec, given):
    """Raise InvalidResource for the name of a package that has a version, as ansible.builtin.apt takes it."""
    names = given.get("name")
    for name in names if isinstance(names, list) else [names]:
        package, separator, version = name.partition("=") if isinstance(name, str) else ("", "", "")
        if "mark" in spec and separator and package and version:
            raise InvalidResource(f'{name} has a version: write name: {package} and ensure: "{version.lstrip("=")}"')


def refuse_kept_file(given, converted):
    """Raise InvalidResource for `force: false` with content, which keeps an existing file in ansible.builtin.copy.

    `given` are a task's options as written, `converted` all of them with their defaults.
    """
    has_content = any(converted.get(name) is not None for name in ("content", "source", "template"))
    if given.get("force") is not None and not converted["force"] and has_content and converted["ensure"] != "absent":
        raise InvalidResource(
            "force: false keeps a file that is there in ansible.builtin.copy, and here content replaces it: "
            "leave it out, or register ccm.core.resource_info and give the task when: found.ensure == 'absent'"
        )


def refuse_builtin_state(spec, given):
    """Raise InvalidResource for a value of `ensure` that only modules of ansible.builtin have."""
    ensure = given.get("ensure")
    values = spec.get("ensure", {}).get("choices", ("present", "absent"))
    advice = builtin_state_advice(ensure, values, spec) if isinstance(ensure, str) else ""
    if advice and ensure not in values:
        raise InvalidResource(f"ensure cannot be {ensure}, which is a word of ansible.builtin: {advice}")

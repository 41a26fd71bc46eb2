# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Options as users of ansible.builtin or of manifests write them. PRIVATE to the collection."""

from __future__ import annotations

from ..module_utils.ansible_tasks.quoting import written_command
from ..module_utils.model.errors import InvalidResource
from ..module_utils.model.foreign_words import BUILTIN_OPTIONS, BUILTIN_STATES, MANIFEST_OPTIONS, PROPERTIES

#: Options of ansible.builtin that are commands.
_COMMANDS = ("argv", "cmd")


def by_option_names(spec, given):
    """Return a task's options with aliases replaced by the names of `spec`.

    Raises InvalidResource for an option that is given by two names, and for one that other tools call otherwise.
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
    """Raise InvalidResource for an option that only modules of ansible.builtin have, or only manifests."""
    for name, value in given.items():
        if name in spec:
            continue
        ours = BUILTIN_OPTIONS.get(name)
        if ours in spec:
            command = written_command(value) if name in _COMMANDS and isinstance(value, list) else ""
            written = f"{ours}: {command}" if command else ours
            raise InvalidResource(f"{name} is an option of ansible.builtin: write {written}")
        if name in MANIFEST_OPTIONS:
            raise InvalidResource(f"{name} is for manifests: {MANIFEST_OPTIONS[name]}")


def refuse_kept_file(given, converted):
    """Raise InvalidResource for `force: false` with content, which keeps a file that is there in ansible.builtin.copy.

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
    advice = BUILTIN_STATES.get(ensure) if isinstance(ensure, str) else None
    if advice and ensure not in spec.get("ensure", {}).get("choices", ()):
        raise InvalidResource(f"ensure cannot be {ensure}, which is a word of ansible.builtin: {advice}")

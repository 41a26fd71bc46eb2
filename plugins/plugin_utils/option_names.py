# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Options as users of ansible.builtin or of manifests write them. PRIVATE to the collection."""

from __future__ import annotations

from ..module_utils.ansible_tasks.quoting import written_command
from ..module_utils.model.errors import InvalidResource

#: Values of `state` that only modules of ansible.builtin have, each with what to write here.
BUILTIN_STATES = {
    "build-dep": "use ansible.builtin.apt for this",
    "file": "write ensure: present",
    "fixed": "use ansible.builtin.apt for this",
    "hard": "use ansible.builtin.file for links",
    "installed": "write ensure: present",
    "link": "use ansible.builtin.file for links",
    "reloaded": "notify a handler with refresh: reload",
    "removed": "write ensure: absent",
    "restarted": "notify a handler, which restarts it",
    "started": "write ensure: running",
    "touch": "write ensure: present without content, which leaves times as they are",
}


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
_COMMANDS = ("argv", "cmd")
#: Properties of resources that only manifests have, each with what a play has in its place.
MANIFEST_OPTIONS = {
    "control": "give the task when",
    "meta": "a play has check_mode, until with retries, timeout and notify, and modules have options like validate and "
    "refresh; for all else use ccm.core.apply",
    "noop": "give the task check_mode: true",
    "register_when_stable": "use ccm.core.apply",
    "require": "tasks run in their order, and one that fails ends the play on its host, or its block, which can have "
    "rescue",
    "subscribe": "give the other task notify, and write this one as a handler, which is refreshed",
}


def by_option_names(spec, given):
    """Return a task's options with aliases replaced by the names of `spec`.

    Raises InvalidResource for an option that is given by two names.
    """
    names = {alias: name for name, option in spec.items() for alias in option.get("aliases", ())}
    renamed, origin = {}, {}
    for written, value in given.items():
        name = names.get(written, written)
        if name in renamed:
            both = " and ".join(sorted((written, origin[name])))
            raise InvalidResource(f"{both} are the same option: give one of them")
        renamed[name], origin[name] = value, written
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
    if given.get("force") is not None and not converted["force"] and has_content and converted["ensure"] == "present":
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

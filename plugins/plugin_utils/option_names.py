# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Options as users of ansible.builtin write them: by their aliases, and with its values. PRIVATE to the collection."""

from __future__ import annotations

from ..module_utils.model.errors import InvalidResource

#: Values of `state` that only modules of ansible.builtin have, each with what to write here.
BUILTIN_STATES = {
    "build-dep": "use ansible.builtin.apt for this",
    "file": "write ensure: present",
    "fixed": "use ansible.builtin.apt for this",
    "hard": "use ansible.builtin.file for links",
    "installed": "write ensure: present",
    "link": "use ansible.builtin.file for links",
    "reloaded": "notify a handler with refresh: true, which restarts the service",
    "removed": "write ensure: absent",
    "restarted": "notify a handler with refresh: true",
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


def refuse_builtin_options(spec, given):
    """Raise InvalidResource for an option that only modules of ansible.builtin have."""
    for name in given:
        ours = BUILTIN_OPTIONS.get(name)
        if name not in spec and ours in spec:
            raise InvalidResource(f"{name} is an option of ansible.builtin: write {ours}")


def refuse_builtin_state(ensure):
    """Raise InvalidResource for a value of `ensure` that only modules of ansible.builtin have."""
    advice = BUILTIN_STATES.get(ensure) if isinstance(ensure, str) else None
    if advice:
        raise InvalidResource(f"ensure cannot be {ensure}, which is a word of ansible.builtin: {advice}")

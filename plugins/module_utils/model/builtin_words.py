# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Words of modules of Ansible, and of manifests, in a task: each with what to write in a task of this collection.

Only the controller asks it, and no module imports it, so that no node gets it (decisions.md Q115).
"""

from __future__ import annotations

from .foreign_words import BOOLEANS, BUILTIN_OPTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Collection, Mapping, Union

    from .values import Value

    #: What to write for an option: a text, or a text for each of some values.
    Advice = Union[str, Mapping[str, str]]

_NEEDS_APT = "use ansible.builtin.apt for this"
_NEEDS_FILE = "use ansible.builtin.file for this"
_NONE = "there is none here; use ansible.builtin."
_WITH_KEYS = "there is none here; use ansible.posix.authorized_key"
_MAKES_KEYS = f"{_NONE}user, or run ssh-keygen with ccm.core.exec and creates"
#: The origin of options that no module of ansible.builtin has.
_POSIX = "ansible.posix"

#: Values of `state` that only modules of ansible.builtin have. Each has what to write in a play in a module that has
#: the first word as a value of `ensure` or as an option; in others it means nothing.
_STATES = {
    "build-dep": ("mark", _NEEDS_APT),
    "file": ("directory", "write ensure: present"),
    "fixed": ("mark", _NEEDS_APT),
    "hard": ("directory", "use ansible.builtin.file for hard links"),
    "installed": ("present", "write ensure: present"),
    "reloaded": ("running", "notify a handler with refresh: reload"),
    "removed": ("absent", "write ensure: absent"),
    "restarted": ("running", "notify a handler, which restarts it"),
    "started": ("running", "write ensure: running"),
    "touch": ("directory", "write ensure: present without content, which leaves times as they are"),
}

_FILES: Mapping[str, Advice] = {
    "attr": _NEEDS_FILE,
    "attributes": _NEEDS_FILE,
    "checksum": f"{_NONE}copy",
    "directory_mode": "write mode, which directories get with the right to enter them",
    "follow": "leave it out, as a written file replaces a link",
    **dict.fromkeys(
        ("access_time", "access_time_format", "modification_time", "modification_time_format"), f"{_NONE}file"
    ),
    **dict.fromkeys(("selevel", "serole", "setype", "seuser"), f"{_NONE}file"),
    **dict.fromkeys(("local_follow", "unsafe_writes"), f"{_NONE}copy"),
    **dict.fromkeys(("lstrip_blocks", "newline_sequence", "output_encoding", "trim_blocks"), f"{_NONE}template"),
    **dict.fromkeys(
        [f"{part}_{end}_string" for part in ("block", "comment", "variable") for end in ("start", "end")],
        f"{_NONE}template",
    ),
}
_USERS: Mapping[str, Advice] = {
    "append": {"true": "write membership: minimum", "false": "write membership: inclusive"},
    "create_home": {"true": "write managehome: true", "false": "write managehome: false"},
    "createhome": {"true": "write managehome: true", "false": "write managehome: false"},
    "expires": "write expiry with the day, like '2027-12-31', or expiry: absent for an account that does not expire",
    "group": "write gid, the name or the number of the primary group",
    "password_lock": {
        "true": "write password: '!', with which no password works",
        "false": "write password with the hash of the password",
    },
    "remove": {"true": "write managehome: true", "false": "write managehome: false"},
    "update_password": {
        "always": "leave it out, as password always says which hash the user has",
        "on_create": f"{_NONE}user",
    },
    "user": "write name",
    **dict.fromkeys(("authorization", "force", "hidden", "local", "login_class", "move_home"), f"{_NONE}user"),
    **dict.fromkeys(("non_unique", "profile", "role", "seuser", "skeleton"), f"{_NONE}user"),
    **dict.fromkeys(("uid_max", "uid_min", "umask"), f"{_NONE}user"),
    **{f"password_expire_{part}": f"{_NONE}user" for part in ("account_disable", "max", "min", "warn")},
    **dict.fromkeys(("generate_ssh_key", "ssh_key_bits", "ssh_key_comment", "ssh_key_file"), _MAKES_KEYS),
    **dict.fromkeys(("ssh_key_passphrase", "ssh_key_type"), _MAKES_KEYS),
}
_GROUPS = dict.fromkeys(("force", "gid_max", "gid_min", "local", "non_unique"), f"{_NONE}group")
_KEYS: Mapping[str, Advice] = {
    "comment": "write name, which is the comment of the key",
    "key_options": "write options, a list",
    "manage_dir": {"true": "leave it out, as a missing .ssh is made", "false": _WITH_KEYS},
    "path": "write target",
    **dict.fromkeys(("exclusive", "follow", "validate_certs"), _WITH_KEYS),
}
_ARCHIVES: Mapping[str, Advice] = {
    "dest": "write name for the path of the archive, and extract_parent for the directory to unpack it in",
    "src": "write url, http or https; for archives of the controller or the node use ansible.builtin.unarchive",
    "timeout": "write download_timeout",
    "url_password": "write password",
    "url_username": "write username",
    **dict.fromkeys(("copy", "decrypt", "exclude", "extra_opts", "include", "io_buffer_size"), f"{_NONE}unarchive"),
    **dict.fromkeys(("keep_newer", "list_files", "mode", "remote_src", "validate_certs"), f"{_NONE}unarchive"),
    **dict.fromkeys(("backup", "client_cert", "client_key", "force", "tmp_dest", "use_proxy"), f"{_NONE}get_url"),
}
_PACKAGES: Mapping[str, Advice] = {
    "autoremove": "use ansible.builtin.apt or ansible.builtin.dnf for this",
    "deb": _NEEDS_APT,
    "package": "write name",
    "purge": "write ensure: purged",
    "upgrade": _NEEDS_APT,
    "use": "write provider",
    "version": "write ensure with the version, in quotes",
    **dict.fromkeys(
        ("allow_downgrade", "allow_downgrades"), "leave it out, as a version in ensure may be an older one"
    ),
    **dict.fromkeys(("allow_unauthenticated", "default_release", "dpkg_options", "force"), f"{_NONE}apt"),
    **dict.fromkeys(("install_recommends", "only_upgrade", "policy_rc_d"), f"{_NONE}apt"),
    **dict.fromkeys(("disable_gpg_check", "disablerepo", "enablerepo", "exclude", "security"), f"{_NONE}dnf"),
    **dict.fromkeys(("install_weak_deps", "installroot", "update_only"), f"{_NONE}dnf"),
}
_SERVICES: Mapping[str, Advice] = {
    "daemon_reload": "leave it out, as units are read again when their files have changed",
    "masked": {
        "true": "write enable: mask and ensure: stopped",
        "false": "write enable: true or enable: false",
    },
    "scope": {"system": "leave it out", "": f"{_NONE}systemd_service for units of users"},
    "service": "write name",
    "unit": "write name",
    "use": "write provider",
    **dict.fromkeys(("daemon_reexec", "force", "no_block"), f"{_NONE}systemd_service"),
    **dict.fromkeys(("args", "arguments", "pattern", "runlevel", "sleep"), f"{_NONE}service"),
}
_COMMANDS: Mapping[str, Advice] = {
    "executable": "name the shell in the command, like /bin/bash -c '...'",
    "expand_argument_vars": "write provider: shell, which expands variables",
    "removes": "write onlyif: test -e PATH",
    "stdin": "write provider: shell, and a command with a pipe",
    "stdin_add_newline": "write provider: shell, and a command with a pipe",
    "strip_empty_ends": "leave it out, and write (result.stdout | default('')) | trim, as the last line break stays",
}

#: Options that only other modules have, each with what to write in a module that has all the options in front.
_OPTIONS: tuple[tuple[tuple[str, ...], Mapping[str, Advice]], ...] = (
    (("content",), _FILES),
    (("managehome",), _USERS),
    (("members",), _GROUPS),
    (("key", "user"), _KEYS),
    (("extract_parent",), _ARCHIVES),
    (("mark",), _PACKAGES),
    (("enable",), _SERVICES),
    (("onlyif",), _COMMANDS),
    (("manifest", "path"), {"src": "write path"}),
)

#: What to write for a name that is missing, in a module that has all the options in front; the last is the option
#: that the task has, "" for any.
_NAMES = (
    (("key", "user"), "", "write name, which is the comment of the key; type and key have the words before it"),
    (
        ("mark",),
        "update_cache",
        "write the packages; to refresh the index alone use ansible.builtin.apt or ansible.builtin.dnf",
    ),
)

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


def builtin_state_advice(word: str, values: Collection[str], options: Collection[str]) -> str:
    """Return what to write in a play for a word that only ansible.builtin has for `state`, "" for other words.

    `values` are the values of `ensure` in the module, `options` its options.
    """
    needed, advice = _STATES.get(word, ("", ""))
    if not advice or needed in values or needed in options:
        return advice
    return f"it means nothing here, where ensure can be {' or '.join(values)}"


def builtin_option_advice(word: str, value: Value, options: Collection[str]) -> str:
    """Return what to write in a module with `options` for an option that only modules of Ansible have.

    `value` is what the task gives it. "" for an option that is not known.
    """
    for needed, words in _OPTIONS:
        if word in words and _is_of(options, needed):
            return _of_value(words[word], str(value).lower())
    ours = BUILTIN_OPTIONS.get(word, "")
    return f"write {ours}" if ours and ours in options else ""


def origin_of(options: Collection[str]) -> str:
    """Return the collection of the module that a module with `options` takes the place of."""
    return _POSIX if _is_of(options, ("key", "user")) else "ansible.builtin"


def missing_name_advice(given: Collection[str], options: Collection[str]) -> str:
    """Return what to write where a task with the options `given` of a module with `options` has no name, "" if open."""
    for needed, present, advice in _NAMES:
        if _is_of(options, needed) and (not present or present in given):
            return advice
    return ""


def _is_of(options: Collection[str], needed: Collection[str]) -> bool:
    return all(name in options for name in needed)


def _of_value(advice: Advice, value: str) -> str:
    """Return the advice for a value; where it has none the one for all others, or one for each."""
    if isinstance(advice, str):
        return advice
    found = advice.get(BOOLEANS.get(value, value), advice.get("", ""))
    return found or "; ".join(f"for {each} {text}" for each, text in advice.items())

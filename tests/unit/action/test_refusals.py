# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that the action plugins refuse on the controller, before a file is sent to a node."""

from __future__ import annotations

import datetime
import importlib
import os
import types

import pytest
from ansible import release
from ansible import template as ansible_template
from ansible.errors import AnsibleActionFail, AnsibleError
from ansible.plugins.action import ActionBase

from plugins.action import apply, archive, exec, facts_info, file, hiera_info, package, resource_info, scaffold
from plugins.module_utils.model.decision import NOTHING
from plugins.module_utils.model.property import Property
from plugins.module_utils.model.provider import Provider
from plugins.module_utils.model.simple_type import SimpleType
from plugins.plugin_utils.type_action import TypeAction

FILE = {"name": "/x", "ensure": "present", "owner": "root", "group": "root", "mode": "0644"}
SCAFFOLD = {"name": "/x", "ensure": "present"}
#: The action plugin of types that have none of their own, for these types.
service, user, ssh_authorized_key = (
    types.SimpleNamespace(__name__=f"plugins.action.{name}", ActionModule=resource_info.ActionModule)
    for name in ("service", "user", "ssh_authorized_key")
)
#: The memory of this process, which is empty at the beginning: a read there fails, for root as well.
UNREADABLE = "/proc/self/mem"


@pytest.fixture
def refused(run_task):
    """`refused(plugin, arguments)`: run a task that is refused, and return its message."""

    def run(plugin, arguments, error=AnsibleActionFail, in_background=0):
        with pytest.raises(error) as caught:
            run_task(plugin, arguments, async_val=in_background)
        return str(caught.value)

    return run


def deep_directories(path):
    """Nested directories with a path that is too long for a system call."""
    path.mkdir()
    fd = os.open(path, os.O_RDONLY)
    for _level in range(25):
        os.mkdir("d" * 200, dir_fd=fd)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    os.close(fd)


@pytest.mark.parametrize(
    ("plugin", "given", "message"),
    [
        (file, {"path": "/x", "dest": "/x"}, "dest and path are the same option: give one of them"),
        (file, {"name": "/x", "path": "/x"}, "name and path are the same option: give one of them"),
        (service, {"name": "x", "ensure": "running", "state": "running"}, "ensure and state are the same option"),
        (
            file,
            {"path": "/x", "state": "touch"},
            "write ensure: present without content, which leaves",
        ),
        (file, {"path": "/x", "state": "hard"}, "ensure cannot be hard, which is a word of ansible.builtin: use"),
        (service, {"name": "x", "state": "started"}, "service#x: ensure cannot be started, which is a word of "),
        (exec, {"cmd": "true"}, "cmd is an option of ansible.builtin: write name"),
        (file, {"name": "/x", "user": "root"}, "file#/x: user is no option here: write owner"),
        (service, {"name": "x", "enabled": True}, "service#x: enabled is an option of ansible.builtin: write enable"),
        (
            exec,
            {"name": "true", "health_checks": [{"name": "a"}]},
            "exec#true: check 1 of health_checks has neither command nor goss_rules: give one of them",
        ),
        (
            exec,
            {
                "name": "true",
                "health_checks": [{"command": "true"}, {"goss_rules": {"port": {"tcp:80": {"listen": True}}}}],
            },
            "goss_rules of check 2 of health_checks: invalid Attribute for Port:tcp:80: listen; known: ",
        ),
        (
            exec,
            {"name": "true", "health_checks": [{"goss_rules": {"file": {"/x": {"contents": {"have-lines": ["a"]}}}}}]},
            "goss_rules of check 1 of health_checks: ",
        ),
        (
            exec,
            {"name": "true", "health_checks": [{"goss_rules": {"port": {"tcp:{{ port }}": {"listening": False}}}}]},
            "the name tcp:{{ port }} in goss_rules is a template, and Ansible resolves none in names: write goss_rules",
        ),
        (exec, {"_raw_params": "true", "name": "true"}, "name and the command in free form are the same: give one of "),
        (exec, {"argv": ["printf", "%s", "a b: 'c'"]}, '''write name: "printf %s 'a b: '\\"'\\"'c'\\"'\\"''"'''),
        (exec, {"argv": ["echo", "é\x1b\x7f\x85\u202e"]}, r'''write name: "echo 'é\x1b\x7f\u0085\u202e'"'''),
        (exec, {"argv": ["curl", "--user", "u:canary"]}, 'write name: "curl --user u:REDACTED"'),
        (exec, {"argv": ["systemctl", "x", True, 1.5]}, 'write name: "systemctl x true 1.5"'),
        (
            exec,
            {"name": "n", "argv": ["a", "b c"]},
            '''exec#n: argv is an option of ansible.builtin: write command: "a 'b c'"''',
        ),
        (exec, {"name": "n", "cmd": "a"}, "cmd is an option of ansible.builtin: write command"),
        (exec, {"cmd": [["a"]]}, "cmd is an option of ansible.builtin: write name"),
        (package, {"pkg": ["a", "b"]}, "pkg is an option of ansible.builtin: write name"),
        (exec, {"name": "x", "subscribe": ["file#/x"]}, "exec#x: subscribe is for manifests: give the other task "),
        (file, {"path": "/x", "require": ["file#/y"]}, "require is for manifests: tasks run in their order, and one"),
        (service, {"name": "x", "control": {"if": "a"}}, "service#x: control is for manifests: give the task when"),
        (package, {"name": ["x"], "meta": {"noop": True}}, "meta is for manifests: a play has check_mode, until with"),
        (apply, {"path": "x", "noop": True}, "noop is for manifests: give the task check_mode: true"),
        (file, {"path": "/x", "register_when_stable": []}, "register_when_stable is for manifests: use ccm.core.apply"),
        (service, {"name": "x", "refresh": "maybe"}, "refresh must be true, false, restart or reload, not 'maybe'"),
        (package, {"name": ["x"], "state": "installed"}, "which is a word of ansible.builtin: write ensure: present"),
        (package, {"name": ["x"], "ensure": "removed"}, "which is a word of ansible.builtin: write ensure: absent"),
        (exec, {"name": "x", "state": "started"}, "it means nothing here, where ensure can be present or absent"),
        (service, {"name": "x", "state": "touch"}, "nothing here, where ensure can be running or stopped or unmanaged"),
        (
            package,
            {"name": ["x"], "state": "restarted"},
            "it means nothing here, where ensure can be present or absent",
        ),
        (
            file,
            {**FILE, "attributes": "+i"},
            "attributes is an option of ansible.builtin: use ansible.builtin.file for",
        ),
        (file, {**FILE, "src": "x.j2"}, "src is an option of ansible.builtin: write template"),
        (file, {"path": "/x", "state": "link", "src": "y.j2"}, "src is an option of ansible.builtin: write target"),
        (file, {**FILE, "src": "x"}, "src is an option of ansible.builtin: write source"),
        (exec, {"name": "x", "removes": "/x"}, "removes is an option of ansible.builtin: write onlyif: test -e PATH"),
        (exec, {"name": "x", "stdin": "y"}, "write provider: shell, and a command with a pipe"),
        (exec, {"name": "x", "executable": "/bin/bash"}, "name the shell in the command, like /bin/bash -c '...'"),
        (
            service,
            {"name": "x", "masked": True},
            "an option of ansible.builtin: write enable: mask and ensure: stopped",
        ),
        (service, {"name": "x", "masked": False}, "masked is an option of ansible.builtin: write enable: true or "),
        (
            file,
            {"path": "/x", "state": "hard", "src": "/y"},
            "ansible.builtin: use ansible.builtin.file for hard links",
        ),
        (archive, {"src": "x", "dest": "/y"}, "parent for the directory to unpack it in; src is an option of ansible"),
        (user, {"user": "u1"}, "user is an option of ansible.builtin: write name"),
        (user, {"name": "u1", "group": "users"}, "user#u1: group is an option of ansible.builtin: write gid, the name"),
        (user, {"name": "u1", "append": False}, "append is an option of ansible.builtin: write membership: inclusive"),
        (
            ssh_authorized_key,
            {"user": "root", "key": "ssh-ed25519 AAAA a@b"},
            "name is missing: write name, which is the comment of the key; type and key have the words before it",
        ),
        (ssh_authorized_key, {"user": "root", "exclusive": True}, "exclusive is an option of ansible.posix: there is "),
        (package, {"update_cache": True}, "name is missing: write the packages; to refresh the index alone use"),
        (apply, {"src": "site.yaml"}, "src is an option of ansible.builtin: write path"),
        (apply, {"_raw_params": "site.yaml"}, "site.yaml has no name of an option: write path: site.yaml"),
        (facts_info, {"_raw_params": "all"}, "all has no name of an option: leave it out"),
        (exec, {"_raw_params": "env printenv A", "A": "b"}, "A= in the free form of a command is taken as an option:"),
        (exec, {"_raw_params": "env", "name": "x", "crates": "/"}, "name and the command in free form are the same"),
        (service, {"name": "x", "daemon_reload": True}, "leave it out, as units are read again when their files have"),
        (package, {"name": "x", "purge": True}, "purge is an option of ansible.builtin: write ensure: purged"),
        (package, {"deb": "/x.deb"}, "deb is an option of ansible.builtin: use ansible.builtin.apt for this"),
        (package, {"name": "x", "autoremove": True}, "use ansible.builtin.apt or ansible.builtin.dnf for this"),
        (package, {"name": "x", "version": "1.0"}, "write ensure with the version, in quotes"),
        (package, {"name": "tool=1.0"}, 'package#tool=1.0: tool=1.0 has a version: write name: tool and ensure: "1.0"'),
        (package, {"name": ["a", "tool=1"]}, 'tool=1 has a version: write name: tool and ensure: "1"'),
        (exec, {"name": "x", "environment": {"A": "b", "N": 1}}, 'a mapping: write ["A=b", "N=1"]'),
        (exec, {"name": "x", "environment": {"TOKEN": "canary"}}, 'a mapping: write ["TOKEN=REDACTED"]'),
        (package, {"name": {"a": "b"}}, "name must be a list, but YAML reads a mapping: write a list"),
        (service, {"name": ["a", "b"]}, 'a list: give the task a loop, with name: "{{ item }}"'),
    ],
)
def test_aliases_and_values_of_builtin_modules(refused, plugin, given, message):
    assert message in refused(plugin, given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"source": "x", "remote_src": True}, "source must be an absolute path with remote_src: true, not x"),
        (
            {"ensure": "directory", "source": "/x", "recurse": True},
            "source of a directory must be on the node, with remote_src: true: /x",
        ),
        ({"source": os.devnull}, f"source is not a file: {os.devnull}"),
        ({"source": UNREADABLE}, f"cannot read source {UNREADABLE}: Input/output error"),
        ({"template": UNREADABLE}, f"cannot read template {UNREADABLE}: Input/output error"),
    ],
)
def test_invalid_files(refused, given, message):
    assert refused(file, {**FILE, **given}) == message


@pytest.mark.parametrize(
    ("plugin", "given", "message"),
    [
        (
            file,
            {**FILE, "name": "/tmp/a\0b"},
            r"file#/tmp/a\x00b: name holds a NUL, which no name can hold: remove it (/tmp/a\x00b)",
        ),
        (
            file,
            {**FILE, "owner": "ro\0ot"},
            r"file#/x: owner holds a NUL, which no owner can hold: remove it (ro\x00ot)",
        ),
        (
            exec,
            {"name": "x", "command": "printf a\0b"},
            r"exec#x: command holds a NUL, which no command can hold: remove it (printf a\x00b)",
        ),
        (
            exec,
            {"name": "x", "command": "TOKEN=canary printf a\0b"},
            r"exec#x: command holds a NUL, which no command can hold: remove it (TOKEN=REDACTED printf a\x00b)",
        ),
    ],
)
def test_a_nul_is_refused_before_ansible_logs_it(refused, plugin, given, message):
    assert refused(plugin, given) == message


class LampProvider(Provider):
    name = "none"

    def status(self, properties):
        raise NotImplementedError

    def light(self, properties, state):
        raise NotImplementedError


class LampType(SimpleType):
    """A type of another collection, with a word of ansible.builtin for its state."""

    name = "lamp"
    contract = 1
    ensure_choices = ("started",)
    verbs = ("light",)
    providers = (LampProvider,)
    own_properties = (Property("force", "boolean"), Property("content"))

    def decide(self, state, properties, refresh):
        return NOTHING


class OldLampType(LampType):
    contract = 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"goss_rules": {"file": {"/x": {"exists": True}}}}, "goss_rules need ccm.core.apply: give a command instead"),
        ({}, "check 1 of health_checks has neither command nor goss_rules: give one of them"),
    ],
)
def test_a_type_of_another_collection(refused, options, message):
    class ActionModule(TypeAction):
        TYPE = LampType()

    plugin = types.SimpleNamespace(__name__="acme.web.lamp", ActionModule=ActionModule)
    given = {"name": "x", "ensure": "started", "force": False, "content": "x", "health_checks": [options]}
    assert refused(plugin, given) == f"lamp#x: {message}"
    ActionModule.TYPE = OldLampType()
    assert "resource type lamp of the collection" in refused(plugin, given)


@pytest.mark.parametrize(
    "content",
    [{"content": ""}, {"source": "x"}, {"template": "x.j2"}, {"ensure": "directory", "content": "x"}],
)
def test_a_file_that_is_to_be_kept(refused, content):
    message = refused(file, {**FILE, **content, "force": "no"})
    assert message.startswith("file#/x: force: false keeps a file that is there in ansible.builtin.copy, and here ")
    assert message.endswith("register ccm.core.resource_info and give the task when: found.ensure == 'absent'")


@pytest.mark.parametrize("options", [{"ensure": "absent", "content": "x"}, {}])
def test_force_is_false_where_it_says_nothing_of_content(refused, monkeypatch, options):
    def executed(action, **_options):
        raise AnsibleActionFail("accepted")

    monkeypatch.setattr(ActionBase, "_execute_module", executed)
    assert refused(file, {**FILE, "force": False, **options}) == "accepted"


def test_a_template_must_be_a_file(refused, tmp_path):
    (tmp_path / "templates").mkdir()
    os.mkfifo(tmp_path / "templates/x.j2")
    assert refused(file, {**FILE, "template": "x.j2"}) == f"template is not a file: {tmp_path}/templates/x.j2"


def test_a_template_must_be_text(refused, tmp_path):
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates/x.j2").write_bytes(b"\xff")
    message = refused(file, {**FILE, "template": "x.j2"})
    assert message == f"cannot read template {tmp_path}/templates/x.j2: it is not UTF-8"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"source": "x", "remote_src": True}, "source must be an absolute path with remote_src: true, not x"),
        ({"source": os.devnull}, f"source is not a directory: {os.devnull}"),
        (
            {"source": "https://h/a.tgz", "download_timeout": "x"},
            'scaffold#/x: download_timeout "x": invalid duration; write a duration like 30s or 5m',
        ),
    ],
)
def test_invalid_scaffolds(refused, given, message):
    assert refused(scaffold, {**SCAFFOLD, **given}) == message


@pytest.mark.parametrize("remote_src", [False, True])
def test_the_node_fetches_an_address(refused, monkeypatch, remote_src):
    def executed(self, module_args=None, **_options):
        raise AnsibleActionFail(f"sent {module_args['source']} {sorted(module_args)}")

    monkeypatch.setattr(ActionBase, "_execute_module", executed)
    message = refused(scaffold, {**SCAFFOLD, "source": "https://h/a.tgz", "remote_src": remote_src})
    assert message.startswith("sent https://h/a.tgz ")
    assert "_staged_source" not in message


def test_a_scaffold_with_paths_that_are_too_long(refused, tmp_path):
    deep_directories(tmp_path / "app")
    message = refused(scaffold, {**SCAFFOLD, "source": "app"})
    assert message.startswith(f"cannot read {tmp_path}/app/ddd")
    assert message.endswith("ddd: File name too long")


UNQUOTED = {"ccm": {"resources": [{"file": {"name": "/x", "mode": 644}}]}}
OF_THE_PLAY = "remote_src is for path: a manifest in the play is never on the node"
MODE = 'manifest: file#/x: mode must be text from "0000" to "7777", but YAML reads the number 644: quote it'


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"manifest": {"ccm": {}}, "remote_src": True}, OF_THE_PLAY),
        ({"manifest": UNQUOTED}, MODE),
        ({"path": UNREADABLE}, f"cannot read {UNREADABLE}: Input/output error"),
        ({"path": "/proc/self"}, "/proc/self is a directory without a manifest.yaml"),
    ],
)
def test_invalid_manifests(refused, given, message):
    assert refused(apply, given) == message


def test_registering_of_a_task_in_the_background(refused):
    message = "register publishes what the task returns: remove async, or register"
    assert refused(apply, {"manifest": {"ccm": {}}, "register": True}, in_background=60) == message


def test_an_address_that_a_node_would_fetch(refused):
    message = "the controller fetches obj:// addresses: remove remote_src"
    assert refused(apply, {"path": "obj://SITE/web.tgz", "remote_src": True}) == message


@pytest.mark.parametrize("plugin", [apply, hiera_info])
def test_an_address_without_remote_src(refused, plugin):
    assert "; an address needs remote_src: true" in refused(plugin, {"path": "https://site/web.tar.gz"})


@pytest.mark.parametrize("plugin", [apply, hiera_info])
def test_a_file_of_the_node_needs_its_whole_path(refused, plugin):
    message = refused(plugin, {"path": "site.yaml", "remote_src": True})
    assert message == "path must be an absolute path or an address with remote_src: true, not site.yaml"


@pytest.mark.parametrize(
    ("plugin", "given", "message"),
    [
        (
            file,
            {**FILE, "content": ["a"]},
            "content must be text, but YAML reads a list: write it as text",
        ),
        (file, {**FILE, "content": {"a": 1}}, "content must be text, but YAML reads a mapping: write it as text"),
        (file, {**FILE, "content": datetime.date(2026, 1, 2)}, "content must be text, but YAML reads a date: quote it"),
        (exec, {"name": "true", "creates": ["/x"]}, "creates must be text, but YAML reads a list: write it as text"),
        (exec, {"name": ["/bin/echo", "a b", 1]}, '''YAML reads a list: write name: "/bin/echo 'a b' 1"'''),
        (exec, {"name": "x", "onlyif": ["test", "-f", "/x y"]}, '''a list: write onlyif: "test -f '/x y'"'''),
        (exec, {"name": "x", "command": ["x", "--password", "canary"]}, 'write command: "x --password REDACTED"'),
        (
            scaffold,
            {**SCAFFOLD, "source": "x", "post": [{"*.sh": "x"}, {"*.txt": ["chmod", "0600", "{}", "a b"]}]},
            """post for *.txt must be text, but YAML reads a list: write "chmod 0600 '{}' 'a b'\"""",
        ),
        (exec, {"name": []}, "name must be text, but YAML reads a list: write it as text"),
        (exec, {"name": "x", "unless": [{}]}, "unless must be text, but YAML reads a list: write it as text"),
        (file, {**FILE, "validate": ["visudo", "-cf", "%s"]}, 'a list: write validate: "visudo -cf %s"'),
        (
            exec,
            {"name": "x", "health_checks": [{"command": "true"}, {"command": ["sh", "-c", "a b"]}]},
            '''health_checks.1.command must be text, but YAML reads a list: write command: "sh -c 'a b'"''',
        ),
        (exec, {"name": "x", "health_checks": [{"name": ["a"]}]}, "health_checks.0.name must be text, but YAML"),
        (
            apply,
            {"manifest": {"ccm": {"resources": [{"exec": [{"x": {"command": ["a", "b c"]}}]}]}}},
            '''manifest: exec#x: command must be text, but YAML reads a list: write command: "a 'b c'"''',
        ),
        (package, {"name": 1.5}, "name must be text, but YAML reads the number 1.5: quote it"),
        (
            apply,
            {"manifest": {"data": {"days": [datetime.datetime(2026, 1, 2, 3, 4)]}}},
            "manifest.data.days.0 must be text, but YAML reads a date: quote it",
        ),
        (
            apply,
            {"path": "x", "data": {"day": datetime.date(2026, 1, 2)}},
            "data.day must be text, but YAML reads a date",
        ),
    ],
)
def test_values_that_yaml_did_not_read_as_text(refused, plugin, given, message):
    assert message in refused(plugin, given)


def test_a_tree_with_paths_that_are_too_long(refused, tmp_path):
    deep_directories(tmp_path / "site")
    (tmp_path / "site/manifest.yaml").write_text("ccm: {resources: []}\n", encoding="utf-8")
    message = refused(apply, {"path": "site"})
    assert message.startswith(f"cannot read {tmp_path}/site/ddd")
    assert message.endswith("ddd: File name too long")


@pytest.mark.parametrize("version", ["2.18.19", "2.9.27", "2.18.0rc1"])
@pytest.mark.parametrize("plugin", [apply, archive, exec, file, package, scaffold, service])
def test_an_older_ansible_is_refused_with_the_required_version(refused, monkeypatch, plugin, version):
    monkeypatch.setattr(release, "__version__", version)
    message = refused(plugin, {}, AnsibleError)
    assert message == f"ccm.core needs ansible-core 2.19 or newer, and this is {version}"


def test_the_plugins_load_in_an_older_ansible(monkeypatch):
    """Only a loaded plugin can report the required version."""
    with monkeypatch.context() as older:
        older.delattr(ansible_template, "trust_as_template")
        importlib.reload(file)


def test_a_newer_ansible_is_accepted(refused, monkeypatch):
    for version in ("2.19.0", "2.20.0.dev0", "3.0"):
        monkeypatch.setattr(release, "__version__", version)
        assert "content must be text" in refused(file, {**FILE, "content": True})


def test_an_old_python_on_the_node_is_named(refused, monkeypatch):
    def executed(action, **_options):
        action._used_interpreter = "#!/usr/bin/python3.6"
        stderr = "SyntaxError: future feature annotations is not defined\n"
        return {"failed": True, "_ansible_parsed": False, "module_stderr": stderr}

    monkeypatch.setattr(ActionBase, "_execute_module", executed)
    assert refused(exec, {"name": "true"}) == (
        "/usr/bin/python3.6 on the node is older than Python 3.8, which ccm.core needs there: "
        "name a newer one in ansible_python_interpreter"
    )

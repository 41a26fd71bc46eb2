# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every file of the controller that a task or a lookup opens goes through Ansible's loader, which decrypts it."""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import re
import sys
import tarfile

import pytest
from ansible import constants
from ansible.errors import AnsibleConnectionFailure, AnsibleError, AnsibleLookupError
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultLib, VaultSecret
from ansible.playbook.play_context import PlayContext
from ansible.playbook.task import Task
from ansible.plugins.action import ActionBase
from ansible.plugins.loader import connection_loader
from ansible.template import Templar
from ccm.ansible_tasks.apply_options import CHECKSUMS, PACKED
from ccm.ansible_tasks.argument_spec import HIDDEN
from ccm.manifest.transport import from_text

from plugins.action import apply, exec, facts_info, file, hiera_info, resource_info, scaffold
from plugins.lookup import hiera
from plugins.plugin_utils.transfer import LARGEST_INSIDE
from tests.unit.layout import PLUGINS, sources

SECRETS = [("default", VaultSecret(b"word"))]
FILE = {"name": "/srv/x", "owner": "root", "group": "root", "mode": "0644"}
LARGE = os.urandom(LARGEST_INSIDE + 1)
MANIFEST = b"ccm: {resources: [{apply: [{sub/child.yaml: {}}]}, {file: [{/srv/large: {source: large}}]}]}\n"
CHILD = b"ccm: {resources: [{exec: [{/bin/true: {}}]}]}\n"
HIERA = b"data: {k: 5}\n"
CONTENTS = {
    "files/text": b"a word\n",
    "files/binary": b"\0\1\2",
    "files/large": LARGE,
    "files/data.yaml": HIERA,
    "files/one.yaml": MANIFEST,
    "files/sub/child.yaml": CHILD,
    "files/site/manifest.yaml": MANIFEST,
    "files/site/sub/child.yaml": CHILD,
    "files/site/notes.yml": b"a: 1\n",
    "files/site/large": LARGE,
    "templates/page.j2": b"a {{ word }}\n",
    "templates/tree/file": b"in the tree\n",
    "templates/tree/_partials/part": b"a part\n",
}
SITE = [path for path in CONTENTS if path.startswith("files/site/")]
TREE = [path for path in CONTENTS if path.startswith("templates/tree/")]
#: A task, and the files that it opens, all of them.
TASKS = {
    "text": (file, {**FILE, "source": "text"}, ["files/text"]),
    "binary": (file, {**FILE, "source": "binary"}, ["files/binary"]),
    "large file": (file, {**FILE, "source": "large"}, ["files/large"]),
    "template": (file, {**FILE, "template": "page.j2"}, ["templates/page.j2"]),
    "manifest": (apply, {"path": "one.yaml"}, ["files/one.yaml", "files/sub/child.yaml"]),
    "directory": (apply, {"path": "site", "hiera": "data.yaml"}, [*SITE, "files/data.yaml"]),
    "manifest in the play": (
        apply,
        {"manifest": {"ccm": {"resources": [{"apply": [{"sub/child.yaml": {}}]}]}}},
        ["files/sub/child.yaml"],
    ),
    "tree": (scaffold, {"name": "/srv/tree", "source": "tree"}, TREE),
    "data": (hiera_info, {"path": "data.yaml"}, ["files/data.yaml"]),
}
_opened = []
_is_recording = False


def _record(event, arguments):
    if _is_recording and event == "open" and isinstance(arguments[0], (str, bytes)):
        _opened.append(os.fsdecode(arguments[0]))


sys.addaudithook(_record)


class Loader(DataLoader):
    """Ansible's loader; `passed` are the paths that it was asked for, and the paths of the decrypted copies."""

    def __init__(self):
        super().__init__()
        self.passed = set()

    def get_real_file(self, file_path, decrypt=True):
        real = super().get_real_file(file_path, decrypt=decrypt)
        self.passed.update((file_path, real))
        return real

    def get_text_file_contents(self, file_name, encoding=None):
        self.passed.add(file_name)
        return super().get_text_file_contents(file_name, encoding)


class Lookup(hiera.LookupModule):
    """The lookup, with the options that it is called with: outside of a collection Ansible does not know any."""

    def set_options(self, task_keys=None, var_options=None, direct=None):
        self.given = {"facts": {}, "default": None, **direct}

    def get_option(self, option, hostvars=None):
        return self.given[option]


class Play:
    """A play in a folder; `sent` are the arguments of modules and the content of transferred files."""

    def __init__(self, folder, monkeypatch):
        self.folder = folder
        self.local = folder / "local"
        self.local.mkdir()
        self.loader = Loader()
        self.loader.set_basedir(str(folder))
        self.loader.set_vault_secrets(SECRETS)
        self.sent = []
        self.diffs = []
        self.answer = {"changed": True}
        monkeypatch.setattr(constants, "DEFAULT_LOCAL_TMP", str(self.local))
        monkeypatch.setattr(ActionBase, "_execute_module", self._executed)
        monkeypatch.setattr(ActionBase, "_transfer_file", self._transferred)
        monkeypatch.setattr(
            ActionBase, "_make_tmp_path", lambda action: setattr(action._connection._shell, "tmpdir", "/t")
        )
        monkeypatch.setattr(ActionBase, "_fixup_perms2", lambda _action, _paths: None)

    def _executed(self, *, module_args, **_options):
        if CHECKSUMS not in (module_args.get("manifest") or {}):
            self.sent.append(module_args)
        return dict(self.answer)

    def _transferred(self, path, _remote):
        self.sent.append(DataLoader._get_file_contents(DataLoader(), path)[0])

    def write(self, encrypted):
        for name, content in CONTENTS.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(VaultLib(SECRETS).encrypt(content) if name in encrypted else content)

    def run(self, plugin, arguments, *, diff=False):
        task = Task()
        task.action, task.args, task.diff = "ccm.core." + plugin.__name__.rpartition(".")[2], arguments, diff
        connection = connection_loader.get("local", PlayContext(), os.devnull)
        action = plugin.ActionModule(task, connection, PlayContext(), self.loader, Templar(self.loader), None)
        result = action.run(task_vars={"inventory_hostname": "node", "word": "word"})
        self.diffs.append(task.diff)
        return result

    def lookup(self):
        plugin = Lookup(self.loader, Templar(self.loader))
        return plugin.run(["k"], {"ansible_search_path": [str(self.folder)]}, file="data.yaml")

    def contents(self):
        """All that was sent to the node, decoded, as one text of bytes."""
        return b"\n".join(map(_decoded, self.sent))

    def decrypted_copies(self):
        return [path.name for path in self.local.iterdir() if not path.name.startswith("ccm-core-")]


def _decoded(sent):
    if isinstance(sent, bytes):
        return _unpacked(sent) if sent.startswith(b"\x1f\x8b") else sent
    text = json.dumps(sent, default=str).encode()
    if HIDDEN in sent:
        text += base64.b64decode(sent[HIDDEN])
    packed = (sent.get("manifest") or {}).get(PACKED) or sent.get("_document")
    if packed:
        payload = from_text(packed)
        text += json.dumps(payload).encode()
        text += _unpacked(base64.b64decode(payload["tree"])) if "tree" in payload else b""
    return text


def _unpacked(tree):
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(tree))) as archive:
        return b"\n".join(archive.extractfile(member).read() for member in archive if member.isfile())


@pytest.fixture
def play(tmp_path, monkeypatch):
    return Play(tmp_path, monkeypatch)


@pytest.fixture
def opened(tmp_path):
    """`opened(call)`: call something, and return the paths below the folder of the play that were opened meanwhile."""

    def run(call):
        global _is_recording
        _opened.clear()
        _is_recording = True
        try:
            call()
        finally:
            _is_recording = False
        return {
            path for path in _opened if path.startswith(f"{tmp_path}/") and not path.startswith(f"{tmp_path}/local")
        }

    return run


@pytest.mark.parametrize("encrypted", [(), CONTENTS], ids=["plain", "vaulted"])
@pytest.mark.parametrize("name", TASKS)
def test_a_task_opens_files_through_the_loader_only(play, opened, name, encrypted):
    plugin, arguments, files = TASKS[name]
    play.write(encrypted)
    seen = opened(lambda: play.run(plugin, arguments))
    assert seen - play.loader.passed == set()
    assert {os.path.relpath(path, play.folder) for path in seen} == set(files)
    assert b"ANSIBLE_VAULT" not in play.contents()
    assert play.decrypted_copies() == []


@pytest.mark.parametrize(
    ("plugin", "arguments"),
    [
        (exec, {"name": "/bin/true"}),
        (file, {**FILE, "source": "/srv/source", "remote_src": True}),
        (apply, {"path": "/srv/m.yaml", "remote_src": True}),
        (facts_info, {"facts": {"a": 1}}),
        (resource_info, {"type": "file", "name": "/srv/x"}),
    ],
)
def test_a_task_that_needs_no_file_opens_none(play, opened, plugin, arguments):
    play.write(())
    assert opened(lambda: play.run(plugin, arguments)) == set()


def test_no_other_plugin_opens_files():
    """These open code of collections, and files that Ansible itself keeps during a run."""
    opening = {
        str(path.relative_to(PLUGINS))
        for folder in ("action", "filter", "lookup", "plugin_utils")
        for path in sources(PLUGINS / folder)
        if re.search(r"(?<!tarfile\.)\bopen\(|\bread_(text|bytes)\(", path.read_text("utf-8"))
    }
    assert opening == {
        f"plugin_utils/{name}.py" for name in ("collections", "controller_files", "node_results", "package")
    }


@pytest.mark.parametrize("encrypted", [(), CONTENTS], ids=["plain", "vaulted"])
def test_the_lookup_opens_its_file_through_the_loader_only(play, opened, encrypted):
    play.write(encrypted)
    seen = opened(lambda: play.lookup())
    assert seen - play.loader.passed == set()
    assert str(play.folder / "files/data.yaml") in seen
    assert play.lookup() == [5]
    assert play.decrypted_copies() == []


def test_the_content_is_that_of_the_decrypted_files(play):
    play.write(CONTENTS)
    for plugin, arguments, _files in TASKS.values():
        play.run(plugin, arguments)
    for content in (b"a word\\n", b"\0\1\2", LARGE, b"in the tree\n", b"a part\n", b"a: 1\n"):
        assert content in play.contents()


@pytest.mark.parametrize("name", ["text", "binary", "directory", "tree"])
def test_a_file_stays_encrypted_where_the_task_says_so(play, name):
    """Also without its password; manifests are needed here, so they are decrypted."""
    plugin, arguments, files = TASKS[name]
    play.write([path for path in files if not path.endswith(("manifest.yaml", "child.yaml", "data.yaml"))])
    play.loader.set_vault_secrets(None)
    play.run(plugin, {**arguments, "decrypt": False}, diff=True)
    assert b"$ANSIBLE_VAULT;1.1;AES256" in play.contents()
    assert play.diffs == [True]


def test_variables_next_to_a_manifest_are_decrypted_as_data(play):
    """The node reads this file itself; encrypted it has no assignments."""
    play.write([path for path in SITE if path.endswith("large")])
    for name in (".env", "sub/.env"):
        (play.folder / "files/site" / name).write_bytes(VaultLib(SECRETS).encrypt(b"TOK=" + name.encode()))
    play.run(apply, {"path": "site", "decrypt": False})
    assert b"TOK=.env" in play.contents()
    assert b"TOK=sub/.env" not in play.contents()


@pytest.mark.parametrize("name", TASKS)
def test_without_the_password_a_task_fails_with_the_message_of_ansible(play, name):
    plugin, arguments, _files = TASKS[name]
    play.write(CONTENTS)
    play.loader.set_vault_secrets(None)
    with pytest.raises(AnsibleError) as caught:
        play.run(plugin, arguments)
    assert str(caught.value).startswith("A vault password or secret must be specified to decrypt ")
    with pytest.raises(AnsibleLookupError, match=r"^hiera: A vault password or secret must be specified to decrypt "):
        play.lookup()
    assert play.sent == []


def test_with_a_wrong_password_the_file_is_named(play):
    play.write(["files/text"])
    play.loader.set_vault_secrets([("default", VaultSecret(b"wrong"))])
    with pytest.raises(AnsibleError, match=rf"^{play.folder}/files/text: Decryption failed"):
        play.run(file, {**FILE, "source": "text"})


@pytest.mark.parametrize("name", TASKS)
def test_no_decrypted_copy_stays_when_a_task_fails(play, name, monkeypatch):
    plugin, arguments, _files = TASKS[name]
    play.write(CONTENTS)

    def fails(*_given, **_named):
        raise AnsibleConnectionFailure("the connection is lost")

    for method in ("_execute_module", "_transfer_file"):
        monkeypatch.setattr(ActionBase, method, fails)
    with pytest.raises(AnsibleConnectionFailure, match="the connection is lost"):
        play.run(plugin, arguments)
    assert play.decrypted_copies() == []


@pytest.mark.parametrize("name", ["text", "template", "directory", "tree"])
def test_a_task_that_decrypted_a_file_shows_no_difference(play, name):
    plugin, arguments, _files = TASKS[name]
    play.write(CONTENTS)
    result = play.run(plugin, arguments, diff=True)
    assert play.diffs == [False]
    assert result["diff"] == {"prepared": "The difference is not shown: the task read a file of Ansible Vault.\n"}
    play.write(())
    assert "diff" not in play.run(plugin, arguments, diff=True)
    assert play.diffs[-1]


@pytest.mark.parametrize("name", ["manifest", "directory", "manifest in the play", "data"])
@pytest.mark.parametrize("encrypted", [False, True])
def test_an_error_shows_no_line_of_a_vaulted_file(play, name, encrypted):
    plugin, arguments, files = TASKS[name]
    play.write(())
    for path in files:
        if path.endswith(".yaml"):
            content = b"ccm:\n  k: a\n - hunter2\n"
            (play.folder / path).write_bytes(VaultLib(SECRETS).encrypt(content) if encrypted else content)
    said = ""
    for call in (lambda: play.run(plugin, arguments), play.lookup):
        try:
            result = call()
            said += result.get("msg", "") if isinstance(result, dict) else ""
        except AnsibleError as error:
            said += str(error)
    said += play.contents().decode("utf-8", "replace")
    assert ("hunter2" in said) is not encrypted


@pytest.mark.parametrize("task", ["data", "manifest", "directory"])
def test_a_result_with_values_of_a_vaulted_file_is_not_shown(play, task):
    plugin, arguments, _files = TASKS[task]
    play.write(CONTENTS)
    assert play.run(plugin, arguments)["_ansible_no_log"]
    play.write(())
    assert "_ansible_no_log" not in play.run(plugin, arguments)


@pytest.mark.parametrize("task", TASKS)
def test_why_a_task_with_a_vaulted_file_failed_is_hidden(play, task):
    """The output of `validate`, of health checks and of commands quotes files, and errors quote manifests."""
    plugin, arguments, _files = TASKS[task]
    play.answer = {
        "failed": True,
        "msg": "site/manifest.yaml:3:4: + hunter2",
        "exception": "hunter2",
        "warnings": ["output=hunter2"],
        "place": "site/manifest.yaml:3:4",
        "resources": [{"outcome": "failed", "position": "a.yaml:1:2"}, {"outcome": "ok", "position": "b.yaml:1:2"}],
    }
    play.write(CONTENTS)
    result = play.run(plugin, arguments)
    reason = "the reason is hidden because the task read a file of Ansible Vault"
    assert result["msg"].startswith(f"site/manifest.yaml:3:4, a.yaml:1:2: {reason}: register")
    assert result["_ansible_no_log"]
    assert "hunter2" not in str([result.get(key) for key in ("msg", "exception", "warnings", "deprecations")])
    assert result["reason"] == play.answer["msg"]
    assert result["hidden_warnings"] == play.answer["warnings"]
    play.write(())
    assert play.run(plugin, arguments)["msg"] == play.answer["msg"]


def test_why_a_vaulted_template_cannot_be_rendered_is_hidden(play):
    play.write(CONTENTS)
    (play.folder / "templates/page.j2").write_bytes(VaultLib(SECRETS).encrypt(b"{{ hunter2.x }}"))
    result = play.run(file, {**FILE, "template": "page.j2"})
    assert result["failed"]
    assert "hunter2" not in result["msg"]
    assert "hunter2" in result["reason"]


def test_a_name_that_the_loader_would_change_is_read_as_it_is(play, monkeypatch):
    """Ansible's loader replaces variables of the environment in paths."""
    monkeypatch.setenv("WORD", "other")
    play.write(())
    for name, content in (("$WORD", b"the right one\n"), ("other", b"another one\n")):
        (play.folder / "templates/tree" / name).write_bytes(VaultLib(SECRETS).encrypt(content))
    play.run(scaffold, {"name": "/srv/tree", "source": "tree"})
    assert play.contents().count(b"the right one\n") == play.contents().count(b"another one\n") == 1
    assert play.decrypted_copies() == []


@pytest.mark.parametrize("source", ["../text", "sub/../../text", "../files/sub/.././../text"])
def test_a_source_above_the_folder_of_sources_is_an_ordinary_one(play, source):
    play.write(())
    (play.folder / "text").write_bytes(b"above\n")
    (play.folder / "files/text").unlink()
    assert "diff" not in play.run(file, {**FILE, "source": source}, diff=True)
    assert b"above\\n" in play.contents()
    (play.folder / "text").write_bytes(VaultLib(SECRETS).encrypt(b"above\n"))
    play.loader.set_vault_secrets(None)
    with pytest.raises(AnsibleError, match=rf"must be specified to decrypt {play.folder}/text"):
        play.run(file, {**FILE, "source": source})


def test_a_data_file_that_cannot_be_read_is_named(play, monkeypatch):
    play.write(())
    monkeypatch.setattr(hiera.LookupModule, "find_file_in_search_path", lambda *_given, **_named: "/proc/self/mem")
    with pytest.raises(AnsibleLookupError, match=r"^hiera: cannot read /proc/self/mem: Input/output error$"):
        play.lookup()

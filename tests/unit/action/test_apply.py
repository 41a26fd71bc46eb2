# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Large files of a manifest's directory, which are sent only to nodes that do not have them."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import tarfile

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.playbook.play_context import PlayContext
from ansible.playbook.task import Task
from ansible.plugins.action import ActionBase
from ansible.plugins.loader import connection_loader
from ansible.template import Templar
from ccm.ansible_tasks.apply_options import CHECKSUMS, PACKED, STAGED_TREE
from ccm.manifest.transport import from_text

from plugins.action import apply
from plugins.plugin_utils.transfer import LARGEST_INSIDE

#: Random bytes, which gzip cannot make smaller than what a task's arguments may hold.
LARGE = os.urandom(LARGEST_INSIDE + 1)
MANIFEST = """
ccm:
  resources:
    - file: {name: /srv/large, ensure: present, source: large, owner: root, group: root, mode: "0600"}
"""


@pytest.fixture
def sent(tmp_path, monkeypatch):
    """`sent(there)`: run the manifest of a directory on a node whose /srv/large has the content `there`.

    Return the sources that are not sent, and the names in the tree that is.
    """
    (tmp_path / "site").mkdir()
    (tmp_path / "site/manifest.yaml").write_text(MANIFEST)
    (tmp_path / "site/large").write_bytes(LARGE)
    trees = {}

    def transferred(_action, path, remote):
        with open(path, "rb") as file:
            trees[remote] = file.read()

    monkeypatch.setattr(ActionBase, "_make_tmp_path", lambda action: setattr(action._connection._shell, "tmpdir", "/t"))
    monkeypatch.setattr(ActionBase, "_transfer_file", transferred)
    monkeypatch.setattr(ActionBase, "_fixup_perms2", lambda _action, _paths: None)

    def run(there):
        given = []

        def executed(_action, *, module_args, **_options):
            question = module_args["manifest"].get(CHECKSUMS)
            if question is None:
                given.append(module_args["manifest"])
                return {"changed": False}
            assert from_text(question) == {"paths": ["/srv/large"]}
            return {"checksums": {"/srv/large": hashlib.sha256(there).hexdigest() if there else ""}}

        monkeypatch.setattr(ActionBase, "_execute_module", executed)
        loader = DataLoader()
        loader.set_basedir(str(tmp_path))
        task = Task()
        task.action, task.args = "ccm.core.apply", {"path": "site"}
        connection = connection_loader.get("local", PlayContext(), os.devnull)
        apply.ActionModule(task, connection, PlayContext(), loader, Templar(loader), None).run(
            task_vars={"inventory_hostname": "node"}
        )
        (arguments,) = given
        payload = from_text(arguments[PACKED])
        tree = trees.get(arguments.get(STAGED_TREE)) or base64.b64decode(payload["tree"])
        with tarfile.open(fileobj=io.BytesIO(tree)) as archive:
            return payload["unchanged"], sorted(archive.getnames())

    return run


@pytest.mark.parametrize("there", [b"", b"another version"])
def test_a_node_without_the_content_gets_it(sent, there):
    assert sent(there) == ([], ["large", "manifest.yaml"])


def test_a_node_with_the_content_does_not_get_it_again(sent):
    assert sent(LARGE) == ([["large", "/srv/large", hashlib.sha256(LARGE).hexdigest()]], ["manifest.yaml"])

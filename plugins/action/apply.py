# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""ccm.core.apply on the controller: reads the manifest and sends it parsed, with its tree, in one task."""

from __future__ import annotations

import base64
import os

from ansible.errors import AnsibleActionFail

from ..module_utils.ansible_tasks.apply_options import APPLY_OPTIONS, APPLY_RULES, CHECKSUMS, PACKED, STAGED_TREE
from ..module_utils.ansible_tasks.inline_manifest import mend_inline_manifest
from ..module_utils.ansible_tasks.quoting import NotQuoted
from ..module_utils.ansible_tasks.result import plain
from ..module_utils.data.environment import ENVIRON_NAME
from ..module_utils.lint.commands import documents_warnings
from ..module_utils.manifest.source import MANIFEST_NAME
from ..module_utils.manifest.transport import pack, pack_value, to_text, unpack
from ..module_utils.redaction.texts import without_text_secrets
from ..plugin_utils.checked_action import CheckedAction
from ..plugin_utils.children import children_in, children_of, documents_that_run
from ..plugin_utils.collections import packed_collection
from ..plugin_utils.documents import parsed_file
from ..plugin_utils.node_results import mapping_in, mappings_in, text_in, with_warnings
from ..plugin_utils.sources import checksums, large_sources
from ..plugin_utils.transfer import LARGEST_INSIDE, found, require_path_of_node, staged_content
from ..plugin_utils.trees import packed_tree

#: What the addresses of manifests and of data in NATS begin with.
OBJECT = "obj://"
KEY = "kv://"


class ActionModule(CheckedAction):
    """Puts everything that the node needs into one argument, and a large tree into one file."""

    MODULE = "ccm.core.apply"
    OPTIONS = APPLY_OPTIONS
    RULES = APPLY_RULES
    SHOWS_VAULTED = True

    def passed(self, given, task_vars):
        """Return the paths on the node, and the manifest as one argument."""
        payload = {name: plain(given[name]) for name in ("data", "facts") if given[name] is not None}
        kept = ("path", "remote_src", "hiera", "fail_on_error", "parallel", "events", "state", "state_directory")
        kept += ("register", "context", "registration")
        passed = {name: given[name] for name in kept if given[name] is not None}
        for name in ("path", "hiera"):
            if given[name] is not None:
                payload[f"given_{name}"] = given[name]
                passed[name] = without_text_secrets(given[name])
        tree = None
        if given["register"] and self._task.async_val:
            raise AnsibleActionFail("register publishes what the task returns: remove async, or register")
        if given["remote_src"] and given["manifest"] is not None:
            raise AnsibleActionFail("remote_src is for path: a manifest in the play is never on the node")
        if given["remote_src"]:
            if given["path"].startswith(OBJECT):
                raise AnsibleActionFail("the controller fetches obj:// addresses: remove remote_src")
            require_path_of_node("path", given["path"])
        if given["manifest"] is not None:
            payload["document"] = _inline(given["manifest"])
            payload["children"] = children_of(self.files, payload["document"]["value"], self._found)
        elif not given["remote_src"]:
            payload["document"], tree = self._from_controller(given["path"], payload, task_vars, given)
        if given["hiera"] is not None and given["hiera"].startswith(KEY):
            from ..plugin_utils.nats_task import fetched_document

            payload["hiera"] = pack(fetched_document(given["hiera"], given["context"]))
        elif given["hiera"] is not None and not given["remote_src"]:
            payload["hiera"] = pack(parsed_file(self.files, found(self, "files", given["hiera"]), given["hiera"]))
        documents = documents_that_run(payload.get("document"), payload.get("children", {}))
        self._warnings = documents_warnings((document["name"], unpack(document)) for document in documents)
        types = [*(given["types"] or ()), *_engine_types(payload.get("document"))]
        if types:
            payload["collections"] = {name: packed_collection(name) for name in types}
        if self.files.decrypted:
            payload["vaulted"] = True
        passed["manifest"] = {PACKED: to_text(payload), **({STAGED_TREE: tree} if tree else {})}
        return passed

    def completed(self, given, result, task_vars):
        """Warn of commands that no shell runs, and publish the registrations of resources that are well.

        The task fails where one cannot be published.
        """
        result = with_warnings(result, self._warnings)
        if given["register"] and not self._task.check_mode:
            from ..plugin_utils.nats_task import published

            problem = published(mappings_in(result, "resources"), given["context"], given["registration"])
            if problem:
                reasons = [text_in(result, "msg")] if result.get("failed") else []
                result.update(failed=True, msg="; ".join([*reasons, problem]))
        return result

    def _from_controller(self, name, payload, task_vars, given):
        """Return the packed document of a manifest, and the path on the node of its tree when that was transferred.

        Unless `decrypt` is given, vaulted files that are no manifests and no `.env` stay encrypted.
        """
        if name.startswith(OBJECT):
            from ..plugin_utils.nats_task import fetched_object

            with fetched_object(name, given["context"]) as manifest:
                return self._from_path(manifest.directory, name, payload, task_vars, decrypt=given["decrypt"])
        return self._from_path(found(self, "files", name), name, payload, task_vars, decrypt=given["decrypt"])

    def _from_path(self, path, name, payload, task_vars, *, decrypt):
        """Return what `_from_controller` returns, of a manifest or a directory at a path."""
        if not os.path.isdir(path):
            document = pack(parsed_file(self.files, path, name))
            folder = os.path.dirname(path)
            payload["children"] = children_of(self.files, document["value"], lambda child: os.path.join(folder, child))
            return document, None
        manifest = os.path.join(path, MANIFEST_NAME)
        if not os.path.isfile(manifest):
            raise AnsibleActionFail(f"{name} is a directory without a {MANIFEST_NAME}")
        document = pack(parsed_file(self.files, manifest, os.path.join(name, MANIFEST_NAME)))
        # The node reads this file itself, as data.
        environ = os.path.join(path, ENVIRON_NAME)

        def opened(name):
            return self.files.opened(name, decrypt=decrypt or name == environ)

        try:
            payload["children"] = children_in(self.files, path, MANIFEST_NAME, decrypt=decrypt)
            tree = packed_tree(opened, path)
            if len(tree) > LARGEST_INSIDE:
                documents = {MANIFEST_NAME: document, **payload["children"]}
                unchanged = payload["unchanged"] = self._unchanged(opened, path, documents, task_vars)
                tree = packed_tree(opened, path, without={source for source, _file, _checksum in unchanged})
        except OSError as error:
            raise AnsibleActionFail(f"cannot read {error.filename or path}: {error.strerror}") from None
        if len(tree) <= LARGEST_INSIDE:
            payload["tree"] = base64.b64encode(tree).decode("ascii")
            return document, None
        return document, staged_content(self, tree, "tree.tar.gz")

    def _unchanged(self, opened, directory, documents, task_vars):
        """Return the large sources, with their files and checksums, that the node has already; asks it once."""
        pairs = [
            pair
            for name, document in documents.items()
            for pair in large_sources(document.get("value"), os.path.dirname(name))
        ]
        wanted = checksums(opened, directory, pairs)
        if not wanted:
            return []
        question = {CHECKSUMS: to_text({"paths": sorted({path for _source, path, _checksum in wanted})})}
        answer = self.run_module(self.MODULE, {"manifest": question}, task_vars)
        there = mapping_in(answer, "checksums")
        return [entry for entry in wanted if there.get(entry[1]) == entry[2]]

    def _found(self, name):
        """Return the path of a name in a manifest of the play, searched as `path` is.

        None when there is none.
        """
        try:
            return found(self, "files", name)
        except AnsibleActionFail:
            return None


def _engine_types(document):
    """Return the collections that a packed manifest names in `ccm.engine`; validation refuses other forms."""
    settings = document["value"] if document else None
    for key in ("ccm", "engine", "types"):
        settings = settings.get(key) if isinstance(settings, dict) else None
    return settings if isinstance(settings, list) else ()


def _inline(manifest):
    value = plain(manifest)
    try:
        mend_inline_manifest(value)
    except NotQuoted as error:
        raise AnsibleActionFail(f"manifest: {error}") from None
    return pack_value(value, "manifest")

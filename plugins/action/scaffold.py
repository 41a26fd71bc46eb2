# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""ccm.core.scaffold on the controller: finds the templates and sends them in one file."""

from __future__ import annotations

import functools
import os

from ansible.errors import AnsibleActionFail

from ..module_utils.ansible_tasks.argument_spec import STAGED_SOURCE
from ..module_utils.ansible_tasks.download_options import download_options
from ..module_utils.ansible_tasks.messages import message_of
from ..module_utils.ansible_tasks.quoting import check_commands
from ..module_utils.ansible_tasks.scaffold_task import check_post, scaffold_argument_spec
from ..module_utils.model.errors import InvalidResource, ResourceFailed
from ..module_utils.resources.download_properties import is_address
from ..module_utils.resources.scaffold.type import TYPE as SCAFFOLD
from ..plugin_utils.checked_action import CheckedAction
from ..plugin_utils.transfer import found, staged_content
from ..plugin_utils.trees import packed_templates


class ActionModule(CheckedAction):
    """Gives the module the tree of templates as one file; a source on the node, and an address, unchanged."""

    MODULE = "ccm.core.scaffold"
    TYPE = SCAFFOLD
    OPTIONS = scaffold_argument_spec(SCAFFOLD)

    def passed(self, given, task_vars):
        """Return the arguments of the task, with the source's path on the node."""
        try:
            check_commands("post", given["post"])
            check_post(given["post"])
            download_options(given)
        except InvalidResource as error:
            raise AnsibleActionFail(message_of(error, f"scaffold#{given['name']}")) from None
        passed = dict(self._task.args)
        if is_address(given["source"]):
            return passed
        if not given["remote_src"]:
            passed[STAGED_SOURCE] = self._sent(given["name"], given["source"], decrypt=given["decrypt"])
        elif not given["source"].startswith("/"):
            raise AnsibleActionFail(f"source must be an absolute path with remote_src: true, not {given['source']}")
        return passed

    def _sent(self, name, source, *, decrypt):
        """Return the path on the node of the packed tree; unless `decrypt`, vaulted files in it stay encrypted."""
        path = found(self, "templates", source)
        if not os.path.isdir(path):
            raise AnsibleActionFail(f"source is not a directory: {path}")
        try:
            tree = packed_templates(functools.partial(self.files.opened, decrypt=decrypt), path)
        except ResourceFailed as error:
            raise AnsibleActionFail(message_of(error, f"scaffold#{name}")) from None
        except OSError as error:
            raise AnsibleActionFail(f"cannot read {error.filename or path}: {error.strerror}") from None
        return staged_content(self, tree, "source.tar.gz")

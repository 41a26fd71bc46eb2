# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""ccm.core.scaffold on the controller: finds the templates and sends them in one file."""

from __future__ import annotations

import os
import tempfile

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

from ..module_utils.model.errors import InvalidResource, ResourceFailed
from ..module_utils.resources.scaffold.type import SCAFFOLD
from ..module_utils.task.scaffold_task import check_post, scaffold_argument_spec
from ..module_utils.task.staging import with_staged
from ..module_utils.task.words import explain
from ..plugin_utils.arguments import checked_arguments
from ..plugin_utils.transfer import found, staged
from ..plugin_utils.trees import packed_templates


class ActionModule(ActionBase):
    """Hands the module the tree of templates as one transferred file, and a source of the node as it is."""

    _supports_check_mode = True
    _supports_async = True
    _supports_diff = True

    def run(self, tmp=None, task_vars=None):
        """Run the task."""
        super().run(tmp, task_vars)
        given = checked_arguments(self, scaffold_argument_spec(SCAFFOLD))
        try:
            check_post(given["post"])
        except InvalidResource as error:
            raise AnsibleActionFail(explain(error, f"scaffold#{given['name']}")) from None
        passed = dict(self._task.args)
        if not given["remote_src"]:
            passed["source"] = with_staged(given["source"], self._sent(given["name"], given["source"]))
        elif not given["source"].startswith("/"):
            raise AnsibleActionFail(f"source must be an absolute path with remote_src: true, not {given['source']}")
        return self._execute_module(
            module_name="ccm.core.scaffold", module_args=passed, task_vars=task_vars, wrap_async=self._task.async_val
        )

    def _sent(self, name, source):
        """The path on the node of the packed tree."""
        path = found(self, "templates", source)
        if not os.path.isdir(path):
            raise AnsibleActionFail(f"source is not a directory: {path}")
        try:
            tree = packed_templates(path)
        except ResourceFailed as error:
            raise AnsibleActionFail(explain(error, f"scaffold#{name}")) from None
        except OSError as error:
            raise AnsibleActionFail(f"cannot read {error.filename or path}: {error.strerror}") from None
        with tempfile.NamedTemporaryFile(prefix="ccm-scaffold-") as file:
            file.write(tree)
            file.flush()
            return staged(self, file.name, "source.tar.gz")

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""ccm.core.file on the controller: finds sources, renders templates."""

from __future__ import annotations

import os

from ansible import template as ansible_template
from ansible.errors import AnsibleActionFail, AnsibleError
from ansible.utils.hashing import checksum

from ..module_utils.ansible_tasks.argument_spec import STAGED_SOURCE
from ..module_utils.ansible_tasks.file_task import file_argument_spec
from ..module_utils.model.errors import InvalidResource
from ..module_utils.resources.file.type import TYPE as FILE
from ..plugin_utils.checked_action import CheckedAction
from ..plugin_utils.option_names import refuse_kept_file
from ..plugin_utils.transfer import LARGEST_INSIDE, found, staged

#: The rules over several options; the module never gets a template.
FILE_RULES = {"mutually_exclusive": [("content", "source", "template")]}


class ActionModule(CheckedAction):
    """Gives the module the content on the controller: text in the arguments, the rest as a transferred file."""

    MODULE = "ccm.core.file"
    TYPE = FILE
    OPTIONS = file_argument_spec(FILE)
    RULES = FILE_RULES

    def passed(self, given, task_vars):
        """Return the arguments of the task, with the content of files on the controller in place of their names."""
        try:
            refuse_kept_file(self._task.args, given)
        except InvalidResource as error:
            raise AnsibleActionFail(f"{self._resource(given)}{error}") from None
        passed = {name: value for name, value in self._task.args.items() if name != "template"}
        if given["template"] is not None:
            passed["content"] = self._rendered(given["template"], given["name"], task_vars)
            if self.files.decrypted:
                # Events show the name of a source and not its content.
                passed["source"] = given["template"]
        elif given["source"] and given["recurse"] and not given["remote_src"]:
            raise AnsibleActionFail(
                f"source of a directory must be on the node, with remote_src: true: {given['source']}"
            )
        elif given["source"] and given["remote_src"] and not given["source"].startswith("/"):
            raise AnsibleActionFail(f"source must be an absolute path with remote_src: true, not {given['source']}")
        elif given["source"] and not given["remote_src"] and given["ensure"] == "present":
            passed.update(self._looked_up(given["source"], given["name"], task_vars, decrypt=given["decrypt"]))
        return passed

    def _looked_up(self, source, name, task_vars, *, decrypt):
        path = found(self, "files", source)
        if not os.path.isfile(path):
            raise AnsibleActionFail(f"source is not a file: {path}")
        try:
            with self.files.opened(path, decrypt=decrypt) as file:
                return self._content_in(file, name, task_vars)
        except OSError as error:
            raise AnsibleActionFail(f"cannot read source {path}: {error.strerror}") from None

    def _content_in(self, file, name, task_vars):
        """Return the options with the content of an open file: its text, or the path on the node of what was sent."""
        if os.fstat(file.fileno()).st_size > LARGEST_INSIDE:
            if self._is_there(file.name, name, task_vars):
                # The node has this content in the managed file already: that is the source then.
                return {STAGED_SOURCE: name}
            return {STAGED_SOURCE: staged(self, file.name, "source")}
        try:
            text = file.read().decode("utf-8")
        except UnicodeDecodeError:
            text = "\0"
        return {STAGED_SOURCE: staged(self, file.name, "source")} if "\0" in text else {"content": text}

    def _is_there(self, path, name, task_vars):
        """Return whether the node has a large file already, so that it need not be sent."""
        try:
            there = self._execute_remote_stat(name, all_vars=task_vars, follow=True)
            return there["exists"] is True and there["checksum"] == checksum(path)
        except (AnsibleError, AttributeError, LookupError, TypeError):
            # The node does not say, or its answer has not the form of one.
            return False

    def _rendered(self, template, name, task_vars):
        path = found(self, "templates", template)
        if not os.path.isfile(path):
            raise AnsibleActionFail(f"template is not a file: {path}")
        try:
            text = self.files.template(path)
        except OSError as error:
            raise AnsibleActionFail(f"cannot read template {path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise AnsibleActionFail(f"cannot read template {path}: it is not UTF-8") from None
        folders = [*task_vars.get("ansible_search_path", []), self._loader.get_basedir(), os.path.dirname(path)]
        variables = {**task_vars, **ansible_template.generate_ansible_template_vars(template, path, name)}
        if "ansible_managed" in task_vars:
            variables["ansible_managed"] = task_vars["ansible_managed"]
        templar = self._templar.copy_with_new_env(
            searchpath=[part for folder in folders for part in (os.path.join(folder, "templates"), folder)],
            available_variables=variables,
        )
        rendered = templar.template(ansible_template.trust_as_template(text), escape_backslashes=False)
        if isinstance(rendered, str):
            return rendered
        # A template that is one expression gives a value of any type: convert it to text, restore the line feeds.
        return ("" if rendered is None else str(rendered)) + text[len(text.rstrip("\n")) :]

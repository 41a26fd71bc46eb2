# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The common part of the action plugins: checks a task's arguments, then runs its module. PRIVATE to the collection."""

from __future__ import annotations

from ansible.errors import AnsibleActionFail, AnsibleConnectionFailure, AnsibleError
from ansible.playbook.handler import Handler
from ansible.plugins.action import ActionBase

from ..module_utils.ansible_tasks.apply_options import RESOURCE
from ..module_utils.ansible_tasks.argument_spec import (
    HIDDEN,
    REFRESH,
    STAGED_SOURCE,
    module_properties,
    refresh_options,
)
from ..module_utils.ansible_tasks.quoting import check_booleans, check_quoted
from ..module_utils.ansible_tasks.result import plain
from ..module_utils.manifest.transport import to_text
from ..module_utils.model.errors import InvalidResource
from ..module_utils.redaction.texts import without_text_secrets
from .controller_files import ControllerFiles
from .health_checks import refuse_wrong_checks
from .no_log import NO_LOG, VAULTED, without_reason
from .node_results import clean, text_in, warn_once
from .option_names import (
    by_option_names,
    refuse_builtin_state,
    refuse_foreign_options,
    refuse_free_form,
    refuse_missing_name,
    refuse_versions_in_names,
)
from .package import run_with_package
from .required_ansible import require_ansible
from .secret_options import without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from ..module_utils.model.resource import ResourceType

_APPLY = "ccm.core.apply"
_NOT_SHOWN = "The difference is not shown: the task read a file of Ansible Vault.\n"


class CheckedAction(ActionBase):
    """An action declares the name of its module, its options, and the module's arguments.

    `TYPE` is the type of the resource that the options declare. `OPTIONS` is an argument_spec, `RULES` are
    AnsibleModule's rules over several options (`mutually_exclusive` ...).
    """

    MODULE: ClassVar[str | None]
    TYPE: ClassVar[ResourceType | None] = None
    OPTIONS: ClassVar[dict[str, Any]]
    RULES: ClassVar[dict[str, Any]] = {}
    #: Whether results have values of a vaulted file: Ansible hides them, and `register` has them.
    SHOWS_VAULTED: ClassVar[bool] = False

    _supports_check_mode = True
    _supports_async = True
    _supports_diff = True
    #: A value without the name of an option is refused here, with the option to write.
    supports_raw_params = True

    def run(self, tmp=None, task_vars=None):
        """Run the task. Raises AnsibleError for wrong arguments, before anything is sent.

        With `no_log: true`, and when a vaulted file was decrypted, it returns a failure in place of most errors, as
        Ansible shows their messages (Q100).
        """
        require_ansible()
        super().run(tmp, task_vars)
        self.files = ControllerFiles(self._loader)
        try:
            result = self._run(task_vars)
        except AnsibleConnectionFailure:
            raise
        except AnsibleError as error:
            if not self._task.no_log and not self.files.decrypted:
                raise
            result = {"failed": True, "changed": False, "msg": str(error), "place": getattr(error, "place", "")}
        if self.files.decrypted and (self.SHOWS_VAULTED or result.get("failed") or result.get("health_checks")):
            result["_ansible_no_log"] = True
        if self._task.no_log or self.files.decrypted:
            return without_reason(result, NO_LOG if self._task.no_log else VAULTED)
        return result

    def _run(self, task_vars):
        """Run the task; its result."""
        given = self._checked_arguments()
        passed = self.passed(given, task_vars)
        module = self.MODULE
        if self.TYPE is not None:
            passed = {**self._converted(passed, given), **self._refreshed(given)}
            module, passed = self.sent(given, passed)
        self._refuse_nul(passed)
        diff = self._task.diff
        # What a vaulted file holds is in no difference; Q100.
        self._task.diff = diff and not self.files.decrypted
        result = self.run_module(module, passed, task_vars, wrap_async=self._task.async_val)
        if diff and self.files.decrypted and result.get("changed"):
            result["diff"] = {"prepared": _NOT_SHOWN}
        return self.completed(given, result, task_vars)

    def completed(self, given, result, task_vars):
        """Return the result of the task for what its module returned: that, unless an action does more afterwards.

        `given` are the task's arguments, converted.
        """
        return result

    def run_module(self, module, arguments, task_vars, *, wrap_async=0):
        """Run a module on the node, with the code that it does not import itself; its result.

        Raises AnsibleActionFail where Python is too old to read a module.
        """

        def execute(arguments):
            try:
                return self._execute_module(
                    module_name=module, module_args=arguments, task_vars=task_vars, wrap_async=wrap_async
                )
            except (AttributeError, LookupError, TypeError) as error:
                raise AnsibleActionFail("the node returned a result that Ansible cannot read") from error

        if module == _APPLY:
            result = run_with_package(execute, arguments, None if wrap_async else self._node(task_vars))
        else:
            result = execute(arguments)
        clean(result, self._discovered_interpreter_key)
        warn_once(result, self._node(task_vars), getattr(self._task.play, "_uuid", ""))
        if result.get("_ansible_parsed") is False and "SyntaxError" in text_in(result, "module_stderr"):
            python = (self._used_interpreter or "").lstrip("#!")
            raise AnsibleActionFail(
                f"{python} on the node is older than Python 3.8, which ccm.core needs there: "
                "name a newer one in ansible_python_interpreter"
            )
        return result

    def _node(self, task_vars):
        """Return the name of the node in the inventory."""
        return self._task.delegate_to or task_vars["inventory_hostname"]

    def passed(self, given, task_vars):
        """Return the arguments for the module: the arguments of the task, unless an action overrides this.

        `given` are the task's arguments, converted. Raises AnsibleActionFail for errors that the options cannot
        express.
        """
        return self._task.args

    def sent(self, given, passed):
        """Return the module for a resource, and its arguments without what Ansible may not log.

        `given` are the task's arguments, converted, `passed` the arguments of the module.
        """
        if any(check.get("goss_rules") for check in given["health_checks"] or ()):
            return _APPLY, single_resource(self.TYPE, {**given, **passed}, self.unlogged())
        return self.MODULE, without_secrets(self.TYPE, passed, self.unlogged())

    def unlogged(self):
        """Return what the module gets beside its options, by name, and Ansible may not log."""
        return {}

    def _refreshed(self, given):
        """Return the option `refresh` of a handler that does not give it itself: a handler is refreshed (Q102)."""
        is_open = REFRESH in self.OPTIONS and given[REFRESH] is None
        return {REFRESH: True} if is_open and isinstance(self._task, Handler) else {}

    def _converted(self, passed, given):
        """Return the arguments of the module, with the task's own converted."""
        converted = {}
        for name, value in passed.items():
            is_own = name in given and value is self._task.args.get(name)
            converted[name] = given[name] if is_own else value
        return converted

    def _refuse_nul(self, passed):
        """Raise AnsibleActionFail for an option that Ansible cannot log on the node: text with a NUL."""
        for option, value in passed.items():
            if isinstance(value, str) and "\0" in value:
                reason = f"{option} holds a NUL, which no {option} can hold: remove it ({_escaped(value)})"
                raise AnsibleActionFail(f"{self._resource(passed)}{reason}")

    def _resource(self, options):
        """Return the resource that options declare, in the form that begins an error: `file#/etc/motd: `, or ""."""
        name = options.get("name")
        kind = self._task.action.rpartition(".")[2]
        return f"{kind}#{_escaped(without_text_secrets(name))}: " if isinstance(name, str) and name else ""

    def _checked_arguments(self):
        """Return the task's arguments, converted.

        Raises AnsibleActionFail, also for text that YAML read as another kind, which no module could detect.
        """
        given = self._task.args
        try:
            given = self._task.args = by_option_names(self.OPTIONS, given)
            refuse_free_form(self.OPTIONS, given)
            refuse_builtin_state(self.OPTIONS, given)
            refuse_foreign_options(self.OPTIONS, given)
            refuse_missing_name(self.OPTIONS, given)
            refuse_versions_in_names(self.OPTIONS, given)
            check_quoted(self.OPTIONS, given)
            if self.TYPE is not None:
                check_booleans([*module_properties(self.TYPE), *refresh_options(self.TYPE)], given)
        except InvalidResource as error:
            raise AnsibleActionFail(f"{self._resource(given)}{error}") from None
        try:
            converted = self.validate_argument_spec(self.OPTIONS, **self.RULES)[1]
            refuse_wrong_checks(converted.get("health_checks"))
            return converted
        except AnsibleActionFail as error:
            message = without_text_secrets(str(error).replace(self._load_name, self._task.action))
            raise AnsibleActionFail(message) from None
        except InvalidResource as error:
            raise AnsibleActionFail(f"{self._resource(given)}{without_text_secrets(str(error))}") from None


def single_resource(type, options, unlogged):
    """Return the arguments of the module apply for a task of one resource, with all its converted options.

    `unlogged` is what the module gets beside them.
    """
    complete = {HIDDEN: None, STAGED_SOURCE: None, **without_secrets(type, options, unlogged)}
    return {"manifest": {RESOURCE: to_text({"type": type.name, "options": plain(complete)})}}


def _escaped(text):
    return text.replace("\0", "\\x00")

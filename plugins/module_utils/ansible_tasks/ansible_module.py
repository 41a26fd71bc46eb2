# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The interface of Ansible for tasks, as this package imports nothing of it; only mypy reads this file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, NoReturn, Protocol

    #: The values of options by name; the argument_spec declares the type of each.
    Options = Dict[str, Any]
    #: The declarations of options for Ansible, by their names.
    ArgumentSpec = Dict[str, Dict[str, Any]]
    #: What a task returns.
    TaskResult = Dict[str, Any]

    class AnsibleModule(Protocol):
        """A module's arguments, converted and checked by its argument_spec, with exit_json and fail_json."""

        params: Options
        no_log_values: set[str]
        check_mode: bool
        _diff: bool

        def warn(self, warning: str) -> None: ...

        def exit_json(self, **result: Any) -> NoReturn: ...

        def fail_json(self, **result: Any) -> NoReturn: ...

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The task that resolves hierarchical data with the facts of the node."""

from __future__ import annotations

from ..data.factfiles import gather
from ..data.hierarchy import resolve_document, validate_data
from ..data.sources import load_data
from ..manifest.transport import from_text, unpack
from .argument_spec import given_options
from .info_task import run_info

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..data.hierarchy import Resolved
    from .ansible_module import AnsibleModule, ArgumentSpec, TaskResult
    from .result import TaskLog

HIERA_OPTIONS: ArgumentSpec = {
    "path": {"type": "str", "required": True},
    "remote_src": {"type": "bool", "default": False},
    "facts": {"type": "dict"},
}
#: The option by which the action plugin, and no task, passes the parsed file of the controller.
DOCUMENT = "_document"
DOCUMENT_OPTION: ArgumentSpec = {DOCUMENT: {"type": "str", "no_log": True}}


def run_hiera_info(module: AnsibleModule) -> None:
    """Return the data of a file, resolved for the node; ends in exit_json or fail_json of `module`."""
    run_info(module, lambda log, of_facts: _result(module, log, of_facts))


def _result(module: AnsibleModule, log: TaskLog, of_facts: TaskLog) -> TaskResult:
    return {"data": _resolved(module, log, of_facts).data}


def _resolved(module: AnsibleModule, log: TaskLog, of_facts: TaskLog) -> Resolved:
    given = given_options(module)
    facts, packed = gather(given["facts"], log=of_facts), given[DOCUMENT]
    if not packed:
        return load_data(given["path"], facts, log=log)
    resolved = resolve_document(unpack(from_text(packed)), facts, log=log)
    validate_data(resolved.data, resolved.rules)
    return resolved

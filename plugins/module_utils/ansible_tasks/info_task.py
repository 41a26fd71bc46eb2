# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tasks that only read: facts of the node, the state of a resource, data resolved with the node's facts."""

from __future__ import annotations

from ..host.errors import HostError
from ..model.errors import CCMError
from .argument_spec import UNUSABLE_INPUT
from .fact_warnings import FactsLog
from .messages import message_of
from .result import TaskLog, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from .ansible_module import AnsibleModule, TaskResult


def run_info(module: AnsibleModule, read: Callable[[TaskLog, TaskLog], TaskResult]) -> None:
    """Return what `read` returns as the result; ends in exit_json or fail_json of `module`.

    It is called with the log of the task, and the log for reading facts.
    """
    log, of_facts, failure = TaskLog(), FactsLog(), ""
    try:
        result = plain(read(log, of_facts))
    except (CCMError, HostError, *UNUSABLE_INPUT) as error:
        failure = message_of(error)
    for warning in log.warnings:
        module.warn(plain(warning))
    if failure:
        module.fail_json(msg=plain(failure), changed=False, **of_facts.part_of_result())
    module.exit_json(changed=False, **result, **of_facts.part_of_result())

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The task that returns the facts of the node."""

from __future__ import annotations

from ..data.factfiles import gather
from .argument_spec import given_options
from .info_task import run_info

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ansible_module import AnsibleModule, ArgumentSpec

FACTS_OPTIONS: ArgumentSpec = {"facts": {"type": "dict"}}


def run_facts_info(module: AnsibleModule) -> None:
    """Return the facts of the node; ends in exit_json or fail_json of `module`."""
    run_info(module, lambda _log, of_facts: {"facts": gather(given_options(module)["facts"], log=of_facts)})

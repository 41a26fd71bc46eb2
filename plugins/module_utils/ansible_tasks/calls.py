# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of types of other packages that go on when a task ends."""

from __future__ import annotations

from ..host.given_up import calls_that_go_on
from ..lang.controls import escaped
from ..redaction.texts import without_text_secrets
from .result import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ansible_module import AnsibleModule


def warn_of_calls(module: AnsibleModule) -> None:
    """Warn of the calls that were given up, and that end with the process of the task."""
    for call in calls_that_go_on():
        module.warn(plain(escaped(without_text_secrets(f"the process ends while this still runs: {call}"))))

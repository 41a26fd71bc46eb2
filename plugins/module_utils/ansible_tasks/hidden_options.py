# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Options that Ansible may neither log nor return, in one that is no_log: its text is nowhere else in a result."""

from __future__ import annotations

import json
from binascii import a2b_base64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The option by which an action plugin, and no task, hands over the values of options that are secret.
HIDDEN = "_hidden"
HIDDEN_OPTION: dict[str, dict[str, Any]] = {HIDDEN: {"type": "str", "no_log": True}}


def given_options(module: Any) -> dict[str, Any]:
    """The options that the task gave a module, by name; `module.params` is what Ansible shows of them."""
    given: dict[str, Any] = module.params
    packed = given.get(HIDDEN)
    if not packed:
        return given
    return {**given, **json.loads(a2b_base64(packed))}

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a command left behind, as a state."""

from __future__ import annotations

import os

from ...model.state import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.commands import Result
    from ...model.resource import Properties

_LAST_LINES = 3


def exec_state(properties: Properties) -> State:
    """The state of an exec that has not run: only whether what it creates is there."""
    creates = bool(properties.creates) and os.path.exists(properties.creates)
    state = State("exec", properties.name, "present", known={"creates_satisfied": creates})
    if creates:
        state.details["creates_satisfied"] = True
    return state


def state_after_run(properties: Properties, result: Result) -> State:
    """The state of an exec that ran: its exit code, and the last words it had for people."""
    from ...host.commands import decode

    state = exec_state(properties)
    state.details = {"exitcode": result.exit_code, **state.details}
    lines = decode(result.stderr).strip().splitlines()[-_LAST_LINES:]
    state.known["last_words"] = ": " + " / ".join(lines) if lines else ""
    return state

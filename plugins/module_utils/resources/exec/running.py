# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a command that ran left behind."""

from __future__ import annotations

from ...host.results import decode, in_one_line
from .posix import exec_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.results import Result
    from ...model.log import Log
    from .type import ExecProperties, ExecState

_LAST_LINES = 3


def state_after_run(properties: ExecProperties, result: Result | None, log: Log) -> ExecState:
    """The state of an exec that ran: its exit code, and the last words it had for people."""
    state = exec_state(properties, log)
    if result is None:
        return state
    state.result = result
    state.details = {"exitcode": result.exit_code, **state.details}
    lines = decode(result.stderr).strip().splitlines()[-_LAST_LINES:]
    state.last_words = ": " + in_one_line(lines) if lines else ""
    return state


def failure(state: ExecState, properties: ExecProperties) -> str:
    """Why the command did not do what was asked for; empty when it did."""
    exit_code = state.details.get("exitcode")
    if state.creates_satisfied:
        return ""
    allowed = properties.returns or [0]
    if exit_code in allowed:
        return ""
    reason = f"exit code {exit_code} not in allowed returns [{' '.join(map(str, allowed))}]"
    return f"exit code {exit_code}: {reason}" + state.last_words

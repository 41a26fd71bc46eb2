# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What providers, health checks and the engine all know of a run."""

from __future__ import annotations

from ..host.machine import Machine
from .log import Log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .environment import ExpressionEnvironment


class RunContext:
    """The part of a run that does not depend on a resource.

    `machine` is the host as the run knows it; relative names are resolved against `directory`; `log` is the program's
    log, `user_log` the log for users, `environment` the environment of expressions and templates, None for none.
    """

    def __init__(
        self,
        *,
        machine: Machine | None = None,
        directory: str = "",
        log: Log | None = None,
        user_log: Log | None = None,
        environment: ExpressionEnvironment | None = None,
    ) -> None:
        self.directory = directory
        self.log = log or Log()
        self.user_log = user_log or Log()
        self.machine = machine or Machine(self.user_log.before_waiting)
        self.environment = environment

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks that answer like a Nagios plugin: the exit code is the status, the output is for users."""

from __future__ import annotations

from ..host.command_errors import CommandTimedOut
from ..host.results import decode
from ..lang.durations import parse
from ..lang.shellwords import ShellWordsError, split
from ..lang.spans import format_go
from ..model.errors import ResourceFailed
from ..model.health_check import NAGIOS, OK, STATUS_WORDS, UNKNOWN, CheckResult, title_of
from ..redaction.texts import without_text_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..host.machine import Machine
    from ..model.provider import RunContext
    from ..model.resource import Resource
    from ..model.values import HealthCheck

_SECOND = 1_000_000_000
_LONGEST_REASON = 300
_LONGEST_SAID = 200


def run_nagios_check(check: HealthCheck, resource: Resource, context: RunContext) -> CheckResult:
    """Run a check until it is OK or its tries are used up; return status, tries and output.

    Raises ResourceFailed for a command that does not parse or exceeds its timeout, and for a check without a command
    (modules of tasks that were sent without the code for rules); HostError for a command that cannot run.
    """
    if not check["command"]:
        raise ResourceFailed("goss_rules are not available in this module: use ccm.core.apply, or a command")
    try:
        argv = split(check["command"])
    except ShellWordsError as error:
        raise ResourceFailed(str(error), property="health_checks.command") from None
    timeout = parse(check["timeout"]) if check["timeout"] else None
    pause = parse(check["try_sleep"]) if check["try_sleep"] else _SECOND
    tries = max(check["tries"], 1)
    for attempt in range(1, tries + 1):
        result, said = _attempt(context.machine, argv, timeout, attempt, title_of(check))
        if result.status == OK:
            break
        context.user_log.warn(
            "Health check failed",
            type=resource.type.name,
            name=resource.shown_name,
            format=NAGIOS,
            check=without_text_secrets(check["name"]),
            **{"try": attempt},
            sleep=format_go(pause),
            status=STATUS_WORDS[result.status],
            **({"output": said} if said and attempt == tries else {}),
        )
        if attempt < tries:
            context.machine.pause(pause / _SECOND)
    return result


def _attempt(
    machine: Machine, argv: list[str], timeout: int | None, attempt: int, title: str
) -> tuple[CheckResult, str]:
    """Return the result of one try, and the beginning of the first line that a failed command printed."""
    try:
        done = machine.run(argv, timeout=timeout)
    except CommandTimedOut:
        raise ResourceFailed(f"signal: killed after {format_go(timeout or 0)}") from None
    status = done.exit_code if 0 <= done.exit_code <= UNKNOWN else UNKNOWN
    output = without_text_secrets(decode(done.stdout).strip())
    if status == OK:
        return CheckResult(status, attempt, output), ""
    from ..redaction.lines import beginning

    printed = decode(done.stdout).strip() or decode(done.stderr).strip()
    first = printed.partition("\n")[0].rstrip("\r")
    reason = beginning(first, _LONGEST_REASON) or f"exit status {done.exit_code}"
    result = CheckResult(status, attempt, output, (f"health check {title}: {reason}",))
    return result, beginning(first, _LONGEST_SAID)

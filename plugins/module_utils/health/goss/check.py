# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of goss rules: tried until all tests pass or the tries are used up (behaviour.md 13)."""

from __future__ import annotations

import time

from ...lang.durations import parse
from ...model.errors import ResourceFailed
from ...model.health_check import CRITICAL, GOSS, OK, CheckResult
from ...model.log import BoundLog
from .kind import Snapshot
from .resolving import resolved_mapping
from .rule import FAILED
from .spec import flattened, rules_of, unknown_kinds
from .values import RuleError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.log import Log
    from ...model.provider import RunContext
    from ...model.resource import Resource
    from ...model.values import Data, HealthCheck
    from .rule import Test

_SECOND = 1_000_000_000


def run_goss_check(check: HealthCheck, resource: Resource, context: RunContext) -> CheckResult:
    """Run the rules of a check; the output is goss's summary.

    Raises ResourceFailed for wrong rules, TemplateError for wrong expressions in them.
    """
    spec = check["goss_rules"] or {}
    if context.environment is not None:
        spec = resolved_mapping(spec, context.environment)
    log = BoundLog(context.user_log, type=resource.type.name, name=resource.shown_name, format=GOSS)
    pause = parse(check["try_sleep"]) if check["try_sleep"] else _SECOND
    for name in unknown_kinds(spec):
        log.warn("Rules of an unknown kind are ignored", kind=name)
    tries = max(check["tries"], 1)
    for attempt in range(1, tries + 1):
        context.log.info("Executing goss check", resource=resource.reference, **{"try": attempt})
        start = time.monotonic()
        tests = _tests(spec, context)
        failed = [test.line for test in tests if test.outcome == FAILED]
        summary = f"Count: {len(tests)}, Failed: {len(failed)}, Duration: {time.monotonic() - start:.3f}s"
        _log(tests, len(failed), summary, log)
        if not failed:
            return CheckResult(OK, attempt, summary)
        if attempt < tries:
            context.machine.pause(pause / _SECOND)
    return CheckResult(CRITICAL, tries, summary, tuple(failed))


def _tests(spec: Data, context: RunContext) -> list[Test]:
    snapshot = Snapshot(context.machine)
    tests: list[Test] = []
    try:
        for kind, rule in rules_of(flattened(spec, context.directory, context.environment)):
            kind.examine(rule, snapshot)
            tests += rule.tests
    except RuleError as error:
        raise ResourceFailed(str(error), property="health_checks.goss_rules") from None
    return tests


def _log(tests: list[Test], failed: int, summary: str, log: Log) -> None:
    for test in tests:
        (log.error if test.outcome == FAILED else log.debug)(test.line)
    if failed:
        log.error("Health check failed", failed=failed, msg=summary)
    else:
        log.debug("Health check passed", result=summary, msg=summary)

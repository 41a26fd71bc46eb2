# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The rules of a health check's declaration (behaviour.md 13)."""

from __future__ import annotations

from ..lang.durations import DurationError, parse
from ..redaction.texts import without_text_secrets
from .errors import InvalidResource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from .provider import RunContext
    from .resource import Resource
    from .values import Data, HealthCheck

    RunCheck = Callable[[HealthCheck, Resource, RunContext], "CheckResult"]

STATUS_WORDS = ("OK", "WARNING", "CRITICAL", "UNKNOWN")
OK, CRITICAL, UNKNOWN = 0, 2, 3
NAGIOS = "nagios"
GOSS = "goss"
# The last part of no path, as Go names it.
_NAMELESS = "."


class CheckResult:
    """What a health check found: `status` from OK to UNKNOWN, after how many `tries`, its `output`.

    `failures` has what failed in it, one line for each.
    """

    def __init__(self, status: int, tries: int, output: str, failures: tuple[str, ...] = ()) -> None:
        self.status = status
        self.tries = tries
        self.output = output
        self.failures = failures

    def as_dict(self) -> Data:
        """Return the result as events show it."""
        return {"status": self.status, "tries": self.tries, "Output": self.output}


def check_health_check(values: HealthCheck) -> None:
    """Check one decoded health check and fill in its format and name. Raises InvalidResource."""
    values["command"] = values["command"].strip()
    _check_duration(values["timeout"], "timeout", "timeout")
    _check_duration(values["try_sleep"], "try_sleep", "try sleep")
    values["format"] = _format(values["command"], values["goss_rules"], values["format"])
    values["name"] = name_of(values["name"], values["command"])


def _check_duration(text: str, field: str, words: str) -> None:
    if not text:
        return
    try:
        parse(text)
    except DurationError as error:
        raise InvalidResource(
            f'invalid {words} duration "{text}": {error}',
            property=field,
            value=text,
            advice="write a duration like 10s or 1m30s",
        ) from None


def _format(command: str, goss_rules: Data | None, format: str) -> str:
    if command and goss_rules is not None:
        raise InvalidResource(
            "'command' or 'goss_rules' are mutually exclusive",
            property="command",
            advice="make two checks of them, or leave one out",
        )
    if not command and not goss_rules:
        raise InvalidResource("'format' flag is required", property="format", advice="give a command or goss_rules")
    wanted = NAGIOS if command else GOSS
    if format and format != wanted:
        given = "command" if command else "goss_check"
        raise InvalidResource(f"'format' must be '{wanted}' when using '{given}'", property="format", value=format)
    return wanted


def name_of(name: str, command: str) -> str:
    """Return the name of a check: the given one, else the last part of its command."""
    if name:
        return name
    command = without_text_secrets(command)
    return (command.rstrip("/").rpartition("/")[2] or "/") if command else _NAMELESS


def title_of(check: HealthCheck) -> str:
    """Return the name of a check for users; rules without one are called by their property."""
    name = name_of(check["name"], check["command"])
    return "goss_rules" if name == _NAMELESS else name

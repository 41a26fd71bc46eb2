# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The rules of a registration entry (behaviour.md 18; decisions.md Q12, Q13)."""

from __future__ import annotations

import ipaddress
import re

from ..lang.durations import DurationError, parse
from ..lang.spans import format_go
from .errors import InvalidResource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from .values import Registration, Value

_PREFIX = "registration is invalid: "
_NAME = re.compile(r"[a-zA-Z][a-zA-Z\d_-]*\Z", re.ASCII)
_HOST_LABEL = re.compile(r"[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\Z", re.ASCII)
_KINDS = {str: "string", float: "float64", bool: "bool", list: "[]interface {}"}
NEVER = "never"


def check_registration(values: Registration) -> None:
    """Check the rules of a registration entry that hold before its templates are resolved. Raises InvalidResource."""
    ttl = values["ttl"]
    if ttl is None or ttl == NEVER:
        return
    try:
        values["ttl"] = format_go(parse(ttl))
    except DurationError as error:
        raise InvalidResource(
            f'invalid TTL duration "{ttl}": {error}', property="ttl", value=ttl, advice="write a duration, or never"
        ) from None


def validate_registrations(entries: Sequence[Registration]) -> None:
    """Check the entries of a resource. Raises InvalidResource with its path."""
    for at, entry in enumerate(entries):
        try:
            validate_registration(entry)
        except InvalidResource as error:
            name, field = error.property.split(".")
            error.path = (name, at, field)
            raise


def validate_registration(values: Registration, prefix: str = "invalid resource: ") -> None:
    """Check a registration entry whose templates are resolved. Raises InvalidResource, its text after `prefix`."""
    try:
        _check_name("cluster", values["cluster"])
        _check_name("protocol", values["protocol"])
        _check_name("service", values["service"])
        _check_address(values["address"])
        if values["port"] is not None:
            check_port_kind(values["port"])
            _check_range("port", values["port"], 65535)
        _check_range("priority", values["priority"], 255)
    except InvalidResource as error:
        raise error.prefixed(prefix) from None


def check_port_kind(value: Value, written: Value = None) -> None:
    """Check that a port is an integer; `written` is its expression. Raises InvalidResource."""
    if isinstance(value, bool) or not isinstance(value, int):
        kind = _KINDS.get(value.__class__, "map[string]interface {}")
        raise InvalidResource(
            f"{_PREFIX}port must be an integer number not {kind}",
            property="register_when_stable.port",
            value=value if written is None else written,
        )


def _invalid(field: str, value: Value, problem: str) -> InvalidResource:
    return InvalidResource(_PREFIX + problem, property=f"register_when_stable.{field}", value=value)


def _check_name(field: str, value: str) -> None:
    if not value:
        raise _invalid(field, value, f"{field} is required")
    if not _NAME.match(value):
        raise _invalid(field, value, f'{field} "{value}" is not a valid name')


def _check_address(value: str) -> None:
    if not value:
        raise _invalid("address", value, "address is required")
    if not _is_ip(value) and not _is_host_name(value):
        raise _invalid("address", value, f'address "{value}" is not a valid Address address')


def _is_ip(value: str) -> bool:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return "%" not in value


def _is_host_name(value: str) -> bool:
    if len(value) > 253 or value.rpartition(".")[2].isdigit():
        return False
    return all(_HOST_LABEL.match(label) for label in value.split("."))


def _check_range(field: str, value: int, highest: int) -> None:
    if not 0 < value <= highest:
        raise _invalid(field, value, f"{field} '{value}' must be between 1 and {highest}")

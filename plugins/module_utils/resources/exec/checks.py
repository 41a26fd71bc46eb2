# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the exec type checks of properties that few commands have."""

from __future__ import annotations

from ...lang.durations import DurationError, parse
from ...lang.go.fmt import quote
from ...model.errors import InvalidResource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable


def check_timeout(text: str) -> None:
    """Refuse what is no duration. Raises InvalidResource."""
    try:
        parse(text)
    except DurationError as error:
        raise InvalidResource(
            str(error), property="timeout", value=text, advice="write a duration like 10s or 1m30s"
        ) from None


def check_subscriptions(references: Iterable[str]) -> None:
    """Refuse what is no `type#name`. Raises InvalidResource."""
    for reference in references:
        if reference.count("#") != 1:
            raise InvalidResource(
                f"invalid subscribe format {reference}",
                property="subscribe",
                value=reference,
                advice="write references as type#name",
            )


def check_path(path: str) -> None:
    """Refuse a search path with a directory that is empty or relative; no path is fine. Raises InvalidResource."""
    for directory in path.split(":") if path else ():
        if not directory:
            raise InvalidResource("invalid path: empty directory in path", property="path", value=path)
        if not directory.startswith("/"):
            raise InvalidResource(
                f"invalid path: {quote(directory)} is not an absolute path", property="path", value=path
            )


def check_variables(variables: Iterable[str]) -> None:
    """Refuse a variable that is not `KEY=value` with both there. Raises InvalidResource."""
    for variable in variables:
        key, equals, value = variable.partition("=")
        problem = "missing '='" if not equals else "empty key" if not key else "" if value else "empty value"
        if problem:
            raise InvalidResource(
                f"invalid environment variable {quote(variable)}: {problem}", property="environment", value=key
            )

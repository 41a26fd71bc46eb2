# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What dnf and rpm say when they fail."""

from __future__ import annotations

from ...host.results import Result, decode, in_one_line

_NOISE = ("Unable to detect release version", "(try to add", "warning: ")
_MOST_LINES = 3


def last_words(output: bytes) -> str:
    """At most three lines from the end, in one, without what says nothing."""
    return in_one_line(_telling(output)[-_MOST_LINES:])


def reason(result: Result) -> str:
    """`: ` and the last words of a dnf that failed (decisions.md Q43); empty when it said nothing."""
    words = last_words(result.stderr) or last_words(result.stdout)
    return f": {words}" if words else ""


def _telling(output: bytes) -> list[str]:
    lines = [line.strip() for line in decode(output).splitlines()]
    return [line for line in lines if line.strip("-= ") and line != "Error:" and not line.startswith(_NOISE)]

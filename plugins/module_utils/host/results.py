# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The results of commands."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

_LONGEST_LINE = 1000


class Result:
    """The result of a command: `exit_code` 0..255, `stdout` and `stderr` as bytes."""

    __slots__ = ("exit_code", "stderr", "stdout")

    def __init__(self, exit_code: int, stdout: bytes, stderr: bytes) -> None:
        self.exit_code = exit_code
        self.stdout = stdout
        self.stderr = stderr

    def __repr__(self) -> str:
        return f"Result({self.exit_code}, {self.stdout!r}, {self.stderr!r})"


def decode(data: bytes) -> str:
    """Return a command's output as text; bytes that are not UTF-8 become U+FFFD."""
    return data.decode("utf-8", "replace")


def output_lines(data: bytes) -> list[str]:
    """Return a command's output as lines, which end with a line feed, as text without a carriage return at the end."""
    found = decode(data).split("\n")
    if not found[-1]:
        found.pop()
    return [line[:-1] if line.endswith("\r") else line for line in found]


def in_one_line(lines: Sequence[str]) -> str:
    """Return lines of output as messages quote them: with " / " between, and of long ones the first words only."""
    return " / ".join(line if len(line) <= _LONGEST_LINE else _begin(line) for line in lines)


def _begin(line: str) -> str:
    """Return the first words of a line.

    A cut word may be an address whose end would show that it has a password.
    """
    begin = line[:_LONGEST_LINE]
    return (begin.rpartition(" ")[0] or begin) + " ..."

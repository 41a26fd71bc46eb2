# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Why dnf failed: the lines of its output that explain it (decisions.md Q43).

The last lines alone may say nothing: a summary, or the configuration of a repository. dnf 4 writes some explanations to
stdout. The texts come from dnf 4.14 and dnf 5.
"""

from __future__ import annotations

from ...host.results import decode, in_one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...host.results import Result

_NOISE = ("Unable to detect release version", "(try to add", "warning: ", "You can try to add", "--skip-", "--allow")
_MOST_LINES = 3
_EXPLAINING = (
    # the requested package
    "filtered out by ",
    "matches only excluded packages",
    "No match for argument: ",
    "No packages to remove for argument: ",
    # dependencies
    "nothing provides ",
    " requires ",
    " conflicts with ",
    " obsoletes ",
    "cannot install both ",
    "cannot install the best ",
    "protected packages: ",
    # keys and signatures
    "do not have any GPG public keys installed",
    "GPG keys listed for ",
    "Public key for ",
    "Import of key(s) didn't help",
    "Failed to retrieve GPG key",
    "is not signed",
    "OpenPGP check for package ",
    "No corresponding key was found",
    # files, downloads and disks
    "checksum",
    "more space on the ",
    "No space left on device",
    "scriptlet failed",
)
_EXPLAINED_IN_STDOUT = ("filtered out by ", "scriptlet failed", "checksum doesn't match")


def last_lines(output: bytes) -> str:
    """Return at most three lines from the end, as one, without lines that have no meaning."""
    return in_one_line(_error_lines(output)[-_MOST_LINES:])


def reason(result: Result) -> str:
    """Return `: ` and the lines of a dnf that failed which explain why, or else its last ones; empty without output."""
    lines = _with(_lines(result.stdout), _EXPLAINED_IN_STDOUT)
    lines += _with(_error_lines(result.stderr), _EXPLAINING)
    lines = list(dict.fromkeys(lines))[:_MOST_LINES]
    last = _error_lines(result.stderr)[-1:]
    if lines and len(lines) < _MOST_LINES and last and last[0].startswith("Error: ") and last[0] not in lines:
        lines += last
    words = in_one_line(lines) or last_lines(result.stderr) or last_lines(result.stdout)
    return f": {words}" if words else ""


def _with(lines: Sequence[str], words: Sequence[str]) -> list[str]:
    """Return the lines that have one of the words."""
    return [line for line in lines if any(word in line for word in words)]


def _lines(output: bytes) -> list[str]:
    return [line.strip() for line in decode(output).splitlines()]


def _error_lines(output: bytes) -> list[str]:
    return [line for line in _lines(output) if line.strip("-= ") and line != "Error:" and not line.startswith(_NOISE)]

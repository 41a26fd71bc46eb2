# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The output of `dnf check-update`."""

from __future__ import annotations

from ...host.results import output_lines
from ...lang.versions.rpm import compare

_OBSOLETING = "Obsoleting Packages"


def read_updates(output: bytes) -> dict[str, str]:
    """Return the newest version offered of each package, under its name and under NAME.ARCH.

    A line is `NAME.ARCH VERSION REPOSITORY`; a long one continues, indented, on the next. Remarks and the packages that
    replace others, which come last, are ignored.
    """
    lines: list[str] = []
    for line in output_lines(output):
        if line.strip() == _OBSOLETING:
            break
        if line[:1].isspace() and lines:
            lines[-1] += line
        else:
            lines.append(line)
    updates: dict[str, str] = {}
    for fields in map(str.split, lines):
        name, dot, _arch = fields[0].rpartition(".") if len(fields) == 3 else ("", "", "")
        if dot:
            for label in (name, fields[0]):
                if label not in updates or compare(fields[1], updates[label]) > 0:
                    updates[label] = fields[1]
    return updates

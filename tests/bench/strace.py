# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what `strace -c` says of a program."""

from __future__ import annotations

import re


def counted(report):
    """The calls and new processes of a table of `strace -c`; None for another text."""
    rows = re.findall(r"^ *[\d.]+ +[\d.]+ +(?:\d+ +)?(\d+) +(?:\d+ +)?(\w+)$", report, re.MULTILINE)
    calls = {name: int(count) for count, name in rows}
    if "total" not in calls:
        return None
    made = sum(calls.get(name, 0) for name in ("fork", "vfork", "clone", "clone3"))
    return {"calls": calls["total"], "processes": made}

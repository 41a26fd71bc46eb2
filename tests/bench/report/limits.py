# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the limit of a line is: how its time is shared out, by what was measured beside it."""

from __future__ import annotations

import statistics

from .programs import OURS

#: What ccm.core does beside the parts that were measured alone.
OWN = "ccm.core's own work"
#: What is more than the CPU time of ccm.core and of all that it starts.
WAITING = "waiting for other processes"
#: Shares below it are not named.
LEAST = 0.05
#: The place of each figure in a row of node.py.
CLOCK, USER, SYSTEM, MEMORY = range(4)


def clock(rows):
    return statistics.median(row[CLOCK] for row in rows)


def cpu(rows):
    return statistics.median(row[USER] + row[SYSTEM] for row in rows)


def memory(rows):
    return statistics.median(row[MEMORY] for row in rows)


def took(line, rows):
    """The seconds by which a line is shared out: CPU time, or the clock where others work for the program."""
    return clock(rows) if line["by"] == "clock" else cpu(rows)


def shares(line):
    """The share of each part in the time of ccm.core, the rest as OWN. A part counts without what it rests on.

    By the clock, OWN is at most the CPU time, and the rest is WAITING.
    """
    whole = took(line, line["taken"][OURS])
    found = {}
    for name, rows in line["parts"].items():
        below = line["less"].get(name)
        seconds = took(line, rows) - (took(line, line["parts"][below]) if below else 0)
        found[name] = max(0.0, seconds) / whole
    scale = max(1.0, sum(found.values()))  # noise can make the parts larger than the whole
    found = {name: share / scale for name, share in found.items()}
    rest = max(0.0, 1 - sum(found.values()))
    if line["by"] == "cpu":
        return {**found, OWN: rest}
    own = min(rest, cpu(line["taken"][OURS]) / whole)
    return {**found, OWN: own, WAITING: rest - own}


def kinds(found):
    """Shares by kinds of parts, of which there are few enough for the colours of a plot."""
    by_kind = {}
    for name, share in found.items():
        kind = "SHA-256" if name.startswith("SHA-256") else "other programs alone" if name.endswith(" alone") else name
        by_kind[kind] = by_kind.get(kind, 0.0) + share
    return by_kind


def system_share(rows):
    """How much of the CPU time the kernel had."""
    whole = sum(row[USER] + row[SYSTEM] for row in rows)
    return sum(row[SYSTEM] for row in rows) / whole if whole else 0.0


def waiting(rows):
    """How much of the clock was no CPU time: disks, other processes, other load."""
    return statistics.median(max(0.0, 1 - (row[USER] + row[SYSTEM]) / row[CLOCK]) for row in rows)


def limit(line):
    """The limit of a line in words: shares, the largest first; system time, waiting, system calls and processes."""
    rows = line["taken"][OURS]
    ordered = sorted(shares(line).items(), key=lambda pair: -pair[1])
    words = [f"{name} {share:.0%}" for name, share in ordered if share >= LEAST]
    words.append(f"in the kernel {system_share(rows):.0%} of the CPU time")
    if line["by"] == "cpu" and waiting(rows) >= LEAST:
        words.append(f"waits {waiting(rows):.0%} of the clock")
    calls = line.get("calls")
    if calls:
        made = f", {calls['processes']:,} processes and threads" if calls["processes"] else ""
        words.append(f"{calls['calls']:,} system calls{made}")
    return "; ".join(words)

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of all kinds at once over one manifest: `ccm undo` then brings everything back, and claims nothing else.

CCM_RUNS_AT_ONCE is the number of rounds for each number of runs.
"""

from __future__ import annotations

import os
import shutil
import signal

import pytest

from tests.patience import LIMIT, PATIENCE
from tests.seed import chance
from tests.unit.cli.state_attack.site import Site, end

pytestmark = pytest.mark.starts_processes

ROUNDS = int(os.environ.get("CCM_RUNS_AT_ONCE", "2"))
CHANGING = ("list", "list", "graph", "graph", "watch")
KINDS = (*CHANGING, "undo")


def at_once(site, kinds):
    """Start a run of each kind, and wait for their ends; those that watch get SIGTERM once they do."""
    outs = [site.directory / f"out-{number}" for number in range(len(kinds))]
    runs = [site.start(kind, out) for kind, out in zip(kinds, outs, strict=True)]
    for run, out in zip(runs, outs, strict=True):
        end(run, out, signal.SIGTERM)
    said = "".join(out.read_text() for out in outs)
    assert "Traceback" not in said, said


@pytest.mark.soak
@pytest.mark.parametrize("count", [2, 8, *([16] if ROUNDS > 20 else [])])
@pytest.mark.timeout(LIMIT + PATIENCE * ROUNDS)
def test_nothing_is_lost_and_undo_says_what_it_did(ccm, tmp_path, count):
    wrong = []
    for number in range(ROUNDS):
        random = chance("runs at once", count, number)
        site = Site(ccm, tmp_path / "site", 20)
        site.write(1)
        kinds = [random.choice(CHANGING), *(random.choice(KINDS) for _run in range(count - 1))]
        at_once(site, kinds)
        found, _said = site.undo()
        if site.changed():  # what SIGTERM ended in the middle of a change can be undone after a run to its end
            site.apply()
            again, said = site.undo()
            errors = [line for line in said.splitlines() if " ERROR " in line]
            found += again + [f"lost: {name}" for name in sorted(site.changed())] + errors
        if found:
            wrong.append("\n".join([f"round {number}: {' '.join(kinds)}", *dict.fromkeys(found)]))
        shutil.rmtree(site.directory)
    print(f"{ROUNDS} rounds of {count} runs: {len(wrong)} with a loss")
    assert not wrong, "\n".join(wrong)

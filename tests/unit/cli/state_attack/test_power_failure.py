# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A power failure at any moment of a run leaves a state that can be read, and loses nothing that others need.

CCM_POWER_FAILURES is the number of failures that are looked at in each kind of run, of all that there may be.
"""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import subprocess
import sys

import pytest

from tests.seed import chance
from tests.unit.cli.state_attack import power_failure
from tests.unit.cli.state_attack.site import DAMAGE, Site

pytestmark = pytest.mark.starts_processes

FAILURES = int(os.environ.get("CCM_POWER_FAILURES", "40"))


def first(site):
    site.write(1)


def again(site):
    """Values are sent again, files have changed before."""
    site.write(0)
    site.apply()
    site.write(1)


def failing(site):
    """A refresh is owed in the end."""
    again(site)
    site.closed.touch()


def leaving(site):
    """The manifest loses what can be undone."""
    site.write(0)
    site.apply()
    site.write(1, reversible=False)


def after_kills(site):
    """Two killed runs left their journals."""
    site.write(0)
    site.apply()
    site.meanwhile.write_text("kill -9 $PPID\n")
    for generation in (1, 2):
        site.write(generation)
        assert site.run_until(signal.SIGKILL, "list")
    site.meanwhile.write_text("")


def undoing(site):
    again(site)
    site.apply()


def recorded(site, kind):
    """Make a run; return all that power failures may leave."""
    record = site.directory / "record"
    command = [sys.executable, power_failure.__file__, str(record), str(site.disk), str(site.host)]
    subprocess.run([*command, *site.words(kind)], cwd=site.directory, capture_output=True, check=True)
    return pickle.loads(record.read_bytes())


def write_tree(root, tree):
    shutil.rmtree(root, ignore_errors=True)
    for path, (mode, content) in tree.items():
        if content is None:
            (root / path).mkdir(mode)
        else:
            (root / path).write_bytes(content)
            (root / path).chmod(mode)


def wrong_after(site, kind, variant):
    """Return what is wrong with what a failure left, once the power is there again."""
    wrong, said = site.undo() if kind == "undo" else ([], "")
    if kind == "undo":
        wrong += [f"not undone: {name}" for name in sorted(site.changed())]
    applied = site.apply()
    wrong += site.wrong_after(applied)
    found, undone = site.undo()
    wrong += found + [f"not undone: {name}" for name in sorted(site.changed())]
    if variant in power_failure.WHOLE and DAMAGE.search(said + applied + undone):
        wrong.append(said + applied + undone)
    return wrong


@pytest.mark.soak
@pytest.mark.parametrize("prepare", [first, again, failing, leaving, after_kills, undoing])
def test_nothing_is_lost(ccm, tmp_path, prepare):
    site = Site(ccm, tmp_path / "site", 1)
    prepare(site)
    kind = "undo" if prepare is undoing else "list"
    left = recorded(site, kind)
    chosen = sorted(chance("power failures", prepare.__name__).sample(range(len(left)), min(len(left), FAILURES)))
    wrong = []
    for number in chosen:
        variant, disk, host = left[number]
        write_tree(site.disk, disk)
        write_tree(site.host, host)
        site.closed.unlink(missing_ok=True)
        wrong += [f"{number} {variant}: {each}" for each in wrong_after(site, kind, variant)]
    print(f"{len(chosen)} of {len(left)} power failures: {len(wrong)} losses")
    assert not wrong, "\n".join(wrong)

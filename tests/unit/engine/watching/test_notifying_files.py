# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that notify run a command when they changed, and not when they only may have."""

from __future__ import annotations

import shutil

import pytest
from ccm.engine.watching.step import Sources
from ccm.engine.watching.watches import Watches
from ccm.host import inotify
from ccm.host.inotify import Notice
from ccm.testing import RecordedLog

from .test_watches import Loop


@pytest.fixture
def watches():
    changed = []
    found = Watches(Loop(), lambda key, *_how: changed.append(key), RecordedLog(), None)
    found.loop, found.changed = found._loop, changed
    yield found
    found.close()


def overflow(watches, tmp_path):
    watches._kernel.read()
    read = watches._kernel.read
    watches._kernel.read = lambda: [Notice(-1, inotify.OVERFLOW, "")]
    watches._read()
    watches._kernel.read = read


def come_and_go(watches, tmp_path):
    (tmp_path / "above").rename(tmp_path / "away")
    watches._read()
    (tmp_path / "away").rename(tmp_path / "above")
    watches._read()


def mount_over(watches, tmp_path):
    watches._note(watches._paths.mounted([str(tmp_path / "above/in")]))


def make_above(watches, tmp_path):
    (tmp_path / "none/above").mkdir(parents=True)
    watches._read()


@pytest.mark.parametrize("what", ["file", "folder"])
@pytest.mark.parametrize("happens", [overflow, mount_over, make_above])
def test_a_file_that_notifies_and_is_the_same_runs_no_command(watches, tmp_path, what, happens):
    """A notice that was lost, a mount, or a directory above that is made: commands ran though nothing changed."""
    path = tmp_path / "above/in" / what
    path.parent.mkdir(parents=True)
    (path / "below").mkdir(parents=True) if what == "folder" else path.write_text("1")
    changing = path / "below/file" if what == "folder" else path
    watches.add(7, Sources(files=[str(path), str(tmp_path / "none/above/in/file")]))
    watches.loop.pass_time()
    for text in ("22", "333"):
        happens(watches, tmp_path)
        assert watches.changed == []
        watches._kernel.read()
        changing.write_text(text)
        watches._read()
        assert watches.changed[0] == 7
        watches.changed.clear()
        watches.loop.pass_time()
        shutil.rmtree(tmp_path / "none", ignore_errors=True)
        watches._read()
        changing.write_text(text + "4444")
        watches._kernel.read()
        mount_over(watches, tmp_path)
        assert watches.changed == [7]
        watches.changed.clear()


def test_a_file_that_notifies_and_changed_is_not_lost(watches, tmp_path):
    """A directory above went away and came back; a change while it was looked at; one that was not looked at yet."""
    path = tmp_path / "above/file"
    path.parent.mkdir()
    path.write_text("1")
    watches.add(7, Sources(files=[str(path)]))
    come_and_go(watches, tmp_path)
    assert watches.changed
    look, watches.loop.later = watches.loop.later, []
    path.write_text("2")
    for call in look:
        call()
    watches.changed.clear()
    overflow(watches, tmp_path)
    assert watches.changed == [7]
    watches.loop.pass_time()
    watches.loop.pass_time()
    assert watches.loop.later == []
    watches.changed.clear()
    overflow(watches, tmp_path)
    assert watches.changed == []
    watches.remove([7])

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that are watched, and when they are started again; paths that are polled, and until when."""

from __future__ import annotations

import errno
from contextlib import contextmanager

import pytest
from ccm.engine.watching.program import Sources
from ccm.engine.watching.watches import Watches
from ccm.testing import RecordedLog

TOO_DEEP = "directories in it are nested too deeply"


class Loop:
    """An event loop whose times do not come until `pass_time`."""

    def __init__(self):
        self.later = []

    def add_reader(self, fd, read):
        pass

    def remove_reader(self, fd):
        pass

    def before_waiting(self):
        pass

    def call_after(self, _seconds, call):
        self.later.append(call)

    def pass_time(self):
        later, self.later = self.later, []
        for call in later:
            call()


@pytest.fixture
def watches():
    loop, changed = Loop(), []

    def note(key, _wait, _notifier, is_only_checked):
        changed.append((key, not is_only_checked))

    found = Watches(loop, note, RecordedLog(), None)
    found.loop, found.changed = loop, changed

    @contextmanager
    def refusing(top):
        """Let the kernel give no watch for a directory and what is below it."""
        kernel = found._kernel
        add = kernel.add

        def refuse(path, mask):
            if f"{path}/".startswith(f"{top}/"):
                raise OSError(errno.ENOSPC, "")
            return add(path, mask)

        kernel.add = refuse
        yield
        kernel.add = add

    found.refusing = refusing
    yield found
    found.close()


@pytest.mark.starts_processes
def test_a_command_that_cannot_run_is_started_when_it_is_watched_anew(watches, tmp_path):
    program = tmp_path / "program"
    watches.add(7, Sources(command=str(program)))
    assert len(watches.degraded) == 1
    program.write_text("#!/bin/sh\nexec sleep 1000\n")
    program.chmod(0o755)
    assert watches.renew([8]) == set()
    assert len(watches.degraded) == 1
    assert watches.renew([7]) == set()
    assert watches.degraded == []


@pytest.mark.starts_processes
def test_a_command_that_cannot_run_has_one_next_start(watches, tmp_path):
    watches.add(7, Sources(command=str(tmp_path / "program")))
    for _time in range(3):
        watches.renew([7])
    watches.loop.pass_time()
    assert len(watches.loop.later) == 1
    watches.remove([7])
    watches.loop.pass_time()
    assert watches.loop.later == []


def test_a_tree_that_is_too_deep_is_polled_after_the_manifest_is_read_again(watches, tmp_path, monkeypatch):
    """Q110: only what the kernel refused is watched anew; a tree stays polled that it refused a watch for, too."""
    monkeypatch.setattr("ccm.host.watched_paths._DEEPEST", str(tmp_path).count("/") + 1)
    deep = tmp_path / "tree/a/b/c"
    deep.mkdir(parents=True)
    with watches.refusing(tmp_path / "tree/a"):
        watches.add(7, Sources(trees=[str(tmp_path / "tree")]))
    assert watches.degraded == ["no space left on device"]
    assert watches.renew([7]) == {7}
    assert watches.degraded == [TOO_DEEP]
    assert watches.renew([7]) == set()
    assert watches.degraded == [TOO_DEEP]
    (deep / "file").write_text("text")
    watches.poll()
    assert watches.changed == [(7, True)]


def test_a_tree_that_is_too_deep_and_was_refused_stays_polled(watches, tmp_path, monkeypatch):
    """Q110: the refusal of another tree of the resource ends, the depth of this one does not."""
    monkeypatch.setattr("ccm.host.watched_paths._DEEPEST", str(tmp_path).count("/") + 1)
    deep, other = tmp_path / "tree/a/b/c", tmp_path / "other"
    deep.mkdir(parents=True)
    other.mkdir()
    with watches.refusing(other):
        watches.add(7, Sources(trees=[str(tmp_path / "tree"), str(other)]))
    assert watches.degraded == [TOO_DEEP, "no space left on device"]
    assert watches.renew([7]) == {7}
    assert watches.degraded == [TOO_DEEP]
    (deep / "file").write_text("text")
    watches.poll()
    assert watches.changed == [(7, True)]


def test_a_file_system_without_notices_stays_polled_when_the_kernel_watches_it_again(watches, tmp_path):
    """Q110: polling ends only where the kernel's refusal was its only reason."""
    path, other = tmp_path / "silent/file", tmp_path / "loud/file"
    for each in (path, other):
        each.parent.mkdir()
        each.write_text("1")
    watches._silent = [(str(path.parent), "nfs4")]
    with watches.refusing(tmp_path):
        watches.add(7, Sources(paths=[str(path)]))
        watches.add(8, Sources(paths=[str(other)]))
    silent = "the file system nfs4 reports no changes"
    assert watches.degraded == ["no space left on device", silent]
    assert watches.renew([7, 8]) == {7, 8}
    assert watches.degraded == [silent]
    path.write_text("22")
    watches.poll()
    assert watches.changed == [(7, True)]
    watches.remove([7])
    assert watches.degraded == []

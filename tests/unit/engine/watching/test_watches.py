# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is watched: paths, directories and commands; when commands are started again, and which paths are polled."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager

import pytest
from ccm.engine.watching.step import Seen, Sources
from ccm.engine.watching.watches import Watches
from ccm.host import inotify, output_lines
from ccm.host.inotify import Inotify, Notice
from ccm.host.polled_paths import PolledPaths
from ccm.host.reading import NOTHING
from ccm.host.watched_paths import entry_at
from ccm.testing import RecordedLog

from tests.conftest import own_limits
from tests.patience import LIMIT, PATIENCE, wait_until
from tests.unit.watching import ROUNDS, content, nothing, rename_over, status_of, watching_command, while_watching

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
def test_commands_are_asked_to_end_together(watches, tmp_path, monkeypatch):
    """Each of them ends once all were asked to."""
    monkeypatch.setattr(output_lines, "_FAREWELL", PATIENCE)
    for name in ("one", "two"):
        script = tmp_path / name
        others = f"until [ -e {tmp_path}/asked-one -a -e {tmp_path}/asked-two ]; do sleep 0.01; done"
        script.write_text(
            f"trap 'touch {tmp_path}/asked-{name}; {others}; touch {tmp_path}/ended-{name}; exit' TERM\n"
            f"touch {tmp_path}/begun-{name}\nwhile true; do sleep 0.01; done\n"
        )
        watches.add(7, Sources(command=f"sh {script}", child=name))
    wait_until(lambda: all((tmp_path / f"begun-{name}").exists() for name in ("one", "two")))
    watches.remove([7])
    assert sorted(path.name for path in tmp_path.glob("ended-*")) == ["ended-one", "ended-two"]


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
    watches.loop.pass_time()
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
    watches.loop.pass_time()
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
    watches.loop.pass_time()
    assert watches.changed == [(7, True)]
    watches.remove([7])
    assert watches.degraded == []


@pytest.mark.starts_processes
def test_a_key_with_other_sources_keeps_the_watches_of_the_same_names(watches, tmp_path):
    """With `only` what is not wanted any more is not watched; a command that is still wanted is not started again."""
    paths = [tmp_path / name for name in ("goes", "stays", "comes")]
    watches.add(7, Sources(paths=[str(paths[0]), str(paths[1])], command="sleep 1000"))
    running = watches._watches[7][4, "sleep 1000"].command
    sources = Sources(paths=[str(paths[1]), str(paths[2])], command="sleep 1000")
    assert not watches.has(7, sources, only=False)
    watches.add(7, sources, only=True)
    assert watches.has(7, sources, only=True)
    assert watches._watches[7][4, "sleep 1000"].command is running
    for path in paths:
        path.write_text("text")
        watches._read()
    assert {key for key, _change in watches.changed} == {7}
    assert watches.how(7) == sorted(["sleep 1000", str(paths[1]), str(paths[2])])
    watches.changed.clear()
    paths[0].write_text("other")
    paths[1].write_text("other")
    watches._read()
    assert watches.changed == [(7, True)]
    watches.add(7, Sources(), only=True)
    assert watches.how(7) == []
    assert watches._watches[7] == {}


@pytest.fixture
def seen_file(watches, tmp_path):
    """A file that a check has seen as it is; its entry will stay the same, as where the clock of ctime is coarse."""
    path = tmp_path / "file"
    path.write_text("1")
    watches.add(7, Sources(paths=[str(path)]))
    entry = entry_at(str(path))
    watches.hold()
    watches.note = lambda begin, end: watches.release([(7, Seen(0, "", str(path), entry, begin, end))])
    return path


def test_what_a_check_saw_is_no_change_unless_content_was_written_in_place(watches, seen_file, monkeypatch):
    seen_file.chmod(0o600)
    watches._read()
    assert watches.changed == []
    monkeypatch.setattr("ccm.engine.watching.watches.entry_at", lambda _path: entry)
    entry = entry_at(str(seen_file))
    watches.release([(7, Seen(0, "", str(seen_file), entry, 0, 0))])
    assert watches.changed == []
    seen_file.chmod(0o644)
    watches._read()
    assert watches.changed == []
    seen_file.write_text("2")
    watches._read()
    assert watches.changed == [(7, True)]


@pytest.mark.parametrize(("seen_at", "is_reported"), [("before", False), ("at the time", True), ("after", False)])
def test_where_notices_were_lost_what_was_just_seen_is_in_doubt(watches, seen_file, monkeypatch, seen_at, is_reported):
    watches._read()
    drained = time.monotonic_ns()
    begin, end = {"before": (0, 0), "at the time": (drained, drained), "after": (drained * 2, drained * 2)}[seen_at]
    watches.note(begin, end)
    monkeypatch.setattr(watches._kernel, "read", lambda: [Notice(-1, inotify.OVERFLOW, "")])
    watches._read()
    assert watches.changed == ([(7, True)] if is_reported else [])


def test_after_a_quiet_start_lost_notices_put_only_what_was_just_seen_in_doubt(watches, seen_file, monkeypatch):
    """No notice had ever been read: all that happened since the start could have been lost."""
    seen = time.monotonic_ns()
    watches.note(seen, seen)
    wait_until(lambda: time.monotonic_ns() > seen + 50_000_000)
    watches.hold()
    watches.release([])
    monkeypatch.setattr(watches._kernel, "read", lambda: [Notice(-1, inotify.OVERFLOW, "")])
    watches._read()
    assert watches.changed == []


@pytest.mark.parametrize("seen", ["file", "nothing"])
def test_a_file_that_was_removed_is_another_one_though_it_looks_the_same(watches, seen_file, monkeypatch, seen):
    """The next file may have the same inode, and within the steps of the kernel's clock the same times."""
    entry = entry_at(str(seen_file)) if seen == "file" else NOTHING
    watches.release([(7, Seen(0, "", str(seen_file), entry, 0, 0))])
    monkeypatch.setattr("ccm.engine.watching.watches.entry_at", lambda _path: entry)
    seen_file.unlink()
    watches._read()
    assert watches.changed == ([(7, True)] if seen == "file" else [])


def test_a_file_system_without_notices_is_seen_behind_links(watches, tmp_path):
    (tmp_path / "silent").mkdir()
    (tmp_path / "link").symlink_to("silent")
    (tmp_path / "loud").mkdir()
    (tmp_path / "turning").symlink_to("loud")
    watches._silent = [(str(tmp_path / "silent"), "nfs4")]
    watches.add(7, Sources(paths=[str(tmp_path / "turning/file")]))
    assert watches.degraded == []
    (tmp_path / "new").symlink_to("silent")
    (tmp_path / "new").rename(tmp_path / "turning")
    watches._read()
    assert watches.degraded == ["the file system nfs4 reports no changes"]
    watches.remove([7])
    for sources in (Sources(paths=[str(tmp_path / "link/file")]), Sources(trees=[str(tmp_path / "link")])):
        assert watches.degraded == []
        watches.add(7, sources)
        assert watches.degraded == ["the file system nfs4 reports no changes"]
        watches.remove([7])


RELOADS = 300 if ROUNDS >= 200 else 30


@pytest.mark.starts_processes
def test_files_and_lines_of_a_command_run_a_command(watching, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    watching.write(
        watching.appending("on-file", "log", refreshonly=True, meta={"watch_files": [str(tmp_path / "trigger")]}),
        watching.appending("on-line", "log", refreshonly=True, meta={"watch_command": f"cat {pipe}"}),
    )
    with watching.started():
        # One change: a file that is written takes several, which may come slowly.
        (tmp_path / "new").write_text("now")
        (tmp_path / "new").rename(tmp_path / "trigger")
        wait_until(content(tmp_path / "log", "on-file\n"))
        pipe.write_text("line\n")
        wait_until(content(tmp_path / "log", "on-file\non-line\n"))
        wait_until(lambda: watching.count("A command that is watched ended, and is started again") >= 1)


@pytest.mark.starts_processes
@pytest.mark.parametrize("exists", [True, False])
def test_a_command_follows_a_directory(watching, tmp_path, exists):
    folder, log = tmp_path / "folder", tmp_path / "log"
    (tmp_path / "other").mkdir()
    if exists:
        (folder / "below").mkdir(parents=True)
    watching.write(watching.appending("it", "log", refreshonly=True, meta={"watch_files": [str(folder)]}))
    with watching.started():
        if not exists:
            (tmp_path / "other/below").mkdir()
            (tmp_path / "other").rename(folder)
            wait_until(content(log, "it\n"))
            log.write_text("")
        for change in (
            lambda: (folder / "below/new").touch(),
            lambda: (folder / "below/new").rename(folder / "moved"),
            lambda: (folder / "moved").unlink(),
            lambda: (folder / "below").rmdir(),
        ):
            watching.settle()
            before = log.read_text() if log.exists() else ""
            change()
            wait_until(lambda before=before: log.exists() and len(log.read_text()) > len(before))


@pytest.mark.starts_processes
def test_a_command_that_cannot_be_watched_is_named(watching):
    watching.write(watching.exec("one", "true", refreshonly=True, meta={"watch_command": "/nowhere/program"}))
    with watching.started():
        assert watching.count("A command that is watched cannot run") == 1


@pytest.mark.starts_processes
def test_scaffolds_and_sources_are_watched(watching, tmp_path):
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates/a").write_text("a")
    (tmp_path / "source").write_text("from source\n")
    target = tmp_path / "tree"
    copied = {"ensure": "present", "source": "source", **watching.owner}
    watching.write(
        {"scaffold": [{str(target): {"ensure": "present", "source": "templates", "engine": "jet"}}]},
        {"file": [{str(tmp_path / "copy"): copied}]},
    )
    with watching.started():
        (target / "a").write_text("other")
        wait_until(content(target / "a", "a"))
        (tmp_path / "templates/b").write_text("b")
        wait_until(content(target / "b", "b"))
        (tmp_path / "source").write_text("new\n")
        wait_until(content(tmp_path / "copy", "new\n"))


@pytest.mark.starts_processes
@pytest.mark.soak
@pytest.mark.timeout(LIMIT + RELOADS)
def test_many_reloads_leave_one_descriptor_for_paths(watching, tmp_path):
    def resources(count):
        """Return a file with other content, one in another directory, and another command that is watched."""
        (tmp_path / f"d{count}").mkdir()
        meta = {"watch_command": "sleep 1000"}
        return (
            watching.file("one", f"{count}\n"),
            watching.file(f"d{count}/two"),
            watching.exec(f"e{count}", "true", refreshonly=True, meta=meta),
        )

    watching.write(*resources(0))
    with watching.started():
        # Of what is removed no more than the names of pipes differ.
        before, watches, children = watching.descriptors(), watching.watches(), watching.children()
        assert len([each for each in before if each == "anon_inode:inotify"]) == 1
        for count in range(1, RELOADS + 1):
            watching.write(*resources(count))
            watching.process.send_signal(signal.SIGHUP)
            wait_until(content(tmp_path / f"d{count}/two"))
        after = watching.descriptors()
        assert sorted(each.partition("[")[0] for each in after) == sorted(each.partition("[")[0] for each in before)
        assert (watching.watches(), watching.children()) == (watches, children)


@pytest.mark.starts_processes
def test_a_directory_that_is_removed_and_made_again_and_again_is_watched(watching, tmp_path):
    directory = tmp_path / "d"
    directory.mkdir()
    watching.write(watching.file("d/one"))
    with watching.started():
        before, watches = watching.descriptors(), watching.watches()
        for _time in range(1000):
            directory.rename(tmp_path / "away")
            directory.mkdir()
            shutil.rmtree(tmp_path / "away", ignore_errors=True)
            shutil.rmtree(tmp_path / "away", ignore_errors=True)
        wait_until(content(directory / "one"))
        (directory / "one").write_text("other")
        wait_until(content(directory / "one"))
        wait_until(lambda: sorted(watching.descriptors()) == sorted(before))
        wait_until(lambda: watching.watches() == watches)


@pytest.mark.starts_processes
@pytest.mark.needs("own_limits")
def test_paths_for_which_no_watch_is_left_are_named_once(watching, tmp_path):
    watching.write(*(watching.file(f"d{number}/one") for number in range(10)))
    for number in range(10):
        (tmp_path / f"d{number}").mkdir()
    script = "echo 8 > /proc/sys/user/max_inotify_watches && exec " + " ".join(watching_command(watching))
    with open(tmp_path / "out", "w") as out:
        watching.process = process = subprocess.Popen(
            own_limits(script),
            cwd=tmp_path,
            env=watching.environment,
            stdout=out,
            stderr=out,
        )
    try:
        wait_until(lambda: watching.count(" changed ") == 10)
        warning = "Some paths cannot be watched, and are checked every 30 s"
        wait_until(lambda: watching.count(warning) == 1)
        watching.settle()
        assert watching.count(warning) == 1
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)


@pytest.mark.starts_processes
@pytest.mark.needs("own_limits")
def test_what_could_not_be_watched_is_watched_when_the_manifest_is_read_again(watching, tmp_path):
    watching.write(*(watching.file(f"d{number}/one") for number in range(10)))
    for number in range(10):
        (tmp_path / f"d{number}").mkdir()
    os.mkfifo(tmp_path / "more")
    limit = "/proc/sys/user/max_inotify_watches"
    command = " ".join(watching_command(watching))
    script = f"(read number < more; echo $number > {limit}; echo > more) & echo 8 > {limit}"
    with open(tmp_path / "out", "w") as out:
        watching.process = process = subprocess.Popen(
            own_limits(f"{script} && exec {command} --status-file status"),
            cwd=tmp_path,
            env=watching.environment,
            stdout=out,
            stderr=out,
        )
    try:
        wait_until(lambda: (tmp_path / "status").exists() and status_of(tmp_path)["degraded"])
        (tmp_path / "more").write_text("1000\n")
        (tmp_path / "more").read_text()
        process.send_signal(signal.SIGHUP)
        wait_until(lambda: not status_of(tmp_path)["degraded"])
        (tmp_path / "d9/one").unlink()
        wait_until(content(tmp_path / "d9/one"))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)


@pytest.mark.starts_processes
def test_what_it_says_of_commands_that_are_watched(ccm, watching):
    watching.write(
        watching.exec("ends", "true", refreshonly=True, meta={"watch_command": "true"}),
        watching.exec(
            "missing", "true", refreshonly=True, meta={"watch_command": "/nowhere/program --password=hidden"}
        ),
    )
    ended = "A command that is watched ended, and is started again"
    missing = "A command that is watched cannot run command=/nowhere/program"
    out = while_watching(ccm, (nothing, ended))
    assert missing in out
    assert "hidden" not in out


def test_paths_without_watches_are_checked_again_and_again_with_one_warning(ccm, watching, tmp_path, monkeypatch):
    def used_up(self, directory, mask):
        raise OSError(errno.ENOSPC, "")

    def lose():
        """Wait for what the first run made, then lose it twice: it is looked at again and again."""
        for _time in range(3):
            wait_until(content(tmp_path / "one"))
            (tmp_path / "one").unlink()
        wait_until(content(tmp_path / "one"))

    monkeypatch.setattr(Inotify, "add", used_up)
    monkeypatch.setattr("ccm.model.facets.Relations.poll_seconds", 0.1)
    watching.write(watching.file("one"))
    warning = "Some paths cannot be watched, and are checked every 0.1 s reason=no space left on device"
    out = while_watching(ccm, (lose, warning))
    assert out.count(warning) == 1


def test_a_file_system_that_reports_nothing_is_named(ccm, watching, tmp_path, monkeypatch):
    monkeypatch.setattr("ccm.engine.watching.watches.silent_filesystems", lambda: [(str(tmp_path), "nfs4")])
    watching.write(watching.file("one"))
    assert "reason=the file system nfs4 reports no changes" in while_watching(ccm)


@pytest.mark.starts_processes
def test_commands_run_once_where_nothing_is_reported(ccm, watching, tmp_path, monkeypatch):
    looks = []
    look = PolledPaths.look

    def counted(self):
        looks.append(True)
        return look(self)

    def look_again():
        """Wait until the paths were looked at, and what followed from that was done."""
        before = len(looks)
        wait_until(lambda: len(looks) >= before + 5)

    def change():
        look_again()
        assert (tmp_path / "log").read_text() == "watches\nreads\n"
        rename_over(tmp_path / "watched")
        wait_until(content(tmp_path / "log", "watches\nreads\nwatches\n"))
        rename_over(tmp_path / "read")
        wait_until(content(tmp_path / "log", "watches\nreads\nwatches\nreads\n"))
        look_again()

    (tmp_path / "watched").touch()
    (tmp_path / "read").write_text("reads")
    monkeypatch.setattr("ccm.engine.watching.watches.silent_filesystems", lambda: [(str(tmp_path), "nfs4")])
    monkeypatch.setattr("ccm.model.facets.Relations.poll_seconds", 0.05)
    monkeypatch.setattr("ccm.engine.watching.watches.POLL_SECONDS", 0.05)
    monkeypatch.setattr(PolledPaths, "look", counted)
    command = f"""sh -c '{{{{ file("read") == "" ? "false" : "echo reads" }}}} >> {tmp_path}/log'"""
    watching.write(
        watching.appending("watches", "log", meta={"watch_files": [str(tmp_path / "watched")]}),
        watching.exec("reads", command),
    )
    while_watching(ccm, (change, ""))
    assert (tmp_path / "log").read_text() == "watches\nreads\nwatches\nreads\n"


@pytest.mark.starts_processes
def test_directories_that_are_nested_deeply_do_not_end_it(watching, tmp_path):
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates/t").write_text("t")
    tree = tmp_path / "tree"
    properties = {"ensure": "present", "source": "templates", "engine": "jet"}
    watching.write({"scaffold": [{str(tree): properties}]}, watching.file("one"))
    with watching.started():
        subprocess.run(["mkdir", "-p", tree / "/".join("d" * 900)], check=True)
        (tmp_path / "one").unlink()
        wait_until(content(tmp_path / "one"))
    subprocess.run(["rm", "-rf", tree], check=True)

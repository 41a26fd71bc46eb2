# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import errno
import functools
import http.server
import io
import itertools
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import threading
import time

import pytest
from ccm.host.inotify import Inotify
from ccm.host.polled_paths import PolledPaths

from tests.conftest import own_limits
from tests.patience import LIMIT, PATIENCE, repeat_until, wait_until
from tests.seed import chance
from tests.unit.layout import CCM
from tests.unit.processes import is_asleep
from tests.unit.watching import content, rename_over

ROUNDS = int(os.environ.get("CCM_ROUNDS", "50"))
EVENTS = int(os.environ.get("CCM_EVENTS", "240"))
RELOADS = 300 if ROUNDS >= 200 else 30
#: So many files are changed at once.
TOGETHER = 10


def checks_of(watching):
    """Return the number of checks of each resource."""
    status = json.loads((watching.directory / "status").read_text())
    return {each["resource"].rpartition("/")[2]: each["checks"] for each in status["resources"]}


@pytest.mark.starts_processes
@pytest.mark.soak
def test_removed_files_come_back_and_each_changed_once(watching, tmp_path):
    names = [f"f{number}" for number in range(ROUNDS)]
    watching.write(*(watching.file(f"d/{name}") for name in names))
    (tmp_path / "d").mkdir()
    with watching.started("--status-file", tmp_path / "status"):
        for name in names:
            path = tmp_path / "d" / name
            path.unlink()
            wait_until(content(path))
        watching.rest()
        checks = checks_of(watching)
    assert checks_of(watching) == checks
    assert watching.count(" changed ") == 2 * ROUNDS
    # The first run and a repair are a check each, and one after each sees that nothing is to be done.
    assert max(checks.values()) <= 6
    assert sum(checks.values()) <= 4.5 * ROUNDS


@pytest.mark.starts_processes
@pytest.mark.soak
@pytest.mark.timeout(LIMIT + EVENTS)
def test_each_of_many_changes_is_repaired_once_and_nothing_grows(watching, tmp_path):
    names = [f"f{number:05}" for number in range(EVENTS * 10 // 24)]
    watching.write(*(watching.file(f"d/{name}") for name in names))
    (tmp_path / "d").mkdir()
    drawn = chance("changes")
    with watching.started():
        memory, descriptors = [watching.memory()], watching.descriptors()
        for first in range(0, EVENTS, TOGETHER):
            if first == len(names):
                # The state between runs remembers the first change of each file, and nothing of the next ones.
                memory.append(watching.memory())
            # Far enough apart for one file to be no flapping one.
            paths = [tmp_path / "d" / names[event % len(names)] for event in range(first, first + TOGETHER)]
            for path in paths:
                path.unlink() if drawn.random() < 0.5 else path.write_text("other")
            wait_until(lambda paths=paths: all(content(path)() for path in paths))
        watching.rest()
        assert watching.count(" changed ") == len(names) + EVENTS
        memory.append(watching.memory())
        assert sorted(watching.descriptors()) == sorted(descriptors)
    sizes = ", ".join(f"{each:.1f}" for each in memory)
    print(f"{EVENTS} changes of {len(names)} files: {sizes} MiB at the start, after one change of each, and at the end")
    assert memory[1] - memory[0] < 4 + 0.004 * len(names)
    assert memory[2] - memory[1] < 4


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_text("new"),
        rename_over,
        lambda path: path.chmod(0o600),
        lambda path: (path.unlink(), path.symlink_to("/nowhere")),
        lambda path: shutil.rmtree(path.parent, ignore_errors=True),
        lambda path: path.parent.rename(path.parent.with_name("away")),
    ],
    ids=["overwritten", "renamed over", "chmod", "link", "directory removed", "directory renamed"],
)
def test_changes_are_repaired(ccm, watching, tmp_path, change):
    directory = {"file": [{str(tmp_path / "d"): {"ensure": "directory", **watching.owner, "mode": "0755"}}]}
    watching.write(directory, watching.file("d/one"))
    path = tmp_path / "d/one"
    # A file that the first run makes is checked again after it, which would repair it without any notice.
    assert ccm("apply", "m.yaml").status == 0
    with watching.started():
        assert watching.count(" changed ") == 0
        change(path)
        wait_until(lambda: content(path)() and path.stat().st_mode & 0o777 == 0o644 and not path.is_symlink())


@pytest.mark.starts_processes
@pytest.mark.needs("root")
@pytest.mark.parametrize(("owner", "group"), [(1234, -1), (-1, 4321)], ids=["owner", "group"])
def test_a_changed_owner_is_repaired(ccm, watching, tmp_path, owner, group):
    watching.write(watching.file("one"))
    assert ccm("apply", "m.yaml").status == 0
    before = (tmp_path / "one").stat()
    with watching.started():
        os.chown(tmp_path / "one", owner, group)
        wait_until(lambda: (tmp_path / "one").stat().st_ino != before.st_ino)
        after = (tmp_path / "one").stat()
        assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)


@pytest.mark.starts_processes
def test_a_directory_that_is_made_by_another_program_gets_its_file_each_time(watching, tmp_path):
    directory = tmp_path / "above/missing"
    directory.parent.mkdir()
    # No try comes by itself.
    watching.write(watching.file("above/missing/one", meta={"delay": "1h"}))
    with watching.started():
        failures = 0
        for place in ("first", "second"):
            wait_until(lambda seen=failures: watching.count(" failed ") > seen)
            directory.mkdir()
            wait_until(content(directory / "one"))
            (directory / "one").write_text("other")
            wait_until(content(directory / "one"))
            failures = watching.count(" failed ")
            directory.rename(tmp_path / place)
    # It fails at the start, then for each event of a removal: of the file, which may have been written just before, of
    # the directory, and of the one above.
    assert watching.count(" failed ") <= 1 + 2 * 3


@pytest.mark.starts_processes
def test_a_directory_in_the_place_of_a_file_is_a_failure_until_it_is_removed(ccm, watching, tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "other/one").mkdir(parents=True)
    watching.write(watching.file("d/one", meta={"delay": "1h"}))
    assert ccm("apply", "m.yaml").status == 0
    with watching.started():
        (tmp_path / "d").rename(tmp_path / "away")
        (tmp_path / "other").rename(tmp_path / "d")
        wait_until(lambda: watching.count("exists as a directory; cannot manage it as a file") >= 1)
        (tmp_path / "d/one").rmdir()
        wait_until(content(tmp_path / "d/one"))


def overwrite(path, times):
    """Write to a file again and again, faster than it could be repaired."""
    with path.open("w") as file:
        for _time in range(times):
            file.seek(0)
            file.write("x")
            file.flush()


@pytest.mark.starts_processes
def test_a_storm_of_writes_beside_a_file_causes_no_check(ccm, watching, tmp_path):
    watching.write(watching.file("one"))
    assert ccm("apply", "m.yaml").status == 0
    with watching.started("--status-file", tmp_path / "status"):
        watching.settle()
        overwrite(tmp_path / "sibling", 10_000)
        watching.settle()
    assert checks_of(watching)["one"] == 1


@pytest.mark.starts_processes
def test_a_limit_holds_in_a_storm_of_writes(watching, tmp_path):
    watching.write(watching.file("one", meta={"limit": "4/s", "burst": 1}))
    started = time.monotonic()
    with watching.started("--status-file", tmp_path / "status"):
        begin = time.monotonic()
        repeat_until(lambda: watching.count(" changed ") == 6, lambda: overwrite(tmp_path / "one", 100))
        # The first one of the five may come at once.
        assert time.monotonic() - begin >= 4 * 0.25
        wait_until(content(tmp_path / "one"))
        watching.settle()
    seconds = time.monotonic() - started
    # One in the first run, one at once. The limit counts from there until the process ends, so the time is that, too.
    assert checks_of(watching)["one"] <= 2 + 4 * seconds


@pytest.mark.starts_processes
def test_two_programs_that_fight_over_a_file_wait_longer_and_longer(watching, tmp_path):
    watching.write(watching.file("one"))
    spoiled = []
    with watching.started("--events", "json-lines"):
        for repairs in range(1, 9):
            spoiled.append(time.monotonic())
            (tmp_path / "one").write_text("mine")
            wait_until(lambda repairs=repairs: watching.count(" changed ") == 1 + repairs)
            wait_until(lambda: watching.sleeps_for() is not None)
        # One second after the sixth repair, two after the seventh.
        assert time.monotonic() - spoiled[5] >= 3
        assert watching.count("Flapping: repaired 6 times in 60 s") == 1
        flapping = [json.loads(line) for line in watching.out().splitlines() if "watch.flapping" in line]
        assert [(each["resource"], each["repairs"]) for each in flapping] == [(f"file#{tmp_path}/one", 6)]


@pytest.mark.starts_processes
def test_a_change_refreshes_what_subscribes_once(watching, tmp_path):
    one, two = (f"file#{tmp_path}/{name}" for name in ("one", "two"))
    watching.write(
        watching.file("one"),
        watching.file("two"),
        watching.appending("note", "log", refreshonly=True, subscribe=[one, two]),
        watching.appending("other", "other-log", refreshonly=True, subscribe=[two]),
    )
    with watching.started():
        (tmp_path / "one").unlink()
        wait_until(lambda: (tmp_path / "log").read_text() == "note\nnote\n")
        watching.settle()
    assert (tmp_path / "log").read_text() == "note\nnote\n"
    assert (tmp_path / "other-log").read_text() == "other\n"


@pytest.mark.starts_processes
def test_retry_tries_again_with_its_delay_without_stopping_the_rest(watching, tmp_path):
    log = tmp_path / "log"
    command = f"sh -c 'date +%s%N >> {log}; test -e {tmp_path}/allowed'"
    watching.write(watching.exec("flaky", command, meta={"retry": -1, "delay": "1s"}), watching.file("one"))
    with watching.started():
        (tmp_path / "one").unlink()
        wait_until(content(tmp_path / "one"))
        wait_until(lambda: len(log.read_text().split()) == 2)
        (tmp_path / "allowed").touch()
        wait_until(lambda: watching.count("exec#flaky changed") == 1)
    times = list(map(int, log.read_text().split()))
    assert all(second - first >= 1_000_000_000 for first, second in itertools.pairwise(times))


@pytest.mark.starts_processes
@pytest.mark.parametrize("rewatch", [True, False])
def test_a_reload_of_others_gives_no_tries_back(watching, tmp_path, rewatch):
    log = tmp_path / "log"
    meta = {"retry": 1, "delay": "50ms", "rewatch": rewatch}
    flaky = watching.exec("flaky", f"sh -c 'date +%s%N >> {log}; false'", meta=meta)
    watching.write(flaky, watching.file("one"))
    with watching.started():
        wait_until(lambda: len(log.read_text().split()) == 2)
        watching.write(flaky, watching.file("one", "new\n"))
        wait_until(lambda: watching.count("The manifest was read again resources=2 changed=1 removed=0") == 1)
        wait_until(lambda: len(log.read_text().split()) == 4)
    _first, second, third, fourth = map(int, log.read_text().split())
    assert rewatch or third - second >= 1_000_000_000
    assert fourth - third >= 2_000_000_000


@pytest.mark.starts_processes
def test_poll_checks_again_and_again_and_watch_off_never(watching, tmp_path):
    watching.write(
        watching.file("polled", meta={"poll": "300ms"}),
        watching.file("once", meta={"poll": "once"}),
        watching.file("off", meta={"watch": "false"}),
        watching.file("alert", meta={"watch": "alert"}),
    )
    with watching.started("--status-file", tmp_path / "status"):
        for name in ("polled", "once", "off", "alert"):
            (tmp_path / name).unlink()
        wait_until(lambda: watching.count("noop=") >= 1)
        for _time in range(2):
            wait_until(content(tmp_path / "polled"))
            (tmp_path / "polled").unlink()
        wait_until(content(tmp_path / "polled"))
        assert not any((tmp_path / name).exists() for name in ("once", "off", "alert"))
    assert f"file#{tmp_path}/alert changed" in watching.out()
    checks = checks_of(watching)
    assert (checks["once"], checks["off"]) == (1, 1)
    assert checks["polled"] >= 3


@pytest.mark.starts_processes
def test_noop_reports_drift_and_repairs_nothing(watching, tmp_path):
    watching.write(watching.file("one"))
    with watching.started("--noop"):
        assert watching.count("noop=Would have created the file") == 1
        (tmp_path / "one").write_text("other")
        wait_until(lambda: watching.count("noop=") == 2)
    assert (tmp_path / "one").read_text() == "other"
    assert not (tmp_path / "state").exists()


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
def test_a_new_value_goes_to_its_receiver(watching, tmp_path):
    mint = watching.exec("mint", f"cat {tmp_path}/secret", meta={"watch_files": [str(tmp_path / "secret")]})
    (tmp_path / "secret").write_text("one\n")
    watching.write(mint, watching.file("token", "{{ sent('exec#mint').stdout }}"))
    with watching.started():
        (tmp_path / "secret").write_text("two\n")
        wait_until(content(tmp_path / "token", "two"))


@pytest.mark.starts_processes
def test_a_change_of_the_manifest_changes_what_is_watched_and_nothing_else(watching, tmp_path):
    resources = [watching.file(f"f{number}") for number in range(500)]
    watching.write(*resources)
    with watching.started("--status-file", tmp_path / "status"):
        watching.rest()
        before = checks_of(watching)
        resources[7] = watching.file("f7", "new\n")
        resources[8] = watching.file("added")
        watching.write(*resources)
        wait_until(lambda: content(tmp_path / "f7", "new\n")() and content(tmp_path / "added")())
        assert watching.count("The manifest was read again resources=500 changed=2 removed=1") == 1
        # What is due is managed in order: when the last one was, no other one is due.
        for name in ("f8", "added", "f499"):
            (tmp_path / name).unlink()
        wait_until(lambda: content(tmp_path / "added")() and content(tmp_path / "f499")())
        assert not (tmp_path / "f8").exists()
    after = checks_of(watching)
    same = set(before) - {"f7", "f8", "f499"}
    assert {name: after[name] for name in same} == {name: before[name] for name in same}


@pytest.mark.starts_processes
def test_what_a_manifest_does_not_declare_any_more_is_undone(watching, tmp_path):
    (tmp_path / "one").write_text("before\n")
    watching.write(watching.file("one", meta={"reverse": True}), watching.file("two"))
    with watching.started():
        wait_until(content(tmp_path / "one"))
        watching.write(watching.file("two"))
        wait_until(content(tmp_path / "one", "before\n"))


@pytest.mark.starts_processes
def test_a_broken_manifest_leaves_the_one_before_at_work(watching, tmp_path):
    watching.write(watching.file("one"))
    with watching.started():
        (tmp_path / "m.yaml").write_text("ccm:\n  resources:\n    - file:\n        - /x: {ensure: presnt}\n")
        wait_until(lambda: watching.count("The manifest is not used, the one before stays at work") == 1)
        assert "m.yaml:4:" in watching.out()
        (tmp_path / "one").unlink()
        wait_until(content(tmp_path / "one"))
        watching.write(watching.file("one", "new\n"))
        wait_until(content(tmp_path / "one", "new\n"))


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
def test_it_goes_on_when_no_descriptor_is_left(watching, tmp_path):
    watching.write(watching.file("one", meta={"delay": "100ms"}))
    with watching.started():
        pid, limits = watching.process.pid, resource.prlimit(watching.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (len(watching.descriptors()), limits[1]))
        (tmp_path / "one").unlink()
        wait_until(lambda: watching.count("too many open files") >= 1)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)
        wait_until(content(tmp_path / "one"))


@pytest.mark.starts_processes
def test_data_and_environment_are_watched(watching, tmp_path):
    (tmp_path / "data.yaml").write_text("data: {word: one}\n")
    (tmp_path / ".env").write_text("NUMBER=1\n")
    watching.write(watching.file("one", "{{ Data.word }} {{ Environ.NUMBER }}\n"))
    with watching.started("--hiera", tmp_path / "data.yaml"):
        assert content(tmp_path / "one", "one 1\n")()
        (tmp_path / "data.yaml").write_text("data: {word: two}\n")
        wait_until(content(tmp_path / "one", "two 1\n"))
        (tmp_path / ".env").write_text("NUMBER=2\n")
        wait_until(content(tmp_path / "one", "two 2\n"))


@pytest.mark.starts_processes
def test_several_resources_are_managed_at_once(watching, tmp_path):
    """Each command waits until all of them have begun."""
    (tmp_path / "begun").mkdir()
    waiting = f'touch {tmp_path}/begun/$0; until test "$(ls {tmp_path}/begun | wc -l)" = 4; do sleep 0.01; done'
    subscribed = {"refreshonly": True, "subscribe": [f"file#{tmp_path}/one"]}
    names = [f"c{number}" for number in range(4)]
    commands = [watching.exec(name, f"sh -c '{waiting}' {name}", **subscribed) for name in names]
    watching.write(watching.file("one"), *commands)
    with watching.started("--parallel", "4"):
        for name in names:
            (tmp_path / "begun" / name).unlink()
        (tmp_path / "one").unlink()
        wait_until(lambda: all(watching.count(f"exec#{name} refreshed") == 2 for name in names))


@pytest.mark.starts_processes
@pytest.mark.parametrize(("signals", "status"), [(1, 130), (2, 130), (3, 130)])
def test_ctrl_c_finishes_what_runs_then_ends_it_then_kills_it(watching, tmp_path, signals, status):
    ignoring = 'trap "" TERM; ' if signals == 3 else ""
    waiting = f"until test -e {tmp_path}/go; do sleep 0.01; done"
    slow = watching.exec("slow", f"sh -c '{ignoring}touch {tmp_path}/began; {waiting}; touch {tmp_path}/ended'")
    session = tmp_path / "session"
    session.mkdir()
    watching.write(watching.file("one"), slow, watching.file("never"))
    with open(tmp_path / "out", "w") as out:
        command = watching_command(watching, "--session", str(session))
        process = subprocess.Popen(command, cwd=tmp_path, env=watching.environment, stdout=out, stderr=out)
    try:
        wait_until((tmp_path / "began").exists)
        wait_until(lambda: is_asleep(process.pid))
        for said in ("waiting for what runs", "ending commands", "killing commands")[:signals]:
            process.send_signal(signal.SIGINT)
            wait_until(lambda said=said: said in watching.out())
        if signals == 1:
            assert process.poll() is None
            (tmp_path / "go").touch()
        assert process.wait(PATIENCE) == status
    finally:
        (tmp_path / "go").touch()
        process.kill()
        process.wait()
    assert (tmp_path / "ended").exists() == (signals == 1)
    assert "Traceback" not in watching.out()
    assert not (tmp_path / "never").exists()
    # The session has what ran, also the command that was ended, and nothing else is left in it.
    records = [json.loads(path.read_text()) for path in sorted(session.iterdir())]
    assert [each.get("name", "") for each in records] == ["", str(tmp_path / "one"), "slow"]
    assert records[2].get("error") == {1: [], 2: ["signal: terminated"], 3: ["signal: killed"]}[signals]


def watching_command(watching, *words):
    return [*CCM, "watch", str(watching.directory / "m.yaml"), *words]


@pytest.mark.starts_processes
def test_sigterm_ends_it_with_status_0_and_a_whole_session(watching, tmp_path):
    session = tmp_path / "session"
    session.mkdir()
    watching.write(watching.file("one"))
    with watching.started("--session", session):
        watching.settle()
        (tmp_path / "one").unlink()
        wait_until(lambda: watching.count(" changed ") == 2)
    assert watching.process.returncode == 0
    records = [json.loads(path.read_text()) for path in sorted(session.glob("*.event"))]
    starts = [each for each in records if each["protocol"].endswith("session.start")]
    assert len(starts) >= 2
    assert [each.get("changed") for each in records].count(True) == 2


def test_it_ends_when_it_is_converged(ccm, tmp_path, watching):
    watching.write(watching.file("one"))
    done = ccm("watch", "m.yaml", "--exit-converged", "200ms", "--status-file", "status")
    assert (done.status, done.err) == (0, "")
    status = json.loads((tmp_path / "status").read_text())
    assert [each["outcome"] for each in status["resources"]] in (["changed"], ["stable"])
    assert status["resources"][0]["watched"] == [str(tmp_path / "one")]
    assert status["degraded"] == []


@pytest.mark.starts_processes
def test_it_says_what_did_not_converge(ccm, watching):
    watching.write(watching.exec("fails", "false"))
    done = ccm("watch", "m.yaml", "--exit-converged", "100ms", "--max-runtime", "500ms")
    assert done.status == 1
    assert "it did not converge in time: exec#fails" in done.err


@pytest.mark.starts_processes
def test_apply_goes_on_until_it_is_converged(ccm, tmp_path, watching):
    watching.write(
        watching.file("one"),
        watching.exec("twice", f"sh -c 'echo >> {tmp_path}/log; test $(wc -l < log) = 2'", cwd=str(tmp_path)),
    )
    done = ccm("apply", "m.yaml", "--until-converged", "200ms", "--detailed-exitcodes")
    assert done.status == 2
    assert "Total Resources: 2" in done.out
    assert "Failed Resources: 0" in done.out


@pytest.mark.starts_processes
def test_the_manifest_says_until_when(ccm, tmp_path, watching):
    watching.write(
        watching.exec("twice", f"sh -c 'echo >> {tmp_path}/log; test $(wc -l < log) = 2'", cwd=str(tmp_path)),
        engine={"converged": "200ms"},
    )
    assert "Failed Resources: 1" in ccm("apply", "m.yaml", "--until-converged", "0s").out
    (tmp_path / "log").unlink()
    assert "Failed Resources: 0" in ccm("apply", "m.yaml").out
    (tmp_path / "log").unlink()
    assert ccm("watch", "m.yaml").status == 0


def test_a_wrong_time_to_converge_is_refused_with_its_place(ccm, watching):
    watching.write(watching.file("one"), engine={"converged": "soon"})
    done = ccm("apply", "m.yaml")
    assert done.status == 1
    assert 'converged "soon": invalid duration' in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["watch", "m.yaml", "--exit-converged", "soon"], 'in place of "soon"'),
        (["apply", "m.yaml", "--until-converged=-1s"], "--until-converged is a negative time"),
        (["watch", "m.yaml", "--exit-converged=-1s"], "--exit-converged is a negative time"),
        (["watch", "m.yaml", "--max-runtime=-1s"], "--max-runtime is a negative time"),
        (["watch", "m.yaml", "--events", "xml"], "enum value must be one of json-lines, got 'xml'"),
        (["apply", "m.yaml", "--until-converged", "1s", "--monitor-only"], "--until-converged manages resources"),
    ],
)
def test_wrong_flags_are_refused(ccm, watching, words, message):
    watching.write(watching.file("one"))
    done = ccm(*words)
    assert done.status == 1
    assert message in done.err


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ({"watch": "sometimes"}, "watch must be one of repair, alert, false, true"),
        ({"poll": "0s"}, 'poll "0s" leaves no time'),
        ({"poll": "often"}, 'poll "often": '),
        ({"grace": "-1s"}, 'grace "-1s": negative'),
        ({"limit": "2"}, 'limit "2" is not a number of checks in a time'),
        ({"limit": "0/s"}, 'limit "0/s" is not a number of checks in a time'),
        ({"limit": "1/fortnight"}, 'limit "1/fortnight" is not a number of checks in a time'),
        ({"burst": 2}, "burst needs a limit"),
    ],
)
def test_settings_without_a_meaning_are_refused(ccm, watching, meta, message):
    watching.write(watching.file("one", meta=meta))
    done = ccm("watch", "m.yaml", "--exit-converged", "10ms")
    assert done.status == 1
    assert message in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--status-file", "/nowhere/status"), "--status-file /nowhere/status cannot be written"),
        (("--status-file", "/tmp"), "--status-file /tmp cannot be written"),
        (("--status-file", "/dev/null"), "--status-file /dev/null cannot be written"),
        (("--session", "missing"), "missing does not exist"),
        (("--exit-converged", "5s", "--max-runtime", "5s"), "--max-runtime ends it before --exit-converged can"),
    ],
)
def test_what_cannot_work_is_refused_at_the_start(ccm, watching, tmp_path, words, message):
    watching.write(watching.file("one"))
    done = ccm("watch", "m.yaml", *words)
    assert done.status == 1
    assert message in done.err
    assert not (tmp_path / "one").exists()


@pytest.mark.starts_processes
def test_the_end_of_a_failure_is_reported(watching, tmp_path):
    command = f"test -e {tmp_path}/there"
    watching.write(watching.exec("waits", command), {"apply": [{"child.yaml": {}}]})
    watching.write(watching.exec("waits below", command), name="child.yaml")
    with watching.started("--events", "json-lines"):
        wait_until(lambda: watching.count("failed") >= 2)
        (tmp_path / "there").touch()
        wait_until(lambda: watching.count("exec#waits changed") == 1)
        wait_until(lambda: watching.count("exec#waits below changed") == 1)


@pytest.mark.starts_processes
def test_the_end_of_drift_is_reported(watching, tmp_path):
    watching.write(watching.file("one"), watching.exec("note", "true", refreshonly=True, subscribe=["file#one"]))
    manifest = (tmp_path / "m.yaml").read_text().replace("file#one", f"file#{tmp_path}/one")
    (tmp_path / "m.yaml").write_text(manifest)
    with watching.started("--noop", "--events", "json-lines", "--status-file", tmp_path / "status"):
        wait_until(lambda: watching.count(" noop=Would") == 2)
        (tmp_path / "one").write_text("text\n")
        (tmp_path / "one").chmod(0o644)
        wait_until(lambda: watching.count(f"file#{tmp_path}/one stable") == 1)
        wait_until(lambda: watching.count("exec#note stable") == 1)
        wait_until((tmp_path / "status").exists)
    status = json.loads((tmp_path / "status").read_text())
    assert [each["outcome"] for each in status["resources"]] == ["stable", "stable"]
    assert not any("noop" in each or "changed" in each for each in status["resources"])


def test_drift_is_marked_in_the_status_file(ccm, watching, tmp_path):
    watching.write(watching.file("one"))
    assert (
        ccm("watch", "m.yaml", "--noop", "--exit-converged", "10ms", "--status-file", tmp_path / "status").status == 0
    )
    [status] = json.loads((tmp_path / "status").read_text())["resources"]
    assert (status["outcome"], status["noop"], status["checks"]) == ("changed", True, 1)


@pytest.mark.starts_processes
def test_who_names_a_resource_that_is_removed_fails_as_in_a_new_run(watching, tmp_path):
    note = watching.exec("note", "true", refreshonly=True, subscribe=[f"file#{tmp_path}/one"])
    watching.write(watching.file("one"), note)
    with watching.started():
        watching.write(watching.file("two"), note)
        wait_until(lambda: watching.count(f"no events found for file#{tmp_path}/one") >= 1)


@pytest.mark.starts_processes
def test_a_manifest_that_is_a_link_is_read_again(watching, tmp_path):
    watching.write(watching.file("one"), name="real.yaml")
    (tmp_path / "d").mkdir()
    (tmp_path / "real.yaml").rename(tmp_path / "d/real.yaml")
    (tmp_path / "m.yaml").symlink_to("d/real.yaml")
    with watching.started():
        watching.write(watching.file("two"), name="new.yaml")
        (tmp_path / "new.yaml").rename(tmp_path / "d/real.yaml")
        wait_until(content(tmp_path / "two"))


@pytest.mark.starts_processes
def test_the_service_manager_hears_of_it(watching, tmp_path, monkeypatch):
    watching.write(watching.file("one"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(PATIENCE)
        watching.environment.update(NOTIFY_SOCKET=str(tmp_path / "notify"), WATCHDOG_USEC="200000")

        def next_but_watchdog():
            while True:
                heard = manager.recv(1000).decode()
                if heard != "WATCHDOG=1":
                    return heard.splitlines()[0]

        with watching.started():
            assert manager.recv(1000) == b"WATCHDOG=1"
            assert next_but_watchdog() == "READY=1"
            watching.process.send_signal(signal.SIGHUP)
            assert next_but_watchdog() == "RELOADING=1"
            assert next_but_watchdog() == "READY=1"
            assert manager.recv(1000) == b"WATCHDOG=1"
        assert next_but_watchdog() == "STOPPING=1"


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


def status_of(folder):
    return json.loads((folder / "status").read_text())


@pytest.mark.starts_processes
@pytest.mark.parametrize("rewatch", [None, True, False])
def test_what_fails_is_tried_anew_when_the_manifest_is_read_again(watching, tmp_path, rewatch):
    meta = {"delay": "1h"} if rewatch is None else {"delay": "1h", "rewatch": rewatch}
    failing = watching.exec("fails", f"test -e {tmp_path}/here", meta=meta)
    watching.write(failing, watching.file("other"))
    with watching.started():
        assert watching.count("exec#fails failed") == 1
        (tmp_path / "here").touch()
        watching.write(failing, watching.file("other", "new\n"))
        wait_until(content(tmp_path / "other", "new\n"))
        if rewatch is not False:
            wait_until(lambda: watching.count("exec#fails changed") == 1)
        watching.settle()
        assert watching.count("exec#fails changed") == (rewatch is not False)
        # It succeeded, or waits for its next try: the next reading has nothing to do for it.
        watching.process.send_signal(signal.SIGHUP)
        wait_until(lambda: watching.count("The manifest was read again") == 2)
        watching.settle()
        assert watching.count("exec#fails changed") == (rewatch is not False)


def while_watching(ccm, *steps, words=()):
    """Watch in this process; take steps, each of which ends when its text was printed; return what is printed.

    A step is a function and a text that it leads to.
    """
    out = sys.stdout

    def take_steps():
        try:
            wait_until(lambda: " runtime=" in out.getvalue())
            for act, text in steps:
                act()
                wait_until(lambda text=text: text in out.getvalue())
        finally:
            if not ended.is_set():
                signal.pthread_kill(threading.main_thread().ident, signal.SIGTERM)

    ended = threading.Event()
    thread = threading.Thread(target=take_steps)
    thread.start()
    done = ccm("watch", "m.yaml", "--max-runtime", f"{LIMIT:.0f}s", *words)
    ended.set()
    thread.join()
    assert done.status == 0
    return done.out


def test_a_status_file_that_cannot_be_written_is_named_once(ccm, watching, tmp_path):
    (tmp_path / "status").mkdir()
    watching.write(watching.file("one"))
    text = "The status file cannot be written"
    lose = (lambda: (tmp_path / "status").rename(tmp_path / "gone"), text)
    # It is written again at the end.
    assert while_watching(ccm, lose, words=("--status-file", tmp_path / "status/file")).count(text) == 1


def nothing():
    """Take no step but to wait for what is printed."""


def test_what_it_says_of_a_file_that_flaps(ccm, watching, tmp_path):
    text = "Flapping: repaired 6 times in 60 s, waiting longer before the next repairs"
    out = sys.stdout

    def spoil():
        # One that is spoiled while it is repaired fails, and counts for nothing.
        if content(tmp_path / "one")():
            (tmp_path / "one").write_text("other")

    watching.write(watching.file("one"))
    assert text in while_watching(ccm, (lambda: repeat_until(lambda: text in out.getvalue(), spoil), text))


def test_what_it_says_of_a_manifest_that_becomes_wrong(ccm, watching, tmp_path):
    watching.write(watching.file("one"))
    broken = "ccm: {resources: [{file: [{x: {ensure: present}}]}]}"
    text = "The manifest is not used, the one before stays at work"
    out = while_watching(
        ccm,
        (lambda: (tmp_path / "m.yaml").write_text(broken), "place=m.yaml:1:"),
        ((tmp_path / "m.yaml").unlink, "m.yaml: no such file or directory"),
        (lambda: os.mkfifo(tmp_path / "m.yaml"), "m.yaml is not a regular file"),
        (lambda: watching.write(watching.file("two")), "The manifest was read again"),
    )
    assert out.count(text) == 3


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
    monkeypatch.setattr("ccm.engine.watching.watches.POLL_SECONDS", 0.1)
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
def test_what_is_undone_is_an_event_like_others(watching, tmp_path):
    session = tmp_path / "session"
    session.mkdir()
    watching.write(watching.file("one", meta={"reverse": True}), watching.file("two"))
    with watching.started("--events", "json-lines", "--session", session):
        wait_until(content(tmp_path / "one"))
        watching.settle()
        watching.write(watching.file("two"))
        wait_until(lambda: not (tmp_path / "one").exists())
        wait_until(lambda: watching.count('"ensure":"absent"') >= 1)
        (tmp_path / "two").unlink()
        wait_until(content(tmp_path / "two"))


@pytest.mark.starts_processes
def test_tries_for_ever_leave_others_their_turn(watching, tmp_path):
    watching.write(watching.exec("false", "false", meta={"retry": -1}), watching.file("one"))
    begin = time.monotonic()
    with watching.started():
        for _time in range(3):
            (tmp_path / "one").unlink()
            wait_until(content(tmp_path / "one"))
    # Others have a tenth of a second between two tries.
    assert watching.count("exec#false failed") <= 1 + 10 * (time.monotonic() - begin)


@pytest.mark.starts_processes
def test_new_data_go_to_templates_and_applied_manifests(watching, tmp_path):
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates/t").write_text("[[ Data.word ]]")
    (tmp_path / "data.yaml").write_text("data: {word: one}\n")
    watching.write(watching.file("inner", "{{ Data.word }}"), name="child.yaml")
    tree = {"ensure": "present", "source": "templates", "engine": "jet"}
    watching.write({"scaffold": [{str(tmp_path / "tree"): tree}]}, {"apply": [{"child.yaml": {}}]})
    with watching.started("--hiera", tmp_path / "data.yaml"):
        wait_until(content(tmp_path / "inner", "one"))
        (tmp_path / "data.yaml").write_text("data: {word: two}\n")
        wait_until(content(tmp_path / "tree/t", "two"))
        wait_until(content(tmp_path / "inner", "two"))


@pytest.mark.starts_processes
def test_it_is_not_converged_while_a_repair_waits(ccm, watching, tmp_path):
    watching.write(watching.file("one", meta={"grace": "1500ms"}), watching.exec("remove", f"rm {tmp_path}/one"))
    assert ccm("watch", "m.yaml", "--exit-converged", "700ms").status == 0
    assert content(tmp_path / "one")()


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


@pytest.mark.starts_processes
def test_reloads_leave_no_memory(watching, tmp_path):
    watching.write(*(watching.file(f"f{number}") for number in range(100)))

    def reload(times):
        for _time in range(times):
            count = watching.count("The manifest was read again")
            watching.process.send_signal(signal.SIGHUP)
            wait_until(lambda count=count: watching.count("The manifest was read again") > count)
            watching.settle()
        return watching.memory()

    with watching.started():
        before, after = reload(20), reload(40)
    print(f"{before:.1f} MiB after 20 reloads, {after:.1f} MiB after 60")
    assert after - before < 4


@pytest.mark.starts_processes
def test_the_status_hides_secrets(ccm, watching, tmp_path):
    meta = {"watch_command": "/nowhere/program --password=hidden"}
    watching.write(watching.exec("one", "true", refreshonly=True, meta=meta))
    assert ccm("watch", "m.yaml", "--exit-converged", "100ms", "--status-file", "status").status == 0
    assert "hidden" not in (tmp_path / "status").read_text()


@pytest.mark.starts_processes
def test_a_session_that_cannot_be_written_is_named_once(ccm, watching, tmp_path):
    (tmp_path / "session").mkdir()
    watching.write(watching.exec("remove", f"rm -r {tmp_path}/session"), watching.file("one"))
    done = ccm("watch", "m.yaml", "--exit-converged", "100ms", "--session", tmp_path / "session")
    assert done.status == 0
    assert done.out.count("Events cannot be stored in the session") == 1


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("name", "words"),
    [("m.yaml", ()), ("given.yaml", ("--hiera", "given.yaml")), ("given.yaml", ("--facts", "given.yaml"))],
)
def test_what_becomes_a_pipe_is_refused(watching, tmp_path, name, words):
    (tmp_path / "given.yaml").write_text("data: {a: b}\n")
    watching.write(watching.file("one"))
    with watching.started(*words):
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "pipe").rename(tmp_path / name)
        wait_until(lambda: watching.count(f"{name} is not a regular file") == 1)
        (tmp_path / "one").unlink()
        wait_until(content(tmp_path / "one"))


@pytest.mark.starts_processes
def test_a_manifest_that_cannot_run_undoes_nothing(watching, tmp_path):
    watching.write(watching.file("inner"), name="child.yaml")
    applying = {"apply": [{"child.yaml": {}}]}
    watching.write(watching.file("keep", meta={"reverse": True}), applying)
    with watching.started():
        watching.settle()
        watching.write(applying, watching.file("other", provider="nope"))
        wait_until(lambda: watching.count("The manifest is not used, the one before stays at work") == 1)
        (tmp_path / "inner").unlink()
        wait_until(content(tmp_path / "inner"))
        watching.settle()
        assert content(tmp_path / "keep")()


@pytest.mark.starts_processes
def test_what_was_stable_is_undone_when_it_leaves(ccm, watching, tmp_path):
    keep = watching.file("keep", "{{ 'x' }}", meta={"reverse": True})
    watching.write(keep, watching.file("two"))
    watching.environment["CCM_STATE"] = os.environ["CCM_STATE"]
    for _run in range(2):
        assert ccm("apply", tmp_path / "m.yaml").status == 0
    with watching.started():
        watching.write(watching.file("two"))
        wait_until(lambda: not (tmp_path / "keep").exists())


@pytest.mark.starts_processes
def test_what_a_failure_left_out_is_managed_when_it_is_mended(watching, tmp_path):
    first = watching.exec("first", f"test -e {tmp_path}/allowed", meta={"delay": "100ms"})
    watching.write(first, watching.file("second"), fail_on_error=True)
    with watching.started("--no-state") as running:
        wait_until(lambda: running.count("exec#first failed") >= 1)
        assert not (tmp_path / "second").exists()
        (tmp_path / "allowed").touch()
        wait_until(content(tmp_path / "second"))


@pytest.mark.starts_processes
def test_a_refresh_that_failed_in_an_applied_manifest_is_made_up_for(watching, tmp_path):
    note = watching.exec(
        "note",
        f"sh -c 'test -e {tmp_path}/allowed && touch {tmp_path}/noted'",
        refreshonly=True,
        subscribe=[f"file#{tmp_path}/inner"],
    )
    (tmp_path / "inner").write_text("text\n")
    (tmp_path / "inner").chmod(0o644)
    watching.write(watching.file("inner"), note, name="child.yaml")
    watching.write({"apply": [{"child.yaml": {}}]})
    with watching.started():
        (tmp_path / "inner").write_text("other")
        wait_until(lambda: watching.count("exec#note failed") >= 1)
        (tmp_path / "allowed").touch()
        wait_until((tmp_path / "noted").exists)


@pytest.mark.starts_processes
def test_a_reload_runs_nothing_again_that_is_the_same(watching, tmp_path):
    command = watching.exec("each", f"sh -c 'echo $A >> {tmp_path}/log'", environment=["A={{ Environ.HOME }}"])
    watching.write(command)
    with watching.started():
        watching.process.send_signal(signal.SIGHUP)
        wait_until(lambda: watching.count("The manifest was read again") == 1)
        watching.settle()
    assert len((tmp_path / "log").read_text().splitlines()) == 1


@pytest.mark.starts_processes
@pytest.mark.parametrize("others", [[], ["x", "y"]])
def test_what_fail_on_error_kept_back_is_managed_after_the_manifest_changed(watching, tmp_path, others):
    watching.write(watching.exec("no", "false"), watching.appending("kept", "log"), fail_on_error=True)
    with watching.started():
        watching.write(
            *(watching.appending(name, "log") for name in others), watching.appending("kept", "log"), fail_on_error=True
        )
        wait_until(lambda: (tmp_path / "log").exists() and "kept" in (tmp_path / "log").read_text())
    assert sorted((tmp_path / "log").read_text().split()) == sorted([*others, "kept"])


@pytest.mark.starts_processes
@pytest.mark.parametrize("meta", [{"poll": "1000h"}, {"grace": "1000h"}, {"limit": "1/1000h"}], ids=str)
def test_long_times_are_waited_for(watching, tmp_path, meta):
    watching.write(watching.file("one", meta=meta), watching.file("two"))
    with watching.started("--max-runtime", "2000h"):
        (tmp_path / "one").unlink()
        watching.settle()
        (tmp_path / "two").unlink()
        wait_until(content(tmp_path / "two"))


@pytest.mark.starts_processes
def test_a_sensitive_value_is_not_in_the_status_file(ccm, watching, tmp_path):
    (tmp_path / "secret").write_text("hunter2")
    watching.write(
        watching.exec("secret", f"cat {tmp_path}/secret", meta={"send": {"sensitive": True}}),
        watching.exec("user", "true", creates="{{ sent('exec#secret').stdout }}"),
    )
    assert ccm("watch", "m.yaml", "--exit-converged", "10ms", "--status-file", tmp_path / "status").status == 0
    status = (tmp_path / "status").read_text()
    assert "hunter2" not in status
    assert "REDACTED" in status


@pytest.mark.starts_processes
def test_a_command_does_not_run_again_when_what_it_requires_recovers(watching, tmp_path):
    (tmp_path / "d").mkdir()
    watching.write(watching.file("d/one"), watching.appending("after", "log", require=[f"file#{tmp_path}/d/one"]))
    with watching.started():
        wait_until(content(tmp_path / "log", "after\n"))
        (tmp_path / "d").rename(tmp_path / "moved")
        (tmp_path / "d").write_text("no directory")
        wait_until(lambda: watching.count("d/one failed") >= 1)
        (tmp_path / "d").unlink()
        (tmp_path / "moved").rename(tmp_path / "d")
        wait_until(lambda: watching.count("d/one stable") == 1)
        watching.settle()
    assert (tmp_path / "log").read_text() == "after\n"


@pytest.mark.starts_processes
def test_one_and_true_are_different_data(watching, tmp_path):
    (tmp_path / "data.yaml").write_text("data: {value: 1}\n")
    watching.write(watching.file("one", "{{ Data.value }}"))
    with watching.started("--hiera", tmp_path / "data.yaml"):
        wait_until(content(tmp_path / "one", "1"))
        (tmp_path / "data.yaml").write_text("data: {value: true}\n")
        wait_until(content(tmp_path / "one", "true"))


@pytest.mark.starts_processes
def test_what_is_always_due_leaves_time_to_save(ccm, watching, tmp_path, monkeypatch):
    monkeypatch.setattr("ccm.engine.watching.watcher._SAVE_AT_LEAST", 1_500_000_000)
    watching.write(*(watching.exec(name, "sleep 0.3", meta={"poll": "10ms"}) for name in "ab"))
    wait = (lambda: wait_until((tmp_path / "status").exists), "")
    while_watching(ccm, wait, words=("--status-file", tmp_path / "status"))


@pytest.mark.starts_processes
def test_a_limit_holds_for_refreshes(watching, tmp_path):
    note = watching.appending(
        "note", "log", refreshonly=True, subscribe=[f"file#{tmp_path}/one"], meta={"limit": "1/2s"}
    )
    watching.write(watching.file("one"), note)
    with watching.started():
        begin = time.monotonic()
        for _time in range(4):
            wait_until(content(tmp_path / "one"))
            (tmp_path / "one").unlink()
        wait_until(content(tmp_path / "one"))
        watching.rest()
        # One at once; what comes within two seconds after one is made up for by one more.
        assert 2 <= (tmp_path / "log").read_text().count("note") <= 1 + (time.monotonic() - begin) / 2 + 1


@pytest.mark.starts_processes
def test_a_manifest_of_a_web_server_keeps_its_directory(watching, tmp_path):
    (tmp_path / "site/tree/files").mkdir(parents=True)
    (tmp_path / "site/tree/files/x").write_text("from the server\n")
    one = {"ensure": "present", "source": "files/x", **watching.owner}
    text = json.dumps({"ccm": {"resources": [{"file": [{str(tmp_path / "one"): one}]}]}})
    (tmp_path / "site/tree/manifest.yaml").write_text(text)
    watching.write(watching.file("unused"))
    with tarfile.open(tmp_path / "site/m.tgz", "w:gz") as archive:
        for name in ("manifest.yaml", "files/x"):
            archive.add(tmp_path / "site/tree" / name, name)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = [*CCM, "watch", f"http://127.0.0.1:{server.server_port}/m.tgz", "--no-state"]
        with open(tmp_path / "out", "w") as out:
            watching.process = subprocess.Popen(
                command, cwd=tmp_path, env=watching.environment, stdout=out, stderr=out, stdin=subprocess.DEVNULL
            )
        try:
            for _time in range(2):
                wait_until(content(tmp_path / "one", "from the server\n"))
                (tmp_path / "one").unlink()
                watching.process.send_signal(signal.SIGHUP)
            wait_until(content(tmp_path / "one", "from the server\n"))
        finally:
            watching.process.send_signal(signal.SIGTERM)
            assert watching.process.wait(PATIENCE) == 0
        server.shutdown()
    assert not list(pathlib.Path(watching.environment.get("TMPDIR", "/tmp")).glob("manifest-*/files/x"))


@pytest.mark.starts_processes
def test_a_web_server_that_does_not_answer_keeps_nothing_waiting_at_the_end(watching, tmp_path):
    watching.write(watching.file("one"))
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        tar.add(tmp_path / "m.yaml", "manifest.yaml")
    requests = []
    answer = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(self.path)
            if len(requests) > 1:
                answer.wait(LIMIT)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(archive.getvalue())

        def log_message(self, *_):
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = [*CCM, "watch", f"http://127.0.0.1:{server.server_port}/m.tgz", "--no-state"]
        watching.process = process = subprocess.Popen(
            command, cwd=tmp_path, env=watching.environment, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL
        )
        try:
            wait_until(content(tmp_path / "one"))
            watching.settle()
            process.send_signal(signal.SIGHUP)
            wait_until(lambda: len(requests) > 1)
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
        finally:
            answer.set()
            process.kill()
            process.wait()
        server.shutdown()


@pytest.mark.starts_processes
def test_what_changes_again_and_again_does_not_converge(ccm, watching):
    watching.write(watching.exec("again", "true", meta={"poll": "50ms"}))
    done = ccm("watch", "m.yaml", "--exit-converged", "500ms", "--max-runtime", "1s")
    assert done.status == 1
    assert "it did not converge in time: nothing fails, but something changed again and again" in done.err

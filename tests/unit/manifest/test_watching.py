# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm watch` repairs what changed, once, tries again what failed, and goes on with a manifest that is read again."""

from __future__ import annotations

import itertools
import json
import os
import resource
import shutil
import signal
import sys
import time

import pytest

from tests.patience import LIMIT, PATIENCE, repeat_until, wait_until
from tests.seed import chance
from tests.unit.watching import ROUNDS, checks_of, content, rename_over, while_watching

EVENTS = int(os.environ.get("CCM_EVENTS", "240"))


#: So many files are changed at once.
TOGETHER = 10


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
        wait_until(lambda: watching.count("noop=") >= 2)
    assert (tmp_path / "one").read_text() == "other"
    assert not (tmp_path / "state").exists()


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
def test_it_goes_on_when_no_descriptor_is_left(watching, tmp_path):
    watching.write(watching.file("one", meta={"delay": "100ms"}))
    with watching.started():
        pid, limits = watching.process.pid, resource.prlimit(watching.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (len(watching.descriptors()), limits[1]))
        (tmp_path / "one").unlink()
        wait_until(lambda: watching.count("too many open files") >= 1)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)
        wait_until(content(tmp_path / "one"))


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
def test_it_is_not_converged_while_a_repair_waits(ccm, watching, tmp_path):
    watching.write(watching.file("one", meta={"grace": "1500ms"}), watching.exec("remove", f"rm {tmp_path}/one"))
    assert ccm("watch", "m.yaml", "--exit-converged", "700ms").status == 0
    assert content(tmp_path / "one")()


@pytest.mark.starts_processes
@pytest.mark.parametrize("is_changed", [False, True], ids=["the same", "another file each time"])
def test_reloads_leave_no_memory(watching, tmp_path, is_changed):
    files = [watching.file(f"f{number}") for number in range(100)]
    watching.write(*files)

    def reload(first, end):
        for number in range(first, end):
            count = watching.count("The manifest was read again")
            if is_changed:
                files[number] = watching.file(f"f{number}", f"{number}\n")
                watching.write(*files)
            else:
                watching.process.send_signal(signal.SIGHUP)
            wait_until(lambda count=count: watching.count("The manifest was read again") > count)
            watching.settle()
            if number % 10 == 9:
                # What is not saved yet is kept.
                watching.rest()
        return watching.memory()

    with watching.started():
        before, after = reload(0, 20), reload(20, 60)
    print(f"{before:.1f} MiB after 20 reloads, {after:.1f} MiB after 60")
    assert after - before < 4


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
def test_what_is_always_due_leaves_time_to_save(ccm, watching, tmp_path, monkeypatch):
    monkeypatch.setattr("ccm.manifest.watching._SAVE_AT_LEAST", 1_500_000_000)
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
def test_what_changes_again_and_again_does_not_converge(ccm, watching):
    watching.write(watching.exec("again", "true", meta={"poll": "50ms"}))
    done = ccm("watch", "m.yaml", "--exit-converged", "500ms", "--max-runtime", "5s")
    assert done.status == 1
    assert "it did not converge in time: nothing fails, but something changed again and again" in done.err


def test_a_manifest_that_changes_all_the_time_is_read_all_the_same(ccm, watching, tmp_path):
    watching.write(watching.file("one"))

    def change():
        watching.write(watching.file("one"), watching.file("two"))

    while_watching(ccm, (lambda: repeat_until(content(tmp_path / "two"), change), "The manifest was read again"))


@pytest.mark.starts_processes
def test_it_ends_while_a_file_that_notifies_is_still_to_be_looked_at(watching, tmp_path):
    """The command does not end at once, and the file is looked at a second after its change."""
    (tmp_path / "watched").touch()
    slow = "sh -c 'trap : TERM; while :; do sleep 0.3; done'"
    meta = {"watch_files": [str(tmp_path / "watched")], "watch_command": slow}
    watching.write(watching.appending("notified", "log", refreshonly=True, meta=meta))
    with watching.started():
        rename_over(tmp_path / "watched")
        wait_until(content(tmp_path / "log", "notified\n"))
        watching.process.send_signal(signal.SIGTERM)
        assert watching.process.wait(PATIENCE) == 0

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a check saw or wrote itself leads to no further check; each change by others does, though notices were lost."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import threading

import pytest

from tests.patience import wait_until
from tests.unit.watching import checks_of, content, rename_over, status_of

pytestmark = pytest.mark.starts_processes


def checked_once(watching, directory, *resources):
    """Watch resources that the first run makes; return how often each was checked."""
    watching.write(*resources)
    with watching.started("--status-file", directory / "status"):
        watching.rest()
        return checks_of(watching)


@pytest.mark.parametrize("ensure", ["present", "absent", "directory"])
def test_the_first_run_is_the_only_check(watching, tmp_path, ensure):
    """Made, removed, or made as a directory; one below a directory that is made before it."""
    (tmp_path / "two").mkdir()
    if ensure == "absent":
        (tmp_path / "one").write_text("text\n")
    one = {"file": [{str(tmp_path / "one"): {**watching.owner, "mode": "0755", "ensure": ensure}}]}
    if ensure == "present":
        one = watching.file("one")
    checks = checked_once(watching, tmp_path, one, watching.file("two/below"))
    assert checks == {"one": 1, "below": 1}


def test_attributes_that_are_set_are_no_change(watching, tmp_path):
    (tmp_path / "one").write_text("text\n")
    (tmp_path / "one").chmod(0o600)
    assert checked_once(watching, tmp_path, watching.file("one")) == {"one": 1}


def test_a_repair_is_one_check(watching, tmp_path):
    watching.write(watching.file("one"), watching.file("two"))
    with watching.started("--status-file", tmp_path / "status"):
        (tmp_path / "one").unlink()
        wait_until(content(tmp_path / "one"))
        watching.settle()
        (tmp_path / "one").chmod(0o600)
        wait_until(lambda: (tmp_path / "one").stat().st_mode & 0o777 == 0o644)
        watching.settle()
        rename_over(tmp_path / "one")
        wait_until(content(tmp_path / "one"))
        watching.rest()
    assert checks_of(watching) == {"one": 4, "two": 1}


def test_a_repair_below_an_applied_manifest_is_one_check(watching, tmp_path):
    watching.write(watching.file("inner"), name="child.yaml")
    watching.write({"apply": [{"child.yaml": {}}]})
    with watching.started("--status-file", tmp_path / "status"):
        (tmp_path / "inner").unlink()
        wait_until(content(tmp_path / "inner"))
        watching.rest()
    assert [each["checks"] for each in status_of(tmp_path)["resources"]] == [2]


def test_a_file_that_another_resource_wrote_is_a_change(watching, tmp_path):
    """The source of the first file is written by the second resource, in the same step."""
    (tmp_path / "source").write_text("old\n")
    copy = {"ensure": "present", "source": str(tmp_path / "source"), **watching.owner}
    watching.write({"file": [{str(tmp_path / "copy"): copy}]}, watching.file("source", "new\n"))
    with watching.started():
        wait_until(content(tmp_path / "copy", "new\n"))


def test_a_file_that_a_later_resource_spoils_is_repaired(watching, tmp_path):
    watching.write(watching.file("one"), watching.exec("spoil", f"rm {tmp_path}/one"))
    with watching.started():
        wait_until(content(tmp_path / "one"))


def test_content_of_the_same_size_that_is_written_just_after_a_repair_is_repaired(watching, tmp_path):
    """The clock of the kernel's times may be the same for the repair and the change."""
    paths = [tmp_path / f"f{number}" for number in range(60)]
    watching.write(*(watching.file(path.name, "right") for path in paths))
    with watching.started():
        for path in paths:
            before = path.stat().st_ino
            path.unlink()
            descriptor = -1
            while descriptor < 0:
                try:
                    descriptor = os.open(path, os.O_WRONLY)
                except FileNotFoundError:
                    continue
            os.write(descriptor, b"wrong")
            os.close(descriptor)
            wait_until(lambda path=path, before=before: path.exists() and path.read_text() == "right")


@pytest.fixture
def crowd(tmp_path):
    """A function that makes more notices in a directory than the kernel keeps."""
    most = int(pathlib.Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if most > 100_000:
        pytest.skip(f"the kernel keeps {most} notices")

    def make(directory):
        path = directory / "foreign"
        for number in range(most // 2 + 1000):
            path.write_text("x")
            path.unlink()
            if number % 100 == 0:
                path = directory / f"foreign{number}"

    return make


def stopped(watching):
    watching.process.send_signal(signal.SIGSTOP)
    wait_until(lambda: "T (stopped)" in (watching.proc / "status").read_text())


def test_after_lost_notices_only_what_changed_is_checked(watching, tmp_path, crowd):
    (tmp_path / "d/e").mkdir(parents=True)
    names = [f"d/f{number}" for number in range(50)]
    watching.write(*(watching.file(name) for name in names), watching.file("d/e/below"), watching.file("link"))
    with watching.started("--status-file", tmp_path / "status"):
        (tmp_path / "d/f1").unlink()
        wait_until(content(tmp_path / "d/f1"))
        watching.rest()
        before = checks_of(watching)
        stopped(watching)
        crowd(tmp_path / "d")
        (tmp_path / "d/f2").unlink()
        (tmp_path / "d/f3").write_text("mine\n")
        (tmp_path / "d/f4").chmod(0o600)
        (tmp_path / "d/e").rename(tmp_path / "d/gone")
        (tmp_path / "d/e").mkdir()
        watching.process.send_signal(signal.SIGCONT)
        for name in ("d/f2", "d/f3", "d/e/below"):
            wait_until(content(tmp_path / name))
        wait_until(lambda: (tmp_path / "d/f4").stat().st_mode & 0o777 == 0o644)
        # The directory that is new is watched, too.
        (tmp_path / "d/e/below").unlink()
        wait_until(content(tmp_path / "d/e/below"))
        watching.rest()
        wait_until(lambda: status_of(tmp_path)["resources"][2]["checks"] == 2)
    after = checks_of(watching)
    assert {name for name, count in after.items() if count > before[name]} == {"f2", "f3", "f4", "below"}


def test_notices_that_are_lost_in_a_step_hide_no_change(watching, tmp_path, crowd):
    """A file is written, notices are lost, and the file is spoiled in the same step."""
    (tmp_path / "d").mkdir()
    wait = watching.exec("wait", f"sh -c 'touch {tmp_path}/begun; until test -e {tmp_path}/go; do sleep 0.01; done'")
    # What was seen longer ago than the clock of ctime is coarse is not in doubt.
    older = watching.file("d/two"), watching.exec("age", "sleep 0.1")
    watching.write(*older, watching.file("d/one"), wait)

    def spoil():
        wait_until((tmp_path / "begun").exists)
        watching.process.send_signal(signal.SIGSTOP)
        crowd(tmp_path / "d")
        (tmp_path / "d/one").write_text("mine\n")
        watching.process.send_signal(signal.SIGCONT)
        (tmp_path / "go").touch()

    thread = threading.Thread(target=spoil)
    thread.start()
    with watching.started("--status-file", tmp_path / "status"):
        thread.join()
        wait_until(content(tmp_path / "d/one"))
        watching.rest()
    assert checks_of(watching)["two"] == 1


def test_a_directory_that_is_moved_and_brought_back_is_followed(watching, tmp_path):
    """Also with a link in its place, by which the file is the same one, and after that leads to nothing."""
    (tmp_path / "d").mkdir()
    watching.write(watching.file("d/one"))
    with watching.started("--status-file", tmp_path / "status"):
        watching.rest()
        (tmp_path / "d").rename(tmp_path / "moved")
        (tmp_path / "d").symlink_to("moved")
        wait_until(lambda: status_of(tmp_path)["resources"][0]["checks"] > 1)
        (tmp_path / "d/one").write_text("mine\n")
        wait_until(content(tmp_path / "d/one"))
        (tmp_path / "moved").rename(tmp_path / "farther")
        wait_until(lambda: watching.count("d/one failed") >= 1)
        (tmp_path / "farther/one").write_text("mine\n")
        (tmp_path / "farther").rename(tmp_path / "moved")
        wait_until(content(tmp_path / "d/one"))
        (tmp_path / "d").unlink()
        (tmp_path / "moved").rename(tmp_path / "d")
        (tmp_path / "d/one").write_text("mine\n")
        wait_until(content(tmp_path / "d/one"))
        (tmp_path / "d").rename(tmp_path / "gone")
        (tmp_path / "d").mkdir()
        wait_until(content(tmp_path / "d/one"))


@pytest.mark.needs("mounts")
def test_what_is_mounted_over_a_directory_is_followed(watching, tmp_path):
    (tmp_path / "d").mkdir()
    watching.write(watching.file("d/one"))
    with watching.started():
        subprocess.run(["mount", "-t", "tmpfs", "none", tmp_path / "d"], check=True)
        try:
            wait_until(content(tmp_path / "d/one"))
            (tmp_path / "d/one").write_text("mine\n")
            wait_until(content(tmp_path / "d/one"))
        finally:
            subprocess.run(["umount", tmp_path / "d"], check=True)
        (tmp_path / "d/one").write_text("mine\n")
        wait_until(content(tmp_path / "d/one"))

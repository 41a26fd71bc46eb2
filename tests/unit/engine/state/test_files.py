# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files and directories of a store that cannot be used: each command says which, and a run goes on without state."""

from __future__ import annotations

import errno
import os

import pytest
from ccm.engine.state import files
from ccm.host.hidden_files import HiddenFile

pytestmark = pytest.mark.starts_processes

FAULTS = {
    "is not a file": lambda path: (path.unlink(missing_ok=True), path.mkdir()),
    "is larger than 0 MiB": lambda path: path.write_bytes(b"ccm-state\n" * 10),
    "can be changed by other users": lambda path: (path.write_bytes(b""), path.chmod(0o666)),
    "too many levels of symbolic links": lambda path: (path.unlink(missing_ok=True), path.symlink_to("elsewhere")),
}
GOES_ON = " WARN  Going on without state between runs: "


@pytest.fixture
def entry(ccm, tmp_path):
    """The directory of the state of m.yaml, which was applied."""
    (tmp_path / "m.yaml").write_text("ccm: {resources: [{exec: {name: 'true'}}]}\n")
    ccm("apply", "m.yaml")
    (found,) = (tmp_path / "home/state/manifests").iterdir()
    return found


def refused(ccm, path, reason):
    """Assert that showing what is kept fails with this reason, and that a run goes on without it."""
    shown = ccm("state", "show", "m.yaml")
    assert shown.status == 1
    assert str(path) in shown.err
    assert reason in shown.err
    applied = ccm("apply", "m.yaml")
    assert (applied.status, applied.out.count(GOES_ON)) == (0, 1)
    assert reason in applied.out
    assert " exec#true changed " in applied.out


@pytest.mark.parametrize("name", ["state", "journal"])
@pytest.mark.parametrize("reason", FAULTS)
def test_a_file_that_cannot_be_used(ccm, entry, name, reason, monkeypatch):
    FAULTS[reason](entry / name)
    if "larger" in reason:
        monkeypatch.setattr(files, "LARGEST_FILE", 20)
    refused(ccm, entry / name, reason)


@pytest.mark.needs("root")
@pytest.mark.parametrize("name", ["state", "journal"])
def test_a_file_of_another_user(ccm, entry, name):
    (entry / name).touch()
    os.chown(entry / name, 65534, 65534)
    refused(ccm, entry / name, "belongs to another user")


@pytest.mark.needs("root")
def test_the_directory_of_all_manifests_of_another_user(ccm, entry):
    os.chown(entry.parent, 65534, 65534)
    refused(ccm, entry.parent, "belongs to another user")


def test_the_directory_of_all_manifests_that_is_a_file(ccm, entry, tmp_path):
    entry.parent.rename(tmp_path / "moved")
    entry.parent.write_text("")
    refused(ccm, entry.parent, "is not a directory")


def test_a_lock_that_is_a_directory(ccm, entry):
    (entry / "lock").unlink()
    (entry / "lock").mkdir()
    assert "is a directory" in ccm("state", "forget", "m.yaml").err


def test_a_lock_that_cannot_be_removed(ccm, entry, monkeypatch):
    unlink = os.unlink

    def refuse(path, *words, **named):
        if path == "lock":
            raise PermissionError(13, "")
        unlink(path, *words, **named)

    monkeypatch.setattr(os, "unlink", refuse)
    ran = ccm("state", "forget", "m.yaml")
    assert (ran.status, "lock: permission denied" in ran.err) == (1, True)


def test_a_journal_with_strange_lines(ccm, entry):
    (entry / "journal").write_bytes(b"owe\n\nnonsense\tof\tanything\n")
    (entry / "journal").chmod(0o600)
    applied = ccm("apply", "m.yaml")
    assert applied.out.count(" WARN  Lines of the state of earlier runs cannot be read file=") == 1
    assert "lines=2" in applied.out
    assert "cannot be read" not in ccm("apply", "m.yaml").out


def test_a_damaged_file_is_left_where_it_is_in_noop(ccm, entry):
    (entry / "state").write_bytes(b"damaged")
    (entry / "state").chmod(0o600)
    output = ccm("apply", "m.yaml", "--noop").out
    assert output.count(" WARN  The state of earlier runs is damaged, and is not used file=") == 1
    assert (entry / "state").read_bytes() == b"damaged"


@pytest.mark.parametrize(("mode", "what"), [("--report", "put aside"), ("--noop", "used"), ("--monitor-only", "used")])
def test_a_damaged_file_is_named_before_anything_runs(ccm, entry, mode, what):
    (entry / "state").write_bytes(b"damaged")
    (entry / "state").chmod(0o600)
    first = ccm("apply", "m.yaml", mode).out.splitlines()[0]
    assert first.startswith(" WARN  The state of earlier runs is damaged, and ")
    assert f"{what} file={entry}/state" in first


SUBSCRIBED = """
ccm:
  resources:
    - exec:
        - "true": {}
        - cause: {command: "true"}
        - restart: {command: "true", refreshonly: true, subscribe: [exec#cause]}
"""


@pytest.fixture
def refused_calls(monkeypatch):
    """Let calls of a function of os fail for a file, as on a full disk; call it with the function and the file."""

    def refuse(function, wanted):
        real = getattr(os, function)

        def call(*words, **named):
            if any(isinstance(word, str) and os.path.basename(word).startswith(wanted) for word in words):
                raise OSError(errno.ENOSPC, "")
            return real(*words, **named)

        monkeypatch.setattr(os, function, call)

    return refuse


def goes_on(ccm, path):
    output = ccm("apply", "m.yaml").out
    assert output.count(GOES_ON) == 1
    assert f"{GOES_ON}{path}: no space left on device" in output


def test_a_journal_that_cannot_be_written(ccm, entry, tmp_path, monkeypatch):
    def full(_fd):
        raise OSError(errno.ENOSPC, "")

    monkeypatch.setattr(os, "fdatasync", full)
    (tmp_path / "m.yaml").write_text(SUBSCRIBED)
    goes_on(ccm, entry / "journal")


def test_a_file_that_cannot_be_replaced(ccm, entry, tmp_path, refused_calls):
    refused_calls("rename", "state")
    (tmp_path / "m.yaml").write_text(SUBSCRIBED)
    goes_on(ccm, entry / "state")


def test_a_journal_that_cannot_be_removed(ccm, entry, tmp_path, refused_calls):
    refused_calls("unlink", "journal")
    (tmp_path / "m.yaml").write_text(SUBSCRIBED)
    goes_on(ccm, entry / "journal")


def test_a_damaged_file_that_cannot_be_put_aside(ccm, entry, refused_calls):
    (entry / "state").write_bytes(b"damaged")
    (entry / "state").chmod(0o600)
    refused_calls("rename", "state")
    goes_on(ccm, entry / "state")


def test_values_that_cannot_be_kept(ccm, entry, tmp_path, refused_calls):
    sender = 'ccm: {{resources: [{{exec: {{name: "{command}", meta: {{send: {{sensitive: false}}}}}}}}]}}\n'
    (tmp_path / "m.yaml").write_text(sender.format(command="echo one"))
    ccm("apply", "m.yaml")
    assert len(list(entry.glob("sent-*"))) == 1
    (tmp_path / "m.yaml").write_text(sender.format(command="echo $RANDOM"))
    refused_calls("rename", "sent-")
    output = ccm("apply", "m.yaml").out
    assert f"{GOES_ON}{entry}/sent-" in output
    assert "no space left on device" in output


def test_what_a_killed_run_left_hidden_goes_with_the_next_run(ccm, entry, tmp_path):
    """It may hold a value that a resource sent. A file that another run is writing stays."""
    (entry / ".sent-0123.ccm-new").write_text("a secret")
    directory = os.open(entry, os.O_RDONLY)
    with HiddenFile(directory, "sent-4567") as written:
        (tmp_path / "m.yaml").write_text("ccm: {resources: [{exec: {name: 'echo one'}}]}\n")
        ccm("apply", "m.yaml")
        assert [path.name for path in entry.glob(".*")] == [written.name]
    os.close(directory)


def test_what_is_kept_is_on_disk_before_it_has_its_place(ccm, entry, tmp_path, monkeypatch):
    """A power failure then leaves the file as it was or complete: never a name without its content."""
    calls = []
    fsync, rename = os.fsync, os.rename

    def noted_fsync(fd):
        calls.append(("fsync", os.path.basename(os.readlink(f"/proc/self/fd/{fd}"))))
        fsync(fd)

    def noted_rename(source, target, **named):
        calls.append(("rename", os.path.basename(target)))
        rename(source, target, **named)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "rename", noted_rename)
    send = 'ccm: {resources: [{exec: {name: "echo one", meta: {send: {sensitive: false}}}}]}\n'
    (tmp_path / "m.yaml").write_text(send)
    ccm("apply", "m.yaml")
    (sent,) = entry.glob("sent-*")
    placed = calls.index(("rename", sent.name))
    assert calls[placed - 1] == ("fsync", f".{sent.name}.ccm-new")
    assert calls[placed + 1] == ("fsync", entry.name)

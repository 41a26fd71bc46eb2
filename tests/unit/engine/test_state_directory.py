# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files and directories of a store that cannot be used: each command says which, and a run goes on without state."""

from __future__ import annotations

import errno
import os
import pathlib
import re
from functools import partial

import pytest
from ccm.engine.state import locked_directory, own_files
from ccm.engine.state.locked_directory import LockedDirectory
from ccm.engine.state.own_files import content_of, remove
from ccm.engine.state.stored_files import noted_in
from ccm.engine.state_directory import StateDirectory, open_below
from ccm.host.hidden_files import HiddenFile
from ccm.model.errors import StoreError
from ccm.model.log import Log

from tests.unit.stored import words_in

pytestmark = pytest.mark.starts_processes

FAULTS = {
    "is not a file": lambda path: (path.unlink(missing_ok=True), path.mkdir()),
    "is larger than 0 MiB": lambda path: path.write_bytes(b"ccm-state\n" * 10),
    "can be changed by other users": lambda path: (path.write_bytes(b""), path.chmod(0o666)),
    "a symbolic link is not followed": lambda path: (path.unlink(missing_ok=True), path.symlink_to("elsewhere")),
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
        monkeypatch.setattr(own_files, "LARGEST_FILE", 20)
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
    strange = b"owe\n\nnonsense\tof\tanything\n"
    (entry / "journal").write_bytes(strange)
    (entry / "journal").chmod(0o600)
    applied = ccm("apply", "m.yaml")
    (aside,) = entry.glob("journal.damaged-*")
    assert applied.out.count(f" WARN  The state of earlier runs is damaged, and was put aside file={aside}\n") == 1
    assert aside.read_bytes() == strange
    assert "damaged" not in ccm("apply", "m.yaml").out


def test_the_rest_of_a_damaged_file_is_used(ccm, entry):
    """A copy of the file is put aside, and the rest is saved again."""
    whole = (entry / "state").read_bytes()
    (entry / "state").write_bytes(damaged := whole.replace(b"\tmanifest\t", b"\tmanifesto\t"))
    applied = ccm("apply", "m.yaml", "--noop")
    warning = " WARN  Lines of the state of earlier runs cannot be read file="
    assert f"{warning}{entry}/state lines=1\n" in applied.out
    assert "cause=" not in applied.out
    assert (entry / "state").read_bytes() == damaged
    applied = ccm("apply", "m.yaml")
    (aside,) = entry.glob("state.damaged-*")
    assert f"{warning}{aside} lines=1\n" in applied.out
    assert aside.read_bytes() == damaged
    assert [words[0] for words in words_in(entry / "state")] == ["state", "manifest", "written", "resource", "end"]
    assert " WARN  Lines" not in ccm("apply", "m.yaml").out


def test_lines_that_are_missing_are_noticed(ccm, entry):
    lines = (entry / "state").read_bytes().splitlines(keepends=True)
    (entry / "state").write_bytes(b"".join(lines[:1] + lines[2:]))
    assert f" WARN  Lines of the state of earlier runs are missing file={entry}/state\n" in ccm("drift", "m.yaml").err
    assert " WARN  Lines of the state of earlier runs are missing file=" in ccm("apply", "m.yaml").out
    assert "are missing" not in ccm("apply", "m.yaml").out


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
    refused_calls("rename", "state.damaged-")
    output = ccm("apply", "m.yaml").out
    assert output.count(GOES_ON) == 1
    assert re.search(rf"{GOES_ON}{entry}/state\.damaged-\S+: no space left on device", output)
    assert (entry / "state").read_bytes() == b"damaged"


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


@pytest.fixture
def directory(tmp_path):
    return StateDirectory(str(tmp_path / "root"), "", Log(), "0" * 32)


def fault(call, *words):
    with pytest.raises(StoreError) as caught:
        call(*words)
    return caught.value.message


LEVELS = ["root", "root/manifests", f"root/manifests/{'0' * 32}"]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("makes", [False, True])
def test_a_link_is_not_followed_at_any_level(directory, tmp_path, level, makes):
    (tmp_path / "elsewhere/manifests" / ("0" * 32)).mkdir(parents=True)
    (tmp_path / level).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / level).symlink_to(tmp_path / "elsewhere")
    call = LockedDirectory(directory).__enter__ if makes else directory.opened
    assert fault(call) == f"{tmp_path}/{level} is not a directory"


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_directory_that_others_can_write_at_any_level(directory, tmp_path, level, mode):
    (tmp_path / LEVELS[-1]).mkdir(parents=True)
    (tmp_path / level).chmod(mode)
    assert fault(directory.opened) == f"{tmp_path}/{level} can be changed by other users"


@pytest.mark.needs("root")
@pytest.mark.parametrize("level", LEVELS)
def test_a_directory_of_another_user_at_any_level(directory, tmp_path, level):
    (tmp_path / LEVELS[-1]).mkdir(parents=True)
    os.chown(tmp_path / level, 1, -1)
    assert fault(directory.opened) == f"{tmp_path}/{level} belongs to another user"


@pytest.mark.parametrize(("root", "reason"), [("/dev/null/state", "not a directory"), ("/nul\0", "invalid argument")])
def test_a_root_that_cannot_be(root, reason):
    assert fault(open_below, root, ()) == f"{root}: {reason}"


def test_a_root_that_is_not_there():
    assert open_below("/nowhere/state", ("manifests",)) is None


def test_a_locked_directory_stays_the_same_one(directory, tmp_path):
    """Another user puts a link in its place."""
    (tmp_path / "elsewhere").mkdir()
    with LockedDirectory(directory) as locked:
        (tmp_path / "root").rename(tmp_path / "moved")
        (tmp_path / "root").symlink_to(tmp_path / "elsewhere")
        locked.replace("state", [b"text"])
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert [path.read_bytes() for path in (tmp_path / "moved").rglob("state")] == [b"text"]
    assert fault(directory.opened) == f"{tmp_path}/root is not a directory"


def test_a_directory_that_another_process_removed_is_made_again(directory, tmp_path):
    for _time in range(2):
        with LockedDirectory(directory) as locked:
            locked.replace("state", [b"x"])
            remove(locked.opened, "state")
            locked.remove_itself()
        assert not os.path.exists(directory.path)
    assert directory.names() == []


def test_a_directory_that_is_removed_before_it_is_locked(directory, monkeypatch):
    """Another process removes it between the lock of one and the lock of the other."""
    with LockedDirectory(directory):
        pass
    other = StateDirectory(directory.root, "", Log(), "0" * 32)
    flock = locked_directory.fcntl.flock

    def removed_before(*words):
        monkeypatch.setattr(locked_directory.fcntl, "flock", flock)
        with LockedDirectory(other) as locked:
            locked.remove_itself()
        flock(*words)

    monkeypatch.setattr(locked_directory.fcntl, "flock", removed_before)
    with LockedDirectory(directory) as locked:
        locked.replace("state", [b"x"])
    assert content_of(other.opened(), "state") == b"x"


def test_a_directory_with_other_files_stays(directory):
    with LockedDirectory(directory) as locked:
        locked.replace("notes", [b""])
        locked.remove_itself()
    assert directory.names() == ["notes"]


def test_what_is_noted_replaces_what_was_noted(directory):
    for text in (b"a longer text 123456", b"short", b""):
        with LockedDirectory(directory) as locked:
            locked.note(text)
            assert locked.noted.split() == text.split()


def test_damaged_contents_that_are_put_aside_do_not_replace_each_other(directory):
    with LockedDirectory(directory) as locked:
        paths = [locked.put_aside("state", content) for content in (b"one", b"two")]
    assert len(set(paths)) == 2
    assert [pathlib.Path(path).read_bytes() for path in paths] == [b"one", b"two"]
    assert all(os.path.basename(path).startswith("state.damaged-20") for path in paths)


def test_a_file_that_is_appended_to(directory):
    with LockedDirectory(directory) as locked:
        for at, data in enumerate((b"one\n", b"two\n")):
            with locked.open_to_append("journal", makes=True) as file:
                assert (file.size, file.head(3)) == (4 * at, b"one"[: 3 * at])
                file.append(data, synced=True)
    assert content_of(directory.opened(), "journal") == b"one\ntwo\n"


def test_a_file_to_append_to_is_made_only_where_that_is_wanted(directory):
    with LockedDirectory(directory) as locked:
        assert locked.open_to_append("journal", makes=False) is None
    assert directory.names() == ["lock"]


def test_a_file_to_append_to_that_others_can_write(directory):
    with LockedDirectory(directory) as locked, locked.open_to_append("journal", makes=True):
        pass
    os.chmod(f"{directory.path}/journal", 0o602)
    with LockedDirectory(directory) as locked:
        opening = partial(locked.open_to_append, makes=False)
        assert fault(opening, "journal") == f"{directory.path}/journal can be changed by other users"


def test_only_old_files_are_removed(directory):
    with LockedDirectory(directory) as locked:
        for name in ("old", "new"):
            locked.replace(name, [b""])
        os.utime(f"{directory.path}/old", (0, 0))
        for name in ("old", "new", "none"):
            locked.remove_if_older(name, 100.0)
    assert sorted(directory.names()) == ["lock", "new"]


@pytest.mark.needs("root")
def test_a_lock_of_another_user(directory):
    with LockedDirectory(directory):
        os.chown(f"{directory.path}/lock", 1, -1)
    assert fault(LockedDirectory(directory).__enter__) == f"{directory.path}/lock belongs to another user"
    assert noted_in(directory.opened()) == b""


def test_a_lock_that_others_can_write(directory):
    with LockedDirectory(directory):
        os.chmod(f"{directory.path}/lock", 0o602)
    assert fault(LockedDirectory(directory).__enter__) == f"{directory.path}/lock can be changed by other users"
    assert noted_in(directory.opened()) == b""


def test_a_link_in_place_of_the_lock_says_nothing(directory):
    with LockedDirectory(directory):
        os.rename(f"{directory.path}/lock", f"{directory.path}/other")
        os.symlink("other", f"{directory.path}/lock")
    assert fault(content_of, directory.opened(), "lock") == f"{directory.path}/lock: a symbolic link is not followed"
    assert noted_in(directory.opened()) == b""

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files and directories: states, atomic writes, attributes without following links, removal."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import resource
import signal
import socket
import stat
import subprocess
import sys

import pytest
from ccm.host import digests, files, limited, reading, trees
from ccm.host.errors import HostError, SystemCallError
from ccm.host.files import DirectoryNotEmpty, SymlinkRefused
from ccm.host.replaceable import NotRegular


@pytest.fixture(autouse=True)
def _umask():
    former = os.umask(0o022)
    yield
    os.umask(former)


@pytest.fixture
def place(tmp_path):
    """The name of a directory with a slash, and a check that it contains only the expected entries."""
    return f"{tmp_path}/"


def sha(data):
    return hashlib.sha256(data).hexdigest()


def put(path, data=b"x\n", mode=0o644):
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, mode)
    return path


def get(path):
    with open(path, "rb") as file:
        return file.read()


def mode_of(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def message_of(error, call, *arguments, **options):
    """Return the text of the error of a call."""
    with pytest.raises(error) as caught:
        call(*arguments, **options)
    return str(caught.value)


def as_unprivileged_user(code, *arguments):
    """Run lines of Python as an unprivileged user; return their output."""
    begin = "import os, sys\nfrom ccm.host import files, reading, trees\nfrom ccm.host.errors import HostError\n"
    begin += "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
    return subprocess.run(
        [sys.executable, "-c", begin + code, *arguments], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()


# --- states


def test_a_file_has_a_complete_state(place):
    path = put(place + "f", b"abc", 0o640)
    os.utime(path, ns=(1, 1_700_000_000_123_456_789))
    found = reading.inspect(path)
    assert (found.kind, found.symlink, found.mode, found.size) == ("file", False, "0640", 3)
    assert (found.uid, found.gid, found.mtime) == (os.geteuid(), os.stat(path).st_gid, 1_700_000_000_123_456_789)


def test_types_and_links(place):
    os.mkfifo(place + "fifo")
    put(place + "f", mode=0o4755)
    os.symlink("f", place + "l")
    os.symlink(".", place + "d")
    assert (reading.inspect(place + "fifo").kind, reading.inspect("/dev/null").kind) == ("other", "other")
    found = reading.inspect(place + "l")
    assert (found.kind, found.symlink, found.mode, found.irregular) == ("file", True, "4755", "")
    assert (reading.inspect(place + "d").kind, reading.inspect(place + "d").symlink) == ("directory", True)


def test_a_missing_file(place):
    os.symlink("nowhere", place + "dangling")
    assert (
        reading.inspect(place + "no") is reading.inspect(place + "no/no") is reading.inspect(place + "dangling") is None
    )


def test_files_that_cannot_be_read(place):
    put(place + "f")
    os.symlink("loop", place + "loop")
    assert message_of(SystemCallError, reading.inspect, place + "f/x") == f"stat {place}f/x: not a directory"
    assert message_of(SystemCallError, reading.inspect, place + "loop") == (
        f"stat {place}loop: too many levels of symbolic links"
    )
    assert message_of(SystemCallError, reading.inspect, "/a\0b") == "stat /a\0b: invalid argument"
    assert message_of(SystemCallError, reading.inspect, "/\ud800").endswith("invalid argument")
    assert message_of(SystemCallError, reading.inspect, "/" + "n" * 300).endswith("file name too long")


@pytest.mark.starts_processes
@pytest.mark.needs("root")
def test_an_unreadable_directory_is_not_a_missing_one(tmp_path):
    (tmp_path / "d").mkdir(mode=0o700)
    path = str(tmp_path / "d" / "f")
    os.chmod(tmp_path, 0o755)
    for parent in tmp_path.parents:
        if str(parent).startswith(os.environ.get("TMPDIR", "/tmp") + "/"):
            os.chmod(parent, 0o755)
    code = "try:\n reading.inspect(sys.argv[1])\nexcept HostError as error:\n print(error.denied, error.errno, error)"
    assert as_unprivileged_user(code, path) == f"True 13 stat {path}: permission denied"


@pytest.mark.parametrize("size", [0, 1, 200, 600_000])
def test_digests(size, place):
    data = os.urandom(size)
    assert reading.digest(put(place + "f", data)) == digests.sha256_hex(data) == sha(data)


def test_digests_without_hashlib(monkeypatch):
    monkeypatch.delitem(sys.modules, "hashlib")
    assert digests.sha256_hex(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert "hashlib" not in sys.modules
    for name in ("_sha2", "_sha256"):
        monkeypatch.setitem(sys.modules, name, None)
    assert digests.sha256_hex(b"").startswith("e3b0c442")


@pytest.mark.parametrize("length", [1000, 600_000])
def test_only_large_files_are_copied_with_the_digest_of_openssl(length, place, monkeypatch):
    monkeypatch.delitem(sys.modules, "hashlib", raising=False)
    data = b"x" * length
    assert files.copy_file(put(place + "f", data), place + "copy", mode=0o644) == sha(data)
    assert ("hashlib" in sys.modules) == (length > 500_000)


def test_digests_of_files_that_cannot_be_read(place):
    os.mkfifo(place + "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(place)
        server.bind("socket")
        os.chdir("/")
        assert message_of(HostError, reading.digest, place + "socket") == f"{place}socket is not a regular file"
    assert message_of(HostError, reading.digest, place + "fifo") == f"{place}fifo is not a regular file"
    assert message_of(SystemCallError, reading.digest, place) == f"read {place}: is a directory"
    assert message_of(SystemCallError, reading.digest, place + "no") == f"open {place}no: no such file or directory"
    assert reading.digest("/dev/null") == sha(b"")
    assert message_of(HostError, reading.digest, "/dev/zero") == "/dev/zero is not a regular file"
    assert reading.digest("/proc/version") == sha(get("/proc/version"))


@pytest.mark.parametrize(("length", "reads"), [(0, 1), (1, 1), (262_143, 1), (262_144, 2), (600_000, 3)])
def test_the_end_of_a_file_is_read_only_where_its_size_does_not_show_it(place, monkeypatch, length, reads):
    lengths, real = [], os.read
    monkeypatch.setattr(os, "read", lambda fd, size: lengths.append(size) or real(fd, size))
    data = b"x" * length
    assert reading.digest(put(place + "f", data)) == sha(data)
    assert len(lengths) == reads
    assert max(lengths) <= 262_144


def test_a_file_of_which_each_read_returns_a_part_is_read_to_its_end(place, monkeypatch):
    """As on some file systems."""
    real = os.read
    path = put(place + "f", b"content")
    monkeypatch.setattr(os, "read", lambda fd, size: real(fd, min(size, 2)))
    assert reading.digest(path) == sha(b"content")


@pytest.mark.parametrize("now", [b"", b"s", b"longer"])
def test_a_file_that_changes_after_it_was_opened_is_read_to_its_end(place, now):
    with reading.Reader(put(place + "f", b"old")) as reader:
        put(place + "f", now)
        assert b"".join(reader.chunks()) == now


# --- writes
@pytest.mark.parametrize("mode", [0o000, 0o400, 0o644, 0o777])
def test_a_new_file_has_its_mode_for_any_umask(mode, place):
    assert files.write_file(place + "f", b"abc", mode=mode) == sha(b"abc")
    assert (mode_of(place + "f"), os.listdir(place)) == (mode, ["f"])
    assert reading.inspect(place + "f").size == 3


def test_pieces_are_written_in_sequence(place):
    assert files.write_file(place + "f", (b"ab", b"", bytes(300_000)), mode=0o600) == sha(b"ab" + bytes(300_000))
    assert get(place + "f") == b"ab" + bytes(300_000)
    assert files.write_file(place + "f", (), mode=0o600) == sha(b"")
    assert get(place + "f") == b""


def test_a_write_replaces_the_link_and_not_its_target(place):
    put(place + "f", b"old", 0o400)
    os.link(place + "f", place + "other")
    os.symlink("f", place + "l")
    files.write_file(place + "l", b"new", mode=0o644)
    files.write_file(place + "f", b"newer", mode=0o644)
    assert (get(place + "other"), get(place + "l"), get(place + "f")) == (b"old", b"new", b"newer")
    assert not os.path.islink(place + "l")


def test_the_file_is_never_visible_with_a_wider_mode_or_partial_content(place, monkeypatch):
    modes = []
    real = os.write

    def recording_write(fd, data):
        modes.append(stat.S_IMODE(os.fstat(fd).st_mode))
        assert os.listdir(place)[0].startswith(".f.")
        return real(fd, data[:2])

    monkeypatch.setattr(os, "write", recording_write)
    files.write_file(place + "f", b"abcde", mode=0o666)
    assert (modes, get(place + "f"), mode_of(place + "f")) == ([0o600] * 3, b"abcde", 0o666)


@pytest.mark.needs("root")
def test_owner_and_mode_are_set_before_the_rename(place, monkeypatch):
    def rename(old, new, **directories):
        found = os.stat(old, dir_fd=directories["src_dir_fd"])
        modes.append((found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)))
        real(old, new, **directories)

    modes, real = [], os.rename
    monkeypatch.setattr(os, "rename", rename)
    files.write_file(place + "f", b"x", mode=0o751, uid=54321, gid=54322)
    assert modes == [(54321, 54322, 0o751)]
    assert reading.inspect(place + "f").uid == 54321


def test_owners_are_changed_only_when_they_differ(place, monkeypatch):
    files.write_file(place + "f", b"x", mode=0o644)
    found = reading.inspect(place + "f")
    monkeypatch.setattr(os, "chown", None)
    files.write_file(place + "f", b"y", mode=0o644, uid=found.uid, gid=found.gid)
    files.set_attributes(place + "f", mode=0o600, uid=found.uid, gid=found.gid)
    monkeypatch.setattr(os, "chmod", None)
    files.set_attributes(place + "f", mode=0o600, uid=found.uid, gid=found.gid)
    assert mode_of(place + "f") == 0o600


def test_the_temporary_name_of_a_long_name_is_shortened(place):
    for name in ("n" * 255, "\u00e9" * 127):
        files.write_file(place + name, b"x", mode=0o644)
    assert sorted(os.listdir(place)) == sorted(["n" * 255, "\u00e9" * 127])


def test_paths_where_no_file_can_be_written(place):
    put(place + "f")
    assert message_of(HostError, files.write_file, place + "no/f", b"", mode=0o644) == f'"{place}no" is not a directory'
    assert message_of(HostError, files.write_file, place + "f/f", b"", mode=0o644) == f'"{place}f" is not a directory'
    assert message_of(HostError, files.write_file, "/a\0b", b"", mode=0o644) == "open /a\0b: invalid argument"
    assert message_of(HostError, files.write_file, "/\ud800" * 90, b"", mode=0o644).endswith("invalid argument")
    os.mkdir(place + "d")
    text = message_of(NotRegular, files.write_file, place + "d", b"", mode=0o644)
    assert text == f"{place}d exists as a directory; cannot replace it by a file"
    text = message_of(SystemCallError, files.write_file, place + "new", b"", mode=0o644, before_rename=os.unlink)
    assert text.startswith(f"could not rename temporary file: rename {place}.new.")
    assert text.endswith(f" {place}new: no such file or directory")
    assert sorted(os.listdir(place)) == ["d", "f"]


@pytest.mark.parametrize(
    ("name", "number", "text"),
    [
        ("write", errno.ENOSPC, "write {}f: no space left on device"),
        ("write", errno.EIO, "write {}f: input/output error"),
        ("close", errno.EDQUOT, "could not close temporary file: close {}f: disk quota exceeded"),
        ("chmod", errno.EPERM, "chmod {}f: operation not permitted"),
        ("chown", errno.EPERM, "chown {}f: operation not permitted"),
    ],
)
def test_a_failure_keeps_the_old_file(name, number, text, place, monkeypatch):
    put(place + "f", b"old", 0o640)
    real = getattr(os, name)

    def failing(*arguments):
        if name == "close":
            written = fcntl.fcntl(arguments[0], fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
            real(*arguments)
            if not written:
                return
        raise OSError(number, "")

    with monkeypatch.context() as patch:
        patch.setattr(os, name, failing)
        uid = 54321 if name == "chown" else None
        found = message_of(SystemCallError, files.write_file, place + "f", b"new", mode=0o644, uid=uid)
    assert found == text.format(place)
    assert (os.listdir(place), get(place + "f"), mode_of(place + "f")) == (["f"], b"old", 0o640)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ZeroDivisionError])
def test_an_interrupted_write_keeps_the_old_file(error, place):
    def pieces():
        yield b"begin"
        raise error

    put(place + "f", b"old")
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(error):
        files.write_file(place + "f", pieces(), mode=0o644)
    assert (os.listdir(place), get(place + "f"), len(os.listdir("/proc/self/fd"))) == (["f"], b"old", before)


def test_a_limit_on_file_size(place):
    put(place + "f", b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    former = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        text = message_of(SystemCallError, files.write_file, place + "f", bytes(200_000), mode=0o644)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, former)
    assert text == f"write {place}f: file too large"
    assert (os.listdir(place), get(place + "f")) == (["f"], b"old")


@pytest.mark.starts_processes
@pytest.mark.needs("mounts")
def test_a_full_disk(place):
    os.mkdir(place + "disk")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", place + "disk"], check=True)
    try:
        put(place + "disk/f", b"old")
        put(place + "source", bytes(1_000_000))
        full = f"write {place}disk/f: no space left on device"
        assert message_of(SystemCallError, files.write_file, place + "disk/f", bytes(1_000_000), mode=0o644) == full
        assert message_of(SystemCallError, files.copy_file, place + "source", place + "disk/f", mode=0o644) == full
        assert (os.listdir(place + "disk"), get(place + "disk/f")) == (["f"], b"old")
        assert files.write_file(place + "disk/f", bytes(100_000), mode=0o644) == sha(bytes(100_000))
    finally:
        subprocess.run(["umount", place + "disk"], check=True)


def test_copying(place):
    data = os.urandom(700_000)
    put(place + "source", data, 0o600)
    assert files.copy_file(place + "source", place + "f", mode=0o644) == sha(data)
    assert (get(place + "f"), mode_of(place + "f")) == (data, 0o644)
    files.copy_file("/dev/null", place + "f", mode=0o644)
    assert get(place + "f") == b""
    files.copy_file("/proc/version", place + "f", mode=0o644)
    assert get(place + "f") == get("/proc/version")


def test_sources_that_cannot_be_copied(place):
    os.mkdir(place + "d")
    os.mkfifo(place + "fifo")
    target = place + "f"
    assert message_of(HostError, files.copy_file, place + "d", target, mode=0o644) == f"read {place}d: is a directory"
    assert message_of(HostError, files.copy_file, place + "no", target, mode=0o644) == (
        f"open {place}no: no such file or directory"
    )
    assert (
        message_of(HostError, files.copy_file, place + "fifo", target, mode=0o644)
        == f"{place}fifo is not a regular file"
    )
    assert sorted(os.listdir(place)) == ["d", "fifo"]


def test_a_block_device_is_not_read(place, monkeypatch):
    """It has the number of the null device, which is a character device."""
    source = put(place + "device")
    status, real = list(os.stat(source)), os.fstat
    status[0] = stat.S_IFBLK | 0o600
    device = os.stat_result(status, {"st_rdev": os.makedev(1, 3)})
    monkeypatch.setattr(os, "fstat", lambda fd: device if os.readlink(f"/proc/self/fd/{fd}") == source else real(fd))
    for call in (reading.digest, limited.read_limited, lambda path: files.copy_file(path, place + "f", mode=0o644)):
        assert message_of(HostError, call, source) == f"{source} is not a regular file"
    assert os.listdir(place) == ["device"]


# --- directories


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o777])
def test_a_new_directory_has_its_mode_and_its_parents_follow_the_umask(mode, place):
    files.make_directory(place + "a/b/c", mode=mode)
    assert [mode_of(place + name) for name in ("a", "a/b", "a/b/c")] == [mode & ~0o022, mode & ~0o022, mode]


def test_existing_directories_keep_contents_and_parents(place):
    os.makedirs(place + "a/b")
    os.chmod(place + "a", 0o711)
    put(place + "a/b/f")
    files.make_directory(place + "a/b", mode=0o750)
    assert (mode_of(place + "a"), mode_of(place + "a/b"), os.listdir(place + "a/b")) == (0o711, 0o750, ["f"])


@pytest.mark.needs("root")
def test_only_the_last_directory_gets_the_owner(place):
    files.make_directory(place + "a/b", mode=0o755, uid=54321, gid=54322)
    assert [(os.stat(place + name).st_uid, os.stat(place + name).st_gid) for name in ("a", "a/b")] == [
        (0, 0),
        (54321, 54322),
    ]


def test_a_link_to_a_directory_is_followed_above_and_refused_in_its_place(place):
    os.mkdir(place + "real")
    os.chmod(place + "real", 0o700)
    os.symlink("real", place + "l")
    files.make_directory(place + "l/below", mode=0o755)
    assert os.path.isdir(place + "real/below")
    text = f"{place}l is a symlink; refusing to set attributes through it"
    assert message_of(SymlinkRefused, files.make_directory, place + "l", mode=0o755) == text
    assert (os.readlink(place + "l"), mode_of(place + "real")) == ("real", 0o700)


@pytest.mark.parametrize("target", ["f", "nowhere", "l", "f/below"])
def test_a_link_to_a_file_or_to_nothing_in_place_of_the_directory_is_replaced(place, target):
    put(place + "f")
    os.symlink(target, place + "l")
    files.make_directory(place + "l", mode=0o755)
    assert (os.path.islink(place + "l"), os.path.isdir(place + "l"), get(place + "f")) == (False, True, b"x\n")


def test_new_directories_above_have_no_special_bits(place):
    files.make_directory(place + "a/b", mode=0o1777)
    assert (mode_of(place + "a"), mode_of(place + "a/b")) == (0o755, 0o1777)


def test_a_file_does_not_replace_what_is_no_regular_file(place):
    os.mkfifo(place + "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(place + "socket")
    for name, kind in (("pipe", "a named pipe"), ("socket", "a socket")):
        found = message_of(NotRegular, files.write_file, place + name, b"new", mode=0o644)
        assert found == f"{place}{name} exists as {kind}; cannot replace it by a file"
    assert sorted(os.listdir(place)) == ["pipe", "socket"]
    os.symlink("/dev/null", place + "link")
    files.write_file(place + "link", b"new", mode=0o644)
    assert (os.path.islink(place + "link"), get(place + "link")) == (False, b"new")


def test_links_that_cannot_be_removed(place, monkeypatch):
    os.symlink("real", place + "l")

    def failing(_name, **_options):
        raise OSError(errno.EROFS, "")

    monkeypatch.setattr(os, "unlink", failing)
    assert message_of(SystemCallError, files.make_directory, place + "l", mode=0o755) == (
        f"could not remove symlink: remove {place}l: read-only file system"
    )


def test_files_in_place_of_directories(place):
    put(place + "f")
    os.symlink("nowhere", place + "l")
    assert (
        message_of(SystemCallError, files.make_directory, place + "f", mode=0o755) == f"mkdir {place}f: not a directory"
    )
    assert (
        message_of(SystemCallError, files.make_directory, place + "f/a/b", mode=0o755)
        == f"mkdir {place}f: not a directory"
    )
    assert (
        message_of(SystemCallError, files.make_directory, place + "l/a", mode=0o755) == f"mkdir {place}l: file exists"
    )
    assert message_of(SystemCallError, files.make_directory, "/a\0b", mode=0o755) == "mkdir /a\0b: invalid argument"


def test_another_process_can_create_the_directory_first(place, monkeypatch):
    real = os.mkdir

    def moved_late(path, mode, **options):
        real(path, 0o700, **options)
        real(path, mode, **options)

    monkeypatch.setattr(os, "mkdir", moved_late)
    files.make_directory(place + "a/b", mode=0o755)
    assert mode_of(place + "a/b") == 0o755


# --- attributes


def test_attributes_of_all_types(place):
    put(place + "f", mode=0o4755)
    os.mkfifo(place + "fifo")
    os.mkdir(place + "d")
    for name in ("f", "fifo", "d"):
        files.set_attributes(place + name, mode=0o640)
        assert mode_of(place + name) == 0o640


def test_attributes_are_not_set_through_links(place):
    put(place + "f")
    os.symlink("f", place + "l")
    text = f"{place}l is a symlink; refusing to set attributes through it"
    assert message_of(SymlinkRefused, files.set_attributes, place + "l", mode=0o600) == text
    assert mode_of(place + "f") == 0o644
    assert message_of(SystemCallError, files.set_attributes, place + "no", mode=0o600) == (
        f"lstat {place}no: no such file or directory"
    )


def test_the_file_whose_state_was_read_is_changed(place, monkeypatch):
    put(place + "secret", mode=0o600)
    put(place + "f", mode=0o600)
    real = os.chmod

    def swapped(target, mode):
        os.rename(place + "f", place + "moved")
        os.symlink("secret", place + "f")
        real(target, mode)

    monkeypatch.setattr(os, "chmod", swapped)
    files.set_attributes(place + "f", mode=0o666)
    assert (mode_of(place + "secret"), mode_of(place + "moved")) == (0o600, 0o666)


@pytest.mark.starts_processes
@pytest.mark.needs("root")
def test_attributes_without_privileges(tmp_path):
    path = put(str(tmp_path / "f"), mode=0)
    for parent in (tmp_path, *tmp_path.parents):
        if str(parent).startswith(os.environ.get("TMPDIR", "/tmp") + "/"):
            os.chmod(parent, 0o755)
    code = "try:\n files.set_attributes(sys.argv[1], mode=0o640, uid=int(sys.argv[2]))\n print('done')\n"
    code += "except HostError as error:\n print(error)"
    assert as_unprivileged_user(code, path, "0") == f"chmod {path}: operation not permitted"
    assert as_unprivileged_user(code, path, "65534") == f"chown {path}: operation not permitted"
    os.chown(path, 65534, 65534)
    assert as_unprivileged_user(code, path, "65534") == "done"
    assert mode_of(path) == 0o640


def test_attributes_where_proc_is_not_mounted(place, monkeypatch):
    put(place + "f")
    monkeypatch.setattr(os.path, "exists", lambda path: False)
    files.set_attributes(place + "f", mode=0o600)
    assert mode_of(place + "f") == 0o600


def test_without_proc_only_the_file_whose_state_was_read_is_changed(place, monkeypatch):
    put(place + "f")
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(place)
        server.bind("socket")
        os.chdir("/")
        monkeypatch.setattr(os.path, "exists", lambda path: False)
        assert message_of(SystemCallError, files.set_attributes, place + "socket", mode=0o600) == (
            f"open {place}socket: no such device or address"
        )
    monkeypatch.setattr(os.path, "samestat", lambda one, other: False)
    assert (
        message_of(SystemCallError, files.set_attributes, place + "f", mode=0o600)
        == f"lstat {place}f: stale file handle"
    )
    assert mode_of(place + "f") == 0o644


# --- removal


def test_files_and_empty_directories_are_removed(place):
    put(place + "f")
    os.mkdir(place + "d")
    os.symlink("d", place + "l")
    assert files.remove_file(place + "f")
    assert files.remove_file(place + "l")
    assert files.remove_directory(place + "d")
    assert os.listdir(place) == []
    assert not files.remove_file(place + "f")
    assert not files.remove_directory(place + "d")
    assert message_of(SystemCallError, files.remove_file, place).startswith(f"remove {place}: ")
    assert message_of(SystemCallError, files.remove_directory, "/a\0b") == "remove /a\0b: invalid argument"


def test_directories_that_are_not_empty(place):
    os.mkdir(place + "d")
    put(place + "d/f")
    assert message_of(DirectoryNotEmpty, files.remove_directory, place + "d") == (
        f"cannot remove {place}d: directory is not empty, set 'force: true' to remove non-empty directories: "
        f"remove {place}d: directory not empty"
    )


def test_trees_are_removed_and_targets_of_links_are_kept(place):
    os.makedirs(place + "t/a/b/c")
    os.makedirs(place + "t/empty")
    os.mkdir(place + "kept")
    put(place + "kept/f")
    put(place + "t/a/f", mode=0)
    os.mkfifo(place + "t/a/b/fifo")
    os.symlink(place + "kept", place + "t/a/b/c/l")
    os.symlink("nowhere", place + "t/l")
    before = len(os.listdir("/proc/self/fd"))
    assert trees.remove_tree(place + "t")
    assert (os.listdir(place), os.listdir(place + "kept")) == (["kept"], ["f"])
    assert len(os.listdir("/proc/self/fd")) == before
    assert not trees.remove_tree(place + "t")


def test_trees_that_are_a_link_or_a_file(place):
    os.mkdir(place + "kept")
    os.symlink("kept", place + "l")
    put(place + "f")
    assert trees.remove_tree(place + "l")
    assert trees.remove_tree(place + "f")
    assert os.listdir(place) == ["kept"]
    os.mkdir(place + "slash")
    assert trees.remove_tree(place + "slash/")


@pytest.mark.parametrize("path", ["/", "//", "", ".", "..", "/tmp/..", "/a\0b"])
def test_refused_trees(path):
    assert message_of(SystemCallError, trees.remove_tree, path).startswith(f"unlinkat {path}: ")


def test_very_deep_trees(place):
    top = os.open(place, os.O_RDONLY)
    fd = top
    for _round in range(3_000):
        os.mkdir("d", dir_fd=fd)
        below = os.open("d", os.O_RDONLY, dir_fd=fd)
        if fd != top:
            os.close(fd)
        fd = below
    os.close(os.open("f", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
    os.close(fd)
    os.close(top)
    assert trees.remove_tree(place + "d")
    assert os.listdir(place) == []


def test_wide_trees(place):
    for number in range(30):
        os.makedirs(f"{place}t/{number}/x/y")
        for file in range(30):
            put(f"{place}t/{number}/x/{file}")
    trees.remove_tree(place + "t")
    assert os.listdir(place) == []


def test_other_processes_can_remove_parts_of_a_tree_first(place, monkeypatch):
    """Other processes remove a directory with its parents, or a file and a directory, before they are reached."""
    os.makedirs(place + "t/a/b/c")
    os.makedirs(place + "t/z/y")
    put(place + "t/a/f")
    real_unlink, real_rmdir = os.unlink, os.rmdir
    steps = []

    def unlink(name, **options):
        real_unlink(name, **options)
        real_unlink(name, **options)

    def rmdir(name, **options):
        steps.append(name)
        real_rmdir(name, **options)
        if name == "c":
            real_rmdir(place + "t/a/b")
            real_rmdir(place + "t/a")
        real_rmdir(name, **options)

    monkeypatch.setattr(os, "unlink", unlink)
    monkeypatch.setattr(os, "rmdir", rmdir)
    assert trees.remove_tree(place + "t")
    monkeypatch.undo()
    assert "c" in steps
    assert os.listdir(place) == []


def test_removal_does_not_follow_a_tree_that_is_moved(place, monkeypatch):
    os.makedirs(place + "t/a/b/c")
    os.makedirs(place + "elsewhere/a")
    put(place + "elsewhere/f")
    real = os.rmdir

    def rmdir(name, **options):
        real(name, **options)
        if name == "c":
            os.rename(place + "t/a/b", place + "elsewhere/b")

    monkeypatch.setattr(os, "rmdir", rmdir)
    assert trees.remove_tree(place + "t")
    assert sorted(os.listdir(place + "elsewhere")) == ["a", "b", "f"]
    assert os.listdir(place) == ["elsewhere"]


@pytest.mark.starts_processes
@pytest.mark.needs("root")
def test_trees_without_privileges(tmp_path):
    root = tmp_path / "t"
    (root / "a" / "b").mkdir(parents=True)
    put(str(root / "a" / "b" / "f"))
    for parent in (tmp_path, *tmp_path.parents):
        if str(parent).startswith(os.environ.get("TMPDIR", "/tmp") + "/"):
            os.chmod(parent, 0o755)
    code = "try:\n trees.remove_tree(sys.argv[1])\nexcept HostError as error:\n print(error)"
    assert as_unprivileged_user(code, str(root)) == f"unlinkat {root}/a/b/f: permission denied"
    os.chown(root / "a", 65534, 65534)
    os.chmod(root / "a" / "b", 0o700)
    assert as_unprivileged_user(code, str(root)) == f"unlinkat {root}/a/b: permission denied"


@pytest.mark.usefixtures("rename_changes_owner")
def test_a_written_file_keeps_its_mode_where_a_rename_changes_it(place):
    files.write_file(place + "f", b"x", mode=0o604)
    assert mode_of(place + "f") == 0o604


@pytest.mark.needs("root")
@pytest.mark.usefixtures("rename_changes_owner")
def test_a_written_file_keeps_its_owner_where_a_rename_changes_it(place):
    files.write_file(place + "f", b"x", mode=0o604, uid=4711, gid=4712)
    found = os.lstat(place + "f")
    assert (found.st_uid, found.st_gid, mode_of(place + "f"), get(place + "f")) == (4711, 4712, 0o604, b"x")


@pytest.mark.needs("root")
def test_a_file_that_replaces_a_written_file_keeps_its_owner(place, monkeypatch):
    def interrupted_link(source, target, *, src_dir_fd, dst_dir_fd):
        os.unlink(source, dir_fd=src_dir_fd)
        os.link(put(place + "other"), target, dst_dir_fd=dst_dir_fd)

    monkeypatch.setattr(os, "rename", interrupted_link)
    files.write_file(place + "f", b"x", mode=0o600, uid=4711, gid=4712)
    assert (os.lstat(place + "f").st_uid, mode_of(place + "f")) == (0, 0o644)

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tars with false headers are refused early, with little time and memory; trees that their owner cannot read."""

from __future__ import annotations

import gzip
import os
import pathlib
import resource
import tempfile
import tracemalloc

import pytest
from ccm.host import trees
from ccm.host.archives import carrying, limits, streams, tar
from ccm.host.archives.entry import ArchiveError
from ccm.host.archives.unpack import unpack
from ccm.host.errors import HostError
from ccm.host.machine import Machine
from ccm.host.reading import Reader

from tests.unit.work import work_of

assert carrying, (streams, tar, trees)  # imported here for users who cannot read them later
END = bytes(1024)
HUGE = b"\x80" + (2**70).to_bytes(11, "big")
NEGATIVE = b"-0000001000\0"
DATA = b"x" * 100 + bytes(412)
#: Looked up by tests that run as another user, who perhaps cannot read Python itself.
OWNERS = Machine().owners


def header(name, size=100, kind=b"0", mode=0o644, field=None, sparse=None):
    """Return a header of GNU format; `field` is the size as written, `sparse` is (offset, bytes, size of the file)."""
    made = bytearray(512)
    made[: len(name)] = name
    made[100:108] = b"%07o\0" % mode
    made[108:124] = b"%07o\0%07o\0" % (os.getuid(), os.getgid())
    made[124:136] = field or b"%011o\0" % size
    made[136:148] = b"%011o\0" % 0
    made[156:157] = kind
    made[257:265] = b"ustar  \0"
    if sparse:
        made[386:398], made[398:410], made[483:495] = sparse
    made[148:156] = b" " * 8
    made[148:156] = b"%06o\0 " % sum(made)
    return bytes(made)


def octal(number):
    return b"%011o\0" % number


def pax(*pairs, kind=b"x"):
    data = b""
    for key, value in pairs:
        length = len(key) + len(value) + 3
        length += len(str(length + len(str(length))))
        data += b"%d %s=%s\n" % (length, key, value)
    return header(b"pax", len(data), kind) + data + bytes(-len(data) % 512)


def unpack_beside(archive, kind):
    """Unpack an archive into the directory `out` beside it."""
    unpack(Reader(str(archive)), kind, str(archive.parent / "out"), "", lambda text: None, owners=OWNERS)


def unpacked(tmp_path, content, name="out", creates=""):
    (tmp_path / "a.tar").write_bytes(content + END)
    unpack(
        Reader(str(tmp_path / "a.tar")),
        "tar",
        str(tmp_path / name),
        creates,
        lambda text: None,
        owners=OWNERS,
    )
    return tmp_path / name


@pytest.mark.parametrize(
    "content",
    [
        header(b"a", kind=b"S", sparse=(octal(0), b"-5\0".ljust(12, b"\0"), octal(100))) + DATA,
        header(b"a", kind=b"S", sparse=(HUGE, octal(100), octal(100))) + DATA,
        header(b"a", kind=b"S", sparse=(octal(0), octal(100), HUGE)) + DATA,
        header(b"a", kind=b"V", field=NEGATIVE) + header(b"b") + DATA,
        header(b"a", kind=b"x", field=NEGATIVE) + header(b"b") + DATA,
        header(b"a", kind=b"g", field=NEGATIVE) + header(b"b") + DATA,
        header(b"a", kind=b"L", field=NEGATIVE) + header(b"b") + DATA,
        header(b"a", kind=b"K", field=NEGATIVE) + header(b"b") + DATA,
        header(b"a", field=NEGATIVE) + DATA,
        header(b"a", field=HUGE) + DATA,
        pax((b"size", b"9" * 30)) + header(b"a") + DATA,
        pax((b"GNU.sparse.map", b"9" * 40 + b",100"), (b"GNU.sparse.size", b"9")) + header(b"a") + DATA,
        pax((b"GNU.sparse.map", b"0,100"), (b"GNU.sparse.size", b"9" * 30)) + header(b"a") + DATA,
    ],
)
def test_a_length_is_neither_negative_nor_above_the_limit_of_files(tmp_path, content):
    with pytest.raises(ArchiveError, match="the archive is damaged: a length of"):
        unpacked(tmp_path, content)
    assert list((tmp_path / "out").iterdir()) == []


CUT_EXTENTS = bytearray(header(b"a", kind=b"S", sparse=(octal(0), octal(100), octal(100))))
CUT_EXTENTS[482] = 1  # more headers follow
CUT_EXTENTS[148:156] = b"%06o\0 " % (sum(CUT_EXTENTS[:148]) + 8 * 32 + sum(CUT_EXTENTS[156:]))
LATER_MAP = pax((b"GNU.sparse.major", b"1"), (b"GNU.sparse.minor", b"0"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (header(b"p", 4, b"x") + b"junk".ljust(512, b"\0"), "a pax header cannot be read"),
        (pax((b"GNU.sparse.map", b"0," * 100_004 + b"0")) + header(b"a"), "a sparse file of 50002 pieces"),
        (LATER_MAP + header(b"a", 100) + DATA, "a sparse file's map ends early"),
    ],
    ids=["pax", "pieces", "map"],
)
def test_missing_fields_of_a_header_are_reported(tmp_path, content, message):
    with pytest.raises(ArchiveError, match=f"^the archive is damaged: {message}$"):
        unpacked(tmp_path, content)
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(
    "content",
    [bytes(CUT_EXTENTS), header(b"p", 600, b"x") + DATA, header(b"a", 600) + DATA],
    ids=["extents", "pax", "data"],
)
def test_a_tar_that_ends_within_an_entry_is_reported(tmp_path, content):
    (tmp_path / "a.tar").write_bytes(content)
    with pytest.raises(ArchiveError, match=r"^unexpected end of the archive$"):
        unpack_beside(tmp_path / "a.tar", "tar")
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (pax((b"GNU.sparse.map", b"0,10"), (b"GNU.sparse.size", b"10")) + header(b"a") + DATA,
         "a: it holds more than its map lists"),
        (pax((b"path", b"a\0b")) + header(b"a") + DATA, r"a\\x00b: its name holds a NUL"),
        (header(b"d/a") + DATA + pax((b"path", b"d/b\0c")) + header(b"b") + DATA, r"d/b\\x00c: its name holds a NUL"),
        (header(b"d/a") + DATA + pax((b"path", b"d/" + b"b" * 5000)) + header(b"b") + DATA,
         "d/b{78}: its name is too long"),
        (header(b"d/a") + DATA + header(b"d/..") + DATA, r"d/\.\.: its name holds '\.\.'"),
        (header(b"l", 0, b"2") + header(b"l/x") + DATA, "l/x: it would be written through the link l"),
        (header(b"f") + DATA + header(b"f/x") + DATA, "f/x: it would be written through what is a file, f"),
    ],
    ids=["map", "nul", "nul beside", "length beside", "above", "link", "file"],
)  # fmt: skip
def test_false_entries_are_refused_and_the_others_are_unpacked(tmp_path, content, message):
    if b"l/x" in content:
        content = pax((b"linkpath", b"/")) + content
    with pytest.raises(ArchiveError, match=f"^{message}$"):
        unpacked(tmp_path, content + header(b"z") + DATA)
    assert (tmp_path / "out/z").read_bytes() == DATA[:100]


def test_an_entry_after_a_refused_one_is_in_its_own_directory(tmp_path):
    """The way to the refused one ends in the directory of the link."""
    link = pax((b"linkpath", b"/")) + header(b"a/l", 0, b"2")
    with pytest.raises(ArchiveError, match=r"^a/l/x: it would be written through the link l$"):
        unpacked(tmp_path, link + b"".join(header(name) + DATA for name in (b"y", b"a/l/x", b"z", b"a/w")))
    out = tmp_path / "out"
    assert sorted(str(path.relative_to(out)) for path in out.rglob("*")) == ["a", "a/l", "a/w", "y", "z"]


def hard_link(name, target):
    return pax((b"linkpath", target)) + header(name, 0, b"1")


def test_a_hard_link_to_a_file_in_a_replaced_directory(tmp_path):
    """The directory of the last target is no longer below the directory to unpack in."""
    directory = header(b"d", 0, b"5", 0o755)
    replaced = directory + hard_link(b"early", b"d/f") + header(b"d") + DATA
    content = replaced + directory + header(b"d/f") + DATA + hard_link(b"late", b"d/f")
    with pytest.raises(ArchiveError, match=r"^early: it is a hard link to d/f, which did not come before it$"):
        unpacked(tmp_path, content)
    assert os.path.samefile(tmp_path / "out/late", tmp_path / "out/d/f")


def test_hard_links_replace_other_entries_and_not_the_file_itself(tmp_path):
    files = b"".join(header(name) + DATA for name in (b"d/f", b"d/old")) + header(b"empty", 0, b"5")
    links = (b"d/f", b"d/./f", b"d/old", b"empty", b"d/g", b"h")
    out = unpacked(tmp_path, files + b"".join(hard_link(name, b"d/f") for name in links))
    found = [out / name for name in ("d/f", "d/old", "d/g", "empty", "h")]
    assert {path.stat().st_ino for path in found} == {found[0].stat().st_ino}
    assert (found[0].stat().st_nlink, found[0].read_bytes()) == (len(found), DATA[:100])


BOMB = 2 << 20


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (header(b"volume", BOMB, b"V"), "the archive unpacks to more than 100 times its size"),
        (header(b"a", BOMB), "a: the archive unpacks to more than 100 times its size"),
    ],
    ids=["before", "within"],
)
def test_a_decompression_bomb_leaves_no_file(tmp_path, monkeypatch, content, message):
    monkeypatch.setattr(limits, "ALWAYS", BOMB // 2)
    (tmp_path / "a.tgz").write_bytes(gzip.compress(content + bytes(BOMB) + END, mtime=0))
    with pytest.raises(ArchiveError, match=f"^{message}$"):
        unpack_beside(tmp_path / "a.tgz", "tar.gz")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_bomb_of_names_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MOST_ENTRIES", 3)
    with pytest.raises(ArchiveError, match=r"^d/e/f: the archive holds more than 3 files and directories$"):
        unpacked(tmp_path, header(b"a") + DATA + header(b"d/e/f") + DATA)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_name_with_a_nul_is_refused_and_the_others_are_unpacked(tmp_path):
    lead = pax((b"linkpath", b"a\0b"))
    content = lead + header(b"soft", 0, b"2") + lead + header(b"hard", 0, b"1") + header(b"b") + DATA
    with pytest.raises(ArchiveError, match="soft: it leads to what cannot be a name; hard: it leads"):
        unpacked(tmp_path, content)
    assert os.listdir(tmp_path / "out") == ["b"]
    assert (unpacked(tmp_path, pax((b"uname", b"a\0b")) + header(b"c") + DATA) / "c").exists()


def test_a_target_with_a_nul_is_an_error_of_the_target(tmp_path):
    with pytest.raises(HostError, match="invalid argument"):
        unpacked(tmp_path, header(b"a") + DATA, name="o\0ut")
    with pytest.raises(HostError, match="invalid argument"):
        unpacked(tmp_path, header(b"a") + DATA, creates=str(tmp_path / "out/c\0"))


def test_the_deepest_tree_can_be_unpacked_twice(tmp_path):
    folder = header(b"d", 0, b"5", 0o755)
    content = b"".join(pax((b"path", b"/".join([b"d"] * depth))) + folder for depth in range(1, 251))
    for _time in range(2):
        out = unpacked(tmp_path, content)
    assert os.listdir(out) == ["d"]
    assert os.path.isdir(out / "/".join(["d"] * 250))
    trees.remove_tree(str(out))


def test_an_endless_sparse_map_is_refused_early(tmp_path):
    lead = pax((b"GNU.sparse.major", b"1"), (b"GNU.sparse.minor", b"0"))

    def refused(size):
        with pytest.raises(ArchiveError, match="map has a value that is not a number"):
            unpacked(tmp_path, lead + header(b"a", size) + b"1" * size)

    small, large = (work_of(lambda size=size: refused(size)) for size in (1 << 18, 8 << 20))
    assert large <= 2 * small


def test_a_sparse_map_ends_before_its_block(tmp_path):
    lead = pax((b"GNU.sparse.major", b"1"), (b"GNU.sparse.minor", b"0"), (b"GNU.sparse.realsize", b"5000"))
    out = unpacked(tmp_path, lead + header(b"a", 612) + b"1\n4000\n100\n".ljust(512, b"\0") + DATA)
    assert (out / "a").read_bytes() == bytes(4000) + DATA[:100] + bytes(900)


def test_a_sparse_file_is_complete_after_short_writes(tmp_path, monkeypatch):
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:7]))
    data = bytes(range(1, 101))
    lead = pax((b"GNU.sparse.map", b"10,40,300,60"), (b"GNU.sparse.size", b"500"))
    out = unpacked(tmp_path, lead + header(b"a") + data.ljust(512, b"\0"))
    assert (out / "a").read_bytes() == bytes(10) + data[:40] + bytes(250) + data[40:] + bytes(140)


@pytest.mark.parametrize("kind", [b"x", b"g"])
def test_many_headers_before_an_entry_need_little_memory(tmp_path, kind):
    block = b"".join(b"12 k%06x=\n" % number for number in range(80_000))
    content = b"".join(header(b"p", len(block), kind) + block + bytes(-len(block) % 512) for _header in range(8))
    (tmp_path / "a.tar").write_bytes(content + header(b"a") + DATA + END)
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveError, match="p: a header of 960000 bytes"):
            unpack_beside(tmp_path / "a.tar", "tar")
        assert tracemalloc.get_traced_memory()[1] < 10 << 20
    finally:
        tracemalloc.stop()


def test_global_headers_between_entries_have_a_common_limit(tmp_path):
    between = [pax((key, b"x" * 400_000), kind=b"g") + header(b"a") + DATA for key in (b"uname", b"gname", b"linkpath")]
    with pytest.raises(ArchiveError, match="its global headers are too long"):
        unpacked(tmp_path, b"".join(between))
    assert list((tmp_path / "out").iterdir()) == []


def as_unprivileged_user(step):
    """Call it in a child process that is not root; return its exception."""

    def drop_privileges():
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        step()

    return in_a_child(drop_privileges)


def in_a_child(step):
    """Call it in a child process; return its exception."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            step()
        except BaseException as error:
            os.write(writing, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as exception_text:
        return exception_text.read()


@pytest.fixture
def public_directory():
    """A directory that every user can read and write."""
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o777)
        yield pathlib.Path(place)


def unreadable_directories(lead=b""):
    """Directories that their owner cannot read."""
    return (
        header(b"./", 0, b"5", 0o555) + header(lead + b"d", 0, b"5", 0o444) + header(lead + b"d/e", 0, b"5", 0o000)
        + header(lead + b"d/e/f", 0, b"5", 0o300) + header(lead + b"d/e/f/x") + DATA
        + header(lead + b"d/e", 0, b"5", 0o000)
    )  # fmt: skip


SHUT = unreadable_directories()


def modes(out):
    return [os.stat(out / path).st_mode & 0o777 for path in ("d", "d/e", "d/e/f")]


@pytest.mark.starts_processes
@pytest.mark.parametrize("existing", ["", "d/e/f"])
def test_unreadable_directories_are_unpacked_by_an_unprivileged_user(public_directory, existing):
    def step():
        os.makedirs(public_directory / "out" / existing)
        unpacked(public_directory, SHUT)

    assert as_unprivileged_user(step) == ""
    out = public_directory / "out"
    assert os.listdir(out) == ["d"]
    if os.getuid() == 0:
        assert modes(out) == [0o444, 0o000, 0o300]
        assert (out / "d/e/f/x").exists()


@pytest.mark.starts_processes
def test_directories_keep_the_mode_bits_that_a_user_cannot_set(public_directory):
    """Like tar, which does not set the sticky bit and the set-group-ID bit of a directory that another user created."""

    def step():
        os.umask(0o022)
        (public_directory / "out/d").mkdir(parents=True)
        os.chmod(public_directory / "out/d", 0o3700)
        unpacked(public_directory, header(b"d", 0, b"5", 0o755) + header(b"new", 0, b"5", 0o7775))

    assert as_unprivileged_user(step) == ""
    assert [os.stat(public_directory / "out" / name).st_mode & 0o7777 for name in ("d", "new")] == [0o3755, 0o755]


@pytest.mark.starts_processes
def test_unreadable_directories_are_moved_to_another_file_system(public_directory, separate_file_systems):
    def step():
        os.makedirs(public_directory / "out/mount")
        unpacked(public_directory, unreadable_directories(b"mount/") + header(b"mount/y", mode=0o200) + DATA)

    assert as_unprivileged_user(step) == ""
    assert sorted(os.listdir(public_directory / "out/mount")) == ["d", "y"]
    if os.getuid() == 0:
        assert modes(public_directory / "out/mount") == [0o444, 0o000, 0o300]


@pytest.mark.starts_processes
def test_unreadable_directories_are_removed_after_a_failure(public_directory):
    def step():
        (public_directory / "out").mkdir()
        (public_directory / "out/d").mkdir(mode=0o500)
        unpacked(public_directory, SHUT[512:])

    assert "rename d/e: permission denied" in as_unprivileged_user(step)
    assert os.listdir(public_directory / "out") == ["d"]


@pytest.mark.starts_processes
def test_too_many_open_directories_leave_no_file(tmp_path):
    def step():
        resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
        unpacked(tmp_path, header(b"d/" * 45 + b"x") + DATA)

    assert "unpack d/d/" in (exception_text := in_a_child(step))
    assert exception_text.rstrip("')").endswith(": too many open files")
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.starts_processes
@pytest.mark.needs("root")
def test_directories_of_another_user(public_directory):
    """Without root, unpacking there fails, and so does setting the mode of existing entries."""
    (public_directory / "closed").mkdir()
    (public_directory / "out/d").mkdir(parents=True)
    (public_directory / "dark").mkdir(mode=0o711)
    for path in (public_directory / "out", public_directory / "out/d"):
        path.chmod(0o777)
    content = header(b"d", 0, b"5", 0o750) + header(b"d/x") + DATA
    assert f"mkdir {public_directory}/closed: permission denied" in as_unprivileged_user(
        lambda: unpacked(public_directory, content, "closed")
    )
    assert f"open {public_directory}/dark: permission denied" in as_unprivileged_user(
        lambda: unpacked(public_directory, content, "dark")
    )
    assert "chmod d: operation not permitted" in as_unprivileged_user(lambda: unpacked(public_directory, content))
    assert os.listdir(public_directory / "closed") == []


@pytest.mark.starts_processes
@pytest.mark.needs("root")
def test_a_tree_of_another_user_that_cannot_be_removed_is_named(public_directory):
    (public_directory / "out/d").mkdir(parents=True)
    (public_directory / "out/d/x").write_text("")
    message = as_unprivileged_user(lambda: trees.remove_tree(f"{public_directory}/out"))
    assert f"unlinkat {public_directory}/out/d/x: permission denied" in message
    assert (public_directory / "out/d/x").exists()

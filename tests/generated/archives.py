# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives made by chance and unpacked: python -m tests.generated.archives [--hostile N] [--harmless N]

Hostile ones hold one bad entry, of every kind in turn, among good ones: nothing may be written outside, and the bad
entry is named. Harmless ones must leave what tar and unzip leave, in an empty directory or in a full one.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import gzip
import io
import os
import pathlib
import random
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
import warnings
import zipfile

from ccm.host.archives import limits
from ccm.host.archives.entry import ArchiveError
from ccm.host.archives.unpack import unpack
from ccm.host.machine import Machine
from ccm.host.reading import Reader

from tests.seed import SEED

IS_ROOT = os.geteuid() == 0
#: The kinds of tars, each with what it is packed in: for tarfile, and for the program tar.
TARS = {"tar": ("", ""), "tar.gz": ("gz", "--gzip"), "tar.bz2": ("bz2", "--bzip2"), "tar.xz": ("xz", "--xz")}
PACKED = [kind for kind in TARS if kind != "tar"]
#: The programs that make or unpack a kind for comparison.
PROGRAMS = {"tar.gz": ["gzip"], "tar.bz2": ["bzip2"], "tar.xz": ["xz"], "zip": ["unzip", "zip"]}
MISSING = [tool for tools in PROGRAMS.values() for tool in tools if not shutil.which(tool)]
COMPARED = [kind for kind in (*TARS, *(["zip"] * 3)) if set(PROGRAMS.get(kind, ())).isdisjoint(MISSING)]
LATEST_OLD_TIME = 1_500_000_000


class Made:
    """An archive under way: `kind` is zip or one of TARS; `names` are the names of good files in it."""

    def __init__(self, rng, path, kind):
        self.rng = rng
        self.path = path
        self.kind = kind
        self.names = []
        if kind == "zip":
            self._archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        else:
            format = rng.choice([tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
            self._archive = tarfile.TarFile.open(path, f"w:{TARS[kind][0]}", format=format)

    def file(self, name, data=b"x", mode=0o644):
        if self.kind == "zip":
            self.zipped(name, data, stat.S_IFREG | mode)
        else:
            info = tarfile.TarInfo(name)
            info.size, info.mode, info.mtime = len(data), mode, self.rng.randrange(LATEST_OLD_TIME)
            self._archive.addfile(info, io.BytesIO(data))

    def zipped(self, name, data, mode, extra=b""):
        info = zipfile.ZipInfo(name, (self.rng.randrange(1981, 2015), 2, 3, 4, 5, 6))
        info.create_system = 3
        info.external_attr = mode << 16
        info.extra = extra
        info.compress_type = self.rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
        self._archive.writestr(info, data)

    def link(self, name, target):
        if self.kind == "zip":
            self.zipped(name, target, stat.S_IFLNK | 0o777)
        else:
            self.special(name, tarfile.SYMTYPE, target)

    def special(self, name, type, target="", **attributes):
        info = tarfile.TarInfo(name)
        info.type, info.linkname, info.mode, info.mtime = type, target, 0o755, self.rng.randrange(LATEST_OLD_TIME)
        for key, value in attributes.items():
            setattr(info, key, value)
        self._archive.addfile(info)

    def good(self):
        name = f"{self.rng.choice(['', 'd/', 'd/e/', 'f/'])}good-{self.rng.randrange(10**9)}"
        self.names.append(name)
        self.file(name, bytes(self.rng.randrange(3000)))

    def bomb(self, name):
        """A file of which packing leaves next to nothing."""
        if self.kind == "zip":
            self._archive.writestr(name, bytes(24 << 20))
        else:
            self.file(name, bytes(24 << 20))

    def close(self):
        self._archive.close()


def above(made, name, box):
    made.file(f"{made.rng.choice(['../', '../../', 'd/../../', './../'])}{name}")


def absolute(made, name, box):
    made.file(f"{made.rng.choice(['', '/', '//'])}{box}/outside/{name}")


def through_link(made, name, box):
    made.link("way", made.rng.choice([str(box / "outside"), "../outside"]))
    made.file(f"way/{name}")


def through_links(made, name, box):
    made.link("one", ".." if made.rng.random() < 0.5 else str(box))
    made.link("two", "one/outside")
    made.file(f"two/{name}")


def through_link_to_file(made, name, box):
    made.link(name, str(box / "outside/secret"))
    made.file(name + "/below")


def directory_through_link(made, name, box):
    made.link("way", str(box / "outside"))
    if made.kind == "zip":
        made.zipped(f"way/{name}/", b"", stat.S_IFDIR | 0o777)
    else:
        made.special(f"way/{name}", tarfile.DIRTYPE)


def device(made, name, box):
    type = made.rng.choice([tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
    made.special(name, type, devmajor=1, devminor=made.rng.randrange(9))


def hard_link_out(made, name, box):
    made.special(
        name,
        tarfile.LNKTYPE,
        made.rng.choice(["../outside/secret", "../../outside/secret", str(box / "outside/secret")]),
    )


def hard_link_through_link(made, name, box):
    made.link("way", str(box / "outside"))
    made.special(name, tarfile.LNKTYPE, "way/secret")


def huge(made, name, box):
    made.bomb(name)


def crowd(made, name, box):
    for number in range(310):
        made.file(f"{name}/{number}", b"")


ANYWHERE = [
    above, absolute, through_link, through_links, through_link_to_file, directory_through_link, huge, crowd
]  # fmt: skip
IN_TAR = [device, hard_link_out, hard_link_through_link]
# Of these nothing stays.
WHOLE = {huge, crowd}


def looks(folder):
    """All files below a folder: kind, owner, mode, time and content of each."""
    found = {}
    for place, folders, files in os.walk(folder):
        for name in ["", *folders, *files]:
            path = pathlib.Path(place, name)
            seen = path.lstat()
            content = path.read_bytes() if stat.S_ISREG(seen.st_mode) else b""
            content = os.readlink(path).encode() if path.is_symlink() else content
            found[str(path)] = (seen.st_mode, seen.st_uid, seen.st_gid, seen.st_mtime_ns, seen.st_nlink, content)
    return found


def hostile(rng, box, bad):
    """Make and unpack one; raises AssertionError."""
    (box / "outside").mkdir(parents=True)
    (box / "outside/secret").write_text("secret", encoding="utf-8")
    kind = rng.choice([*TARS] if bad in IN_TAR else ["zip", *TARS])
    if bad is huge and kind == "tar":
        kind = rng.choice(PACKED)
    made = Made(rng, box / "outside/archive", kind)
    name = f"bad-{rng.randrange(10**9)}"
    for _before in range(rng.randrange(1, 4)):
        made.good()
    bad(made, name, box)
    for _after in range(rng.randrange(1, 4)):
        made.good()
    made.close()
    before = looks(box)
    notices = []
    try:
        unpack(
            Reader(str(box / "outside/archive")),
            kind,
            str(box / "unpacked"),
            "",
            notices.append,
            owners=Machine().owners,
        )
        text = " ".join(notices)
    except ArchiveError as error:
        text = " ".join([str(error), *notices])
    assert name in text, f"{name} of {bad.__name__} in {kind} is not named: {text}"
    out = str(box / "unpacked")
    after = {path: seen for path, seen in looks(box).items() if not path.startswith(out) and path != str(box)}
    del before[str(box)]
    changed = [path for path in {*after, *before} if after.get(path) != before.get(path)]
    assert not changed, f"{bad.__name__}: changed outside: {changed}"
    left = {path.name for path in (box / "unpacked").rglob("*")}
    assert not [path for path in left if path.startswith(".")], left
    if bad in WHOLE:
        assert left == set(), left
    else:
        assert {os.path.basename(good) for good in made.names} <= left, (made.names, left)


def harmless(rng, box):
    """Make one, unpack it, and have tar or unzip unpack it too; raises AssertionError."""
    kind = rng.choice(COMPARED)
    box.mkdir()
    archive = box / f"archive.{kind}"
    if rng.random() < 0.4:
        packed(rng, box, archive, kind)
    else:
        made_by_hand(rng, archive, kind)
    with_old = rng.random() < 0.3
    ours, theirs = box / "ours", box / "theirs"
    for place in (ours, theirs):
        place.mkdir()
        os.utime(place, (LATEST_OLD_TIME, LATEST_OLD_TIME))
    if with_old:
        for place in (ours, theirs):
            old(random.Random(rng.random()) if place is ours else None, place, ours)
    unpack(Reader(str(archive)), kind, str(ours), "", lambda notice: None, owners=Machine().owners)
    command = ["unzip", "-o", "-q", "-d", theirs, archive] if kind == "zip" else ["tar", "-xf", archive, "-C", theirs]
    done = subprocess.run(command, env={**os.environ, "LC_ALL": "C.UTF-8"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    compare(ours, theirs)


def old(rng, place, first):
    """Something of what an archive may hold is there already; the second place gets what the first has."""
    if rng is None:
        shutil.rmtree(place)
        subprocess.run(["cp", "-a", first, place], check=True)
        return
    for name in ("d0", "d1", "d1/d2"):
        if rng.random() < 0.7:
            (place / name).mkdir(mode=rng.choice([0o700, 0o755, 0o1775]), parents=True, exist_ok=True)
            (place / name / "mine").write_text("mine", encoding="utf-8")
    for name in ("o0", "o1", "d0/o0"):
        path = place / name
        if path.parent.is_dir():
            if rng.random() < 0.5:
                path.write_text("old", encoding="utf-8")
                path.chmod(0o600)
            elif not path.exists():
                path.symlink_to("/nowhere")


def made_by_hand(rng, archive, kind):
    made = Made(rng, archive, kind)
    folders = [""]
    files = []
    names = {""}
    for number in range(rng.randrange(1, 25)):
        base = rng.choice(
            [
                f"d{rng.randrange(4)}",
                f"o{rng.randrange(2)}",
                f"f{number}",
                f"ü-{number}",
                f"{'long' * 15}-{number}",
                f"a b{number}",
            ]
        )
        name = rng.choice(folders) + base
        what = rng.choice(["file", "file", "file", "folder", "folder", "link", "hard", "again"])
        if what == "again":
            if not files:
                continue
            name = rng.choice(files)
        elif len(name) > 200 or name in names or any(other.startswith(name + "/") for other in names):
            continue
        if what != "again" and base[0] in "do":
            what = "folder" if base[0] == "d" else "file"
        names.add(name)
        owner = {"uid": rng.randrange(3000), "gid": rng.randrange(3000)}
        owner.update(rng.choice([{}, {"uname": "daemon", "gname": "mail"}, {"uname": "nobody-here"}]))
        mode = rng.choice([0o644, 0o755, 0o600, 0o4755, 0o2755, 0o1777, 0o444, 0o777])
        if what == "folder":
            # What tar makes in a directory with this bit, once it has left it, inherits it.
            mode &= ~stat.S_ISGID
            folders.append(name + "/")
            if rng.random() < 0.7:
                if kind == "zip":
                    made.zipped(name + "/", b"", stat.S_IFDIR | (mode | 0o700))
                else:
                    made.special(name, tarfile.DIRTYPE, mode=mode | 0o700, **owner)
        elif what == "link":
            made.link(name, rng.choice(["nowhere", "/etc", "../..", "d0", "ü"]))
        elif what == "hard" and any(len(file) < 99 for file in files) and kind != "zip":
            made.special(name, tarfile.LNKTYPE, rng.choice([file for file in files if len(file) < 99]))
        elif kind == "zip":
            stamp = rng.randrange(LATEST_OLD_TIME).to_bytes(4, "little")
            extra = rng.choice([b"", b"UT\5\0\1" + stamp])
            made.zipped(name, rng.randbytes(rng.choice([0, 10, 70_000])), stat.S_IFREG | mode, extra)
            files.append(name)
        else:
            info = tarfile.TarInfo(name)
            data = rng.randbytes(rng.choice([0, 10, 512, 70_000]))
            info.size, info.mode, info.mtime = len(data), mode, rng.randrange(LATEST_OLD_TIME) + rng.choice([0, 0.25])
            for key, value in owner.items():
                setattr(info, key, value)
            made._archive.addfile(info, io.BytesIO(data))
            files.append(name)
    made.file("last")  # an empty zip is a warning to unzip
    made.close()


def packed(rng, box, archive, kind):
    """A tree packed by tar or zip themselves."""
    tree = box / "tree"
    tree.mkdir()
    for number in range(rng.randrange(1, 15)):
        folder = tree / f"d{rng.randrange(3)}" / rng.choice([".", "d2"])
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"f{number}"
        path.write_bytes(rng.randbytes(rng.randrange(5000)))
        path.chmod(rng.choice([0o644, 0o755, 0o4711, 0o400]))
        if rng.random() < 0.2:
            (folder / f"s{number}").symlink_to(rng.choice(["f0", "/etc/passwd", "../.."]))
        if rng.random() < 0.2:
            os.link(path, folder / f"h{number}")
        if rng.random() < 0.2:
            with open(folder / f"hole{number}", "wb") as file:
                for _part in range(rng.randrange(1, 6)):
                    file.seek(rng.randrange(1, 50) * 8192, os.SEEK_CUR)
                    file.write(rng.randbytes(rng.randrange(1, 5000)))
                file.truncate(file.tell() + rng.choice([0, 100_000]))
        if IS_ROOT:
            os.chown(path, rng.randrange(2000), rng.randrange(2000))
            path.chmod(rng.choice([0o644, 0o755, 0o4711, 0o2755]))
    for path in [*tree.rglob("*"), tree]:
        stamp = rng.randrange(400_000_000, LATEST_OLD_TIME)
        os.utime(path, ns=(stamp * 10**9, stamp * 10**9 + rng.choice([0, 123_456_789])), follow_symlinks=False)
    what = rng.choice([[".", "."], ["--", *sorted(path.name for path in tree.iterdir())]])[1:]
    if kind == "zip":
        subprocess.run(["zip", "-q", "-r", "-y", archive, *what], cwd=tree, check=True)
        return
    options = [f"--format={rng.choice(['gnu', 'oldgnu', 'pax', 'ustar', 'v7'])}"]
    options += rng.choice([[], [], ["--sparse"], ["--sort=name"], ["--numeric-owner"]])
    if "--sparse" in options and options[0] in ("--format=ustar", "--format=v7"):
        options.remove("--sparse")
    if options == ["--format=pax", "--sparse"]:
        options.append(f"--sparse-version={rng.choice(['0.0', '0.1', '1.0'])}")
    packing = [TARS[kind][1]] if kind != "tar" else []
    subprocess.run(["tar", "--create", *packing, *options, f"--file={archive}", *what], cwd=tree, check=True)


def compare(ours, theirs, *, times=True):
    """Compare all below two directories, and unless `times` is false their times. Raises AssertionError."""
    mine, wanted = (
        {os.path.relpath(path, place): seen for path, seen in looks(place).items()} for place in (ours, theirs)
    )
    assert set(mine) == set(wanted), sorted(set(mine) ^ set(wanted))
    recent = (time.time() - 600) * 10**9
    for path, (mode, uid, gid, mtime, nlink, content) in wanted.items():
        got = mine[path]
        assert got[:3] == (mode, uid, gid), (path, [oct(value) for value in got[:3]], oct(mode), uid, gid)
        assert got[4:] == (nlink, content), (path, "content, or number of links")
        if not times:
            continue
        is_folder = stat.S_ISDIR(mode)
        if path == "." and mtime == LATEST_OLD_TIME * 10**9:
            continue  # nothing new directly in it; the hidden directory was
        assert got[3] == mtime or (mtime > recent and (is_folder or got[3] > recent)), (path, got[3], mtime)


MEASURED = """
import re, sys
from ccm.host.archives import limits
from ccm.host.archives.entry import ArchiveError
from ccm.host.archives.unpack import unpack
from ccm.host.reading import Reader
from ccm.host.machine import Machine
limits.MOST_ENTRIES = int(sys.argv[3])
try:
    unpack(Reader(sys.argv[1]), "tar.gz", sys.argv[2], "", print, owners=Machine().owners)
except ArchiveError as error:
    print(error)
print(re.search("VmHWM:\\\\s+(\\\\d+)", open("/proc/self/status").read())[1])
"""
MOST_MEMORY = 40


def refused(archive, box, expected, most_entries=limits.MOST_ENTRIES):
    """Unpack what is refused while it is read; prints what that took. Raises AssertionError."""
    command = [sys.executable, "-c", MEASURED, archive, box / "unpacked", str(most_entries)]
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said, memory = done.stdout.splitlines()
    assert expected in said, said
    assert list((box / "unpacked").iterdir()) == []
    took = f"{time.monotonic() - begin:.1f} s, {int(memory) / 1024:.1f} MiB"
    assert int(memory) / 1024 < MOST_MEMORY, took
    print(f"{said}: {took}", flush=True)


def long_list(box, most_entries):
    """Four times as many entries as an archive may have, the last ones alike."""
    box.mkdir()
    with gzip.open(box / "archive", "wb", compresslevel=1) as archive:
        for number in range(most_entries + 10):
            last = tarfile.TarInfo(f"crowd/{number}").tobuf()
            archive.write(last)
        for _rest in range(most_entries // 250):
            archive.write(last * 750)
    expected = f"crowd/{most_entries - 1}: the archive holds more than {most_entries} files and directories"
    refused(box / "archive", box, expected, most_entries)


def bomb(box):
    """A file of 1 GiB that packing makes a thousand times smaller."""
    box.mkdir()
    header = tarfile.TarInfo("bomb")
    header.size = 1 << 30
    with gzip.open(box / "archive", "wb", compresslevel=1) as archive:
        archive.write(tarfile.TarInfo("before").tobuf() + header.tobuf())
        for _part in range(1024):
            archive.write(bytes(1 << 20))
    refused(box / "archive", box, "bomb: the archive unpacks to more than 100 times its size")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hostile", type=int, default=400)
    parser.add_argument("--harmless", type=int, default=120)
    parser.add_argument("--entries", type=int, default=25_000, help="how many the archive with most of them may have")
    parser.add_argument("--seed", type=int, default=SEED, help="of what is chosen at random (CCM_SEED)")
    options = parser.parse_args()
    if MISSING and "root" in os.environ.get("CCM_REQUIRE", "").split(","):
        sys.exit(f"missing, and CCM_REQUIRE is set: {' '.join(MISSING)}")
    # Small limits, so that what is more than enough does not take long to make.
    limits.ALWAYS = 1 << 20
    limits.MOST_ENTRIES = 300
    rng = random.Random(options.seed)
    warnings.filterwarnings("ignore", "Duplicate name")
    with contextlib.ExitStack() as stack:
        scratch = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ccm-archives-")))
        box = scratch / "box"
        kinds = ANYWHERE + IN_TAR
        for number in range(options.hostile):
            run(number, functools.partial(hostile, rng, box, kinds[number % len(kinds)]), box)
        print(f"hostile archives: {options.hostile} of {len(kinds)} kinds, nothing outside, each named", flush=True)
        for number in range(options.harmless):
            run(number, functools.partial(harmless, rng, box), box)
        print(f"harmless archives: {options.harmless} left what tar and unzip leave", flush=True)
        if MISSING:
            print(f"left out: some kinds of harmless archives: need {', '.join(MISSING)}", flush=True)
        huge = (functools.partial(long_list, box, options.entries), functools.partial(bomb, box))
        for number, attempt in enumerate(huge):
            run(number, attempt, box)


def run(number, attempt, box):
    try:
        attempt()
    except BaseException:
        print(f"archive {number}", file=sys.stderr)
        raise
    shutil.rmtree(box)


if __name__ == "__main__":
    main()

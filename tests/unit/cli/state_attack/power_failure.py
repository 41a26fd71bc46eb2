# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Record what power failures may leave of the state of one run of ccm.

power_failure.py RECORD DISK HOST WORDS... runs ccm with these words. Before and after each call that changes or syncs
something, it looks at the directory DISK, which has the state. A file is on the disk as it was when it was synced last,
and so is a directory with its entries. RECORD becomes a list of all that failures may leave: each is a variant, the
tree of DISK, and the tree of HOST, whose changes are taken as if they were on the disk at once.

A tree is {path: (mode, content)}, without content for directories.
"""

from __future__ import annotations

import functools
import os
import pickle
import stat
import sys

#: Where the files change, and with the last one the host.
CHANGING = "open write writev rename replace unlink remove mkdir rmdir link symlink truncate ftruncate posix_spawn"
SYNCING = ("fsync", "fdatasync")
#: What a power failure leaves: everything; only what was synced; all entries of directories, but of files only what was
#: synced; the same with half of what was added to files since.
ALL, SYNCED, ENTRIES, TORN = VARIANTS = ("all", "synced", "entries", "torn")
#: In these no file is damaged.
WHOLE = (ALL, SYNCED)


class Disk:
    """The files and directories below `root` by numbers of our own, as they are now and as they were synced last.

    All that exists at the beginning is on the disk.
    """

    def __init__(self, root):
        self.root = root
        self.numbers, self.count = {}, 0
        self.modes, self.files, self.entries = {}, {}, {}
        self.look()
        self.synced_files, self.synced_entries = dict(self.files), dict(self.entries)

    def look(self):
        """See what has changed."""
        seen, self.numbers = self.numbers, {}
        self.files, self.entries = {}, {}
        self.top = self._number(self.root, seen)

    def _number(self, path, seen):
        found = os.lstat(path)
        # The kernel gives the number of a removed file to a new one, but not between two looks.
        number = self.numbers.get(found.st_ino) or seen.get(found.st_ino)
        if not number:
            number = self.count = self.count + 1
        self.numbers[found.st_ino] = number
        self.modes[number] = stat.S_IMODE(found.st_mode)
        if stat.S_ISDIR(found.st_mode):
            self.entries[number] = {name: self._number(f"{path}/{name}", seen) for name in sorted(os.listdir(path))}
        else:
            self.files[number] = content_of(path)
        return number

    def sync(self, fd):
        number = self.numbers.get(os.fstat(fd).st_ino)
        if number in self.files:
            self.synced_files[number] = self.files[number]
        elif number in self.entries:
            self.synced_entries[number] = self.entries[number]

    def left(self, variant):
        """Return the tree that a power failure leaves."""
        entries = self.synced_entries if variant == SYNCED else self.entries
        tree = {}

        def add(number, path):
            if number in self.entries or number in self.synced_entries:
                tree[path] = (self.modes[number], None)
                for name, child in entries.get(number, {}).items():
                    add(child, f"{path}/{name}")
            else:
                tree[path] = (self.modes[number], self._content(number, variant))

        add(self.top, ".")
        return tree

    def _content(self, number, variant):
        synced = self.synced_files.get(number, b"")
        if variant == ALL:
            return self.files[number]
        if variant == TORN and self.files[number].startswith(synced):
            return self.files[number][: (len(synced) + len(self.files[number]) + 1) // 2]
        return synced


class Recorder:
    """Wraps functions of `os`; `left` is what failures may leave, without repetitions."""

    def __init__(self, root, host):
        self.disk, self.host = Disk(root), host
        self.left = {}
        for name in (*CHANGING.split(), *SYNCING):
            setattr(os, name, self.wrapped(name, getattr(os, name)))

    def wrapped(self, name, call):
        @functools.wraps(call)
        def run(*args, **named):
            self.note()
            result = call(*args, **named)
            if name in SYNCING:
                self.disk.sync(args[0])
            self.note()
            return result

        return run

    def note(self):
        self.disk.look()
        host = tree_of(self.host)
        for variant in VARIANTS:
            tree = self.disk.left(variant)
            # A variant that leaves the same as one before it is that one.
            self.left.setdefault((tuple(tree.items()), tuple(host.items())), (variant, tree, host))


def content_of(path):
    with open(path, "rb") as file:
        return file.read()


def tree_of(root):
    """Return what is below a directory now."""
    tree = {".": (stat.S_IMODE(os.lstat(root).st_mode), None)}
    for folder, folders, files in os.walk(root):
        for name in sorted(folders + files):
            path = f"{folder}/{name}"
            content = None if name in folders else content_of(path)
            tree[f".{path[len(str(root)) :]}"] = (stat.S_IMODE(os.lstat(path).st_mode), content)
    return tree


def main():
    record, root, host, *words = sys.argv[1:]
    recorder = Recorder(root, host)
    from ccm.cli.main import main as ccm

    sys.argv = ["ccm", *words]
    try:
        ccm()
    finally:
        recorder.note()
        with open(record, "wb") as file:
            pickle.dump(list(recorder.left.values()), file)


if __name__ == "__main__":
    main()

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The least work for a workload, in a Python process that imports nothing more: bare.py WORD ARGUMENT...

- read FOLDER: look at each file below, and read it
- write FOLDER COUNT SIZE: make so many new files of that size, each by rename, as a file that must never be half there
- spawn FOLDER COUNT: start so many commands that make a file
- hash FILE...: the SHA-256 of files
- copy FILE NEW: copy a file within the kernel

What it takes more than a start of Python is what any program in Python needs.
"""

import os
import sys


def read(folder):
    for name, _folders, files in os.walk(folder):
        for file in files:
            number = os.open(f"{name}/{file}", os.O_RDONLY)
            os.read(number, os.fstat(number).st_size + 1)
            os.close(number)


def write(folder, count, size):
    text = b"x" * int(size)
    os.makedirs(folder)
    for number in range(int(count)):
        new = os.open(f"{folder}/new", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(new, text)
        os.fchown(new, os.geteuid(), os.getegid())
        os.fchmod(new, 0o644)
        os.close(new)
        os.rename(f"{folder}/new", f"{folder}/{number}")


def spawn(folder, count):
    os.makedirs(folder)
    for number in range(int(count)):
        os.waitpid(os.posix_spawn("/usr/bin/touch", ["touch", f"{folder}/{number}"], os.environ), 0)


def digest(*paths):
    import hashlib

    for path in paths:
        with open(path, "rb", buffering=0) as stream:
            found = hashlib.sha256()
            while block := stream.read(1 << 20):
                found.update(block)


def copy(source, new):
    given, made = os.open(source, os.O_RDONLY), os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    while os.copy_file_range(given, made, 1 << 27):
        pass


if __name__ == "__main__":
    {"read": read, "write": write, "spawn": spawn, "hash": digest, "copy": copy}[sys.argv[1]](*sys.argv[2:])

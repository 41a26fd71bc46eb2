# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""tar for the setup of cases: the archives that it makes are the recorded ones, byte for byte.

Since 1.35 GNU tar leaves the device numbers of files empty in the ustar format, where it wrote zeros before.
"""

import os
import pathlib
import shutil
import subprocess
import sys

BLOCK = 512
SIZE, SUM, KIND, DEVICE = slice(124, 136), slice(148, 156), slice(156, 157), slice(329, 345)
ZEROS = b"0000000\0" * 2


def as_recorded(archive):
    """The archive with zeros for device numbers that are empty, and the sums of the headers that this changes."""
    data = bytearray(archive)
    at = 0
    while any(data[at : at + BLOCK]):
        header = data[at : at + BLOCK]
        if header[KIND] not in (b"3", b"4") and not any(header[DEVICE]):
            header[DEVICE] = ZEROS
            header[SUM] = b" " * 8
            header[SUM] = f"{sum(header):06o}\0 ".encode()
            data[at : at + BLOCK] = header
        size = int(bytes(header[SIZE]).strip(b"\0 ") or b"0", 8)
        at += BLOCK + -(-size // BLOCK) * BLOCK
    return bytes(data)


def main():
    own = pathlib.Path(__file__).resolve().parent / "setup"
    places = [place for place in os.environ["PATH"].split(":") if pathlib.Path(place).resolve() != own]
    words = sys.argv[1:]
    done = subprocess.run([shutil.which("tar", path=":".join(places)), *words], check=False)
    if not done.returncode and "--format=ustar" in words and "-cf" in words:
        path = pathlib.Path(words[words.index("-cf") + 1])
        path.write_bytes(as_recorded(path.read_bytes()))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is below a directory of a host, all but times: a line for each entry."""

from __future__ import annotations

import json

#: Prints by folder of $1 the lines of its entries: path, kind, owner, mode, and what a file holds or a link leads to.
SCRIPT = r"""
import json, os, stat, sys

KINDS = {stat.S_IFREG: "f", stat.S_IFDIR: "d", stat.S_IFLNK: "l", stat.S_IFIFO: "p"}

def line(path):
    found = os.lstat(path)
    kind, rest = KINDS[stat.S_IFMT(found.st_mode)], b""
    if kind == "f":
        with open(path, "rb") as file:
            rest = file.read()
    elif kind == "l":
        rest = os.readlink(path).encode()
    text = repr(rest.decode("utf-8", "backslashreplace"))[1:-1]
    return f"{path} {kind} {found.st_uid}:{found.st_gid} {stat.S_IMODE(found.st_mode):o} {text}".rstrip()

def below(folder):
    os.chdir(folder)
    found = [os.path.join(top, name)[2:] for top, *names in os.walk(".") for name in sum(names, [])]
    return [line(path) for path in sorted(found)]

print(json.dumps({name: below(os.path.join(sys.argv[1], name)) for name in os.listdir(sys.argv[1])}))
"""


def listing(host, directory):
    """Return the lines of what is in each folder of a directory of the host, by the name of the folder."""
    return json.loads(host.run(["python3", "-c", SCRIPT, directory]).stdout)

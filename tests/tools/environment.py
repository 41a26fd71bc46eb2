# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a command in the environment of the tests: python3 tests/tools/environment.py [NAME=VALUE...] COMMAND...

environment.txt lists the variables that stay. Needs nothing but Python: it runs before there is an environment.
"""

from __future__ import annotations

import math
import os
import pathlib
import sys
from fnmatch import fnmatchcase
from typing import Mapping

LIST = pathlib.Path(__file__).with_suffix(".txt")
SET = {"LC_ALL": "C.UTF-8"}
# Tests make files that other users read.
UMASK = 0o022


def kept_names() -> list[str]:
    """The names in the list, some with a * at the end."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def clean(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of a step, from the caller's."""
    names = kept_names()
    kept = {name: value for name, value in environ.items() if any(fnmatchcase(name, known) for known in names)}
    return {**kept, **SET}


def number(name: str, default: float) -> float:
    """The number above 0 that a variable sets, `default` where it is empty or not set. Ends the program for others."""
    text = os.environ.get(name) or default
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 < found < math.inf:
        sys.exit(f"{name} is {text!r}: give it a number above 0")
    return found


def whole_number(name: str, default: int) -> int:
    """The same for a number without a fraction, which may be 0."""
    text = os.environ.get(name) or str(default)
    if not (text.isascii() and text.isdigit()):
        sys.exit(f"{name} is {text!r}: give it a whole number, 0 or more")
    return int(text)


def main(words: list[str]) -> None:
    """Become the command."""
    if sys.version_info < (3, 11):
        version = ".".join(map(str, sys.version_info[:3]))
        sys.exit(f"Python {version} is too old, ansible-core 2.19 wants 3.11 or newer: make PYTHON=/path/to/python3.11")
    environ = clean(os.environ)
    while words and "=" in words[0]:
        name, _sign, value = words.pop(0).partition("=")
        environ[name] = value
    os.umask(UMASK)
    if not words:
        sys.exit("usage: environment.py [NAME=VALUE...] COMMAND...")
    os.execvpe(words[0], words, environ)


if __name__ == "__main__":
    main(sys.argv[1:])

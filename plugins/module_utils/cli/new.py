# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm new`: makes a directory with a manifest, its data, a template and a test."""

from __future__ import annotations

import os
import shutil
import sys

from ..host.errors import errno_of, reason_of
from ..lang.controls import escaped
from ..lang.shellquotes import quote
from ..model.errors import CCMError
from ..model.flags import Argument
from .command import Command
from .help import columns
from .new_files import FILES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.flags import Values

_HERE = "."


def _new(values: Values) -> int:
    directory = values.directory
    try:
        _make(directory)
    except (OSError, ValueError) as error:
        raise CCMError(
            f"cannot make a manifest in {directory}: {reason_of(errno_of(error))}",
            value=directory,
            advice="give the path of a directory that you may write, or that can be made",
        ) from None
    lines = [f"Made in {'this directory' if directory == _HERE else directory}:"]
    lines += columns((file.name, file.holds) for file in FILES)
    steps = [("ccm lint manifest.yaml", "look for mistakes"), ("ccm plan manifest.yaml", "show what would change")]
    steps += [
        ("ccm apply manifest.yaml", "change it"),
        ("./test.sh", "test the manifest"),
        ("ccm docs", "explain words"),
    ]
    if directory != _HERE:
        steps.insert(0, (f"cd {quote(directory)}", ""))
    lines += ["", "Go on with:", *columns(steps)]
    sys.stdout.writelines(f"{escaped(line)}\n" for line in lines)
    return 0


def _make(directory: str) -> None:
    """Write all files, or none. Raises CCMError for a directory with anything in it, OSError and ValueError.

    They are written into a new directory first, which gets the given name. Where the given directory exists, the files
    are moved into it: it may be the current directory of a shell.
    """
    whole = os.path.abspath(directory)
    if os.path.isdir(whole):
        if os.listdir(whole):
            advice = "give a directory that is empty, or one that does not exist: nothing is overwritten"
            raise CCMError(f"the directory {directory} is not empty", value=directory, advice=advice)
        staged = _staged(whole)
    elif os.path.lexists(whole):
        advice = "give a directory that is empty, or one that does not exist"
        raise CCMError(f"{directory} is not a directory", value=directory, advice=advice)
    else:
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        staged = _staged(os.path.dirname(whole))
    moved: list[str] = []
    try:
        for file in FILES:
            _write(f"{staged}/{file.name}", file.text, 0o777 if file.is_run else 0o666)
        if os.path.dirname(staged) != whole:
            os.rename(staged, whole)
            return
        for name in sorted(os.listdir(staged)):
            os.rename(f"{staged}/{name}", f"{whole}/{name}")
            moved.append(f"{whole}/{name}")
        os.rmdir(staged)
    except BaseException:
        for path in (*moved, staged):
            _remove(path)
        raise


def _staged(parent: str) -> str:
    """Make a directory for incomplete files, with the mode that the user's umask leaves."""
    path = f"{parent}/.ccm-new-{os.urandom(6).hex()}"
    os.mkdir(path, 0o777)
    return path


def _write(path: str, text: str, mode: int) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def _remove(path: str) -> None:
    if os.path.isdir(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        os.unlink(path)


COMMAND = Command(
    "new",
    "Make a manifest with data, a template and a test",
    details="""The manifest can be applied at once, as any user: it writes ccm-example/hello.conf in the home directory.
Its test applies it in a temporary directory. A directory with anything in it is refused, so that nothing is
overwritten.""",
    arguments=(
        Argument("directory", "Where to make it, the current directory by default", default=_HERE, path="directory"),
    ),
    run=_new,
)

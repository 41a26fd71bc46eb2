# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tracked files, the modules of the package and their imports, for tests of the whole code."""

from __future__ import annotations

import ast
import fnmatch
import functools
import os
import pathlib
import subprocess
import sys

from tests.tools.environment import clean

ROOT = pathlib.Path(__file__).parents[2]
PLUGINS = ROOT / "plugins"
PACKAGE = PLUGINS / "module_utils"
# The command, with the Python and the package of the tests.
CCM = [sys.executable, str(ROOT / "bin/ccm")]
# With several Pythons from pyenv, python3.8 runs only when this variable selects it.
PYTHON38_ENV = {**clean(os.environ), "PYENV_VERSION": "3.8"}
_NOTES = os.environ.get("CCM_MET")
_NOTING = "import sys; import tests.tools.met; from ccm.cli.main import main; sys.exit(main())"


def noting(environ):
    """Return the words of the command for a process with these variables, and the variables.

    Where tests.tools.met notes the messages of this process, the command notes its own, too.
    """
    if not _NOTES:
        return CCM, environ
    return [sys.executable, "-c", _NOTING], {**environ, "CCM_MET": _NOTES, "PYTHONPATH": str(ROOT)}


def _listed():
    """Return the names of the tracked files; None without git, or where git does not list them."""
    try:
        words = ["git", "ls-files", "-z"]
        listed = subprocess.run(words, cwd=ROOT, env=clean(os.environ), capture_output=True, check=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return [pathlib.PurePosixPath(name) for name in listed.stdout.split("\0") if name]


# Listed on import, so that tests of the tracked files start no process.
LISTED = _listed()


def tracked(*below):
    """Return the tracked files that exist, as paths relative to the root; BELOW limits them to directories or globs."""
    assert LISTED is not None, "git ls-files does not list the files of this directory"
    return [name for name in LISTED if _is_below(name, below) and (ROOT / name).is_file()]


def _is_below(name, places):
    return not places or any(name.is_relative_to(place) or fnmatch.fnmatch(name, place) for place in places)


def sources(folder=PACKAGE):
    """Return the Python files below a directory, tracked or not."""
    return sorted(path for path in folder.rglob("*.py") if "__pycache__" not in path.parts)


def entry_of(table, key, place):
    """Return the entry of a table of a test; without one, fail and say where it is missing."""
    assert key in table, f"nothing is known of {key!r}: add it to {place}"
    return table[key]


def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@functools.cache
def nodes(path):
    """Return the nodes of the tree of a file, in the order of `ast.walk`; all tests of a process share them."""
    return tuple(ast.walk(tree(path)))


def parts_of(path):
    """Return the name of a module of the package as a tuple: ("lang", "expr", "parser"); () for the package itself."""
    relative = path.relative_to(PACKAGE).with_suffix("").parts
    return relative[:-1] if relative[-1] == "__init__" else relative


@functools.cache
def imports(path):
    """Return each import of a file, including those in functions: (node, level, module parts, imported names)."""
    found = []
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found += [(node, 0, tuple(alias.name.split(".")), ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = tuple((node.module or "").split(".")) if node.module else ()
            found.append((node, node.level, module, tuple(alias.name for alias in node.names)))
    return found


@functools.cache
def targets(path):
    """Return the files that a file imports: for `from .a import b`, a/b.py or a.py, with their packages."""
    found = set()
    for _node, level, module, names in imports(path):
        if not level:
            continue
        base = path.parent
        for _up in range(level - 1):
            base = base.parent
        for part in module:
            base = base / part
        found.update(_files(base))
        for name in names:
            found.update(_files(base / name))
    return {target for target in found if PACKAGE in target.parents}


def _files(base):
    candidates = (base.with_suffix(".py"), base / "__init__.py")
    return [candidate for candidate in candidates if candidate.is_file()]


def shipped(path):
    """Return the files of the package that Ansible sends with a module: all direct and indirect imports."""
    found, waiting = set(), [path]
    while waiting:
        for target in targets(waiting.pop()):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found

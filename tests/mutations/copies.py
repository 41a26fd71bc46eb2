# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of the tracked files, in which faults are planted and tests run; the checkout is only read."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import shutil
import signal
import site
import subprocess
import sys
import tempfile
import threading

from tests.tools.environment import clean
from tests.unit.layout import ROOT

IN_COPY = pathlib.Path(__file__).with_name("in_copy")
VERSION = "plugins/module_utils/version.py"
ASK_VERSION = "import ccm.version; print(ccm.version.VERSION)"
# Python takes a compiled file for current when time and size of its source are the noted ones.
_FIRST_TIME = 1_000_000_000


def git(*words: str, folder: pathlib.Path = ROOT) -> bytes:
    """Return what git says in a folder; the caller's variables can name another repository, or another index."""
    return subprocess.run(["git", *words], cwd=folder, env=clean(os.environ), check=True, stdout=subprocess.PIPE).stdout


class StoppedError(Exception):
    """A command was not run to its end, because the copy is stopped."""


class Copy:
    """The tracked files of the checkout, or of a commit, with an environment in `.venv` that imports the package of it.

    The environment finds all other packages where the environment that runs this has them.
    """

    def __init__(self, place: pathlib.Path, revision: str = "") -> None:
        self.root = place / "checkout"
        self.temporary = place / "tmp"
        self.temporary.mkdir(parents=True)
        self.root.mkdir()
        # Some tests become another user, who has to reach this as it reaches /tmp.
        for folder in (place.parent, place, self.temporary, self.root):
            folder.chmod(0o755)
        self.environment = self.root / ".venv"
        self._time = _FIRST_TIME
        self._starting = threading.Lock()
        self._process: subprocess.Popen | None = None
        self._is_stopped = False
        if revision:
            archive = git("archive", revision)
            subprocess.run(["tar", "-x"], cwd=self.root, check=True, input=archive)
        else:
            self._copy_tracked_files()
        self._make_environment()
        # Tests ask git for the tracked files.
        for words in (["init", "--quiet"], ["add", "--all"]):
            git(*words, folder=self.root)
        self._require_own_code()

    @property
    def python(self) -> str:
        return str(self.environment / "bin/python")

    def run(self, command: list[str], timeout: float | None = None) -> tuple[int, str]:
        """Run a command in the copy, with a small environment; return its exit code and its output.

        What it leaves running in its process group is killed; other processes may hold its output open, so that is a
        file. Raises subprocess.TimeoutExpired, and StoppedError once the copy is stopped.
        """
        variables = {
            "PATH": f"{self.environment}/bin:{os.environ['PATH']}",
            "HOME": os.environ.get("HOME", "/"),
            "LC_ALL": "C.UTF-8",
            "TMPDIR": str(self.temporary),
        }
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            with self._starting:
                if self._is_stopped:
                    raise StoppedError(f"{self.root} runs nothing more")
                process = self._process = subprocess.Popen(
                    command, cwd=self.root, env=variables, stdin=subprocess.DEVNULL, stdout=output,
                    stderr=subprocess.STDOUT, process_group=0,
                )  # fmt: skip
            try:
                process.wait(timeout)
            finally:
                self._kill()
            if self._is_stopped:
                raise StoppedError(f"{self.root} was stopped")
            output.seek(0)
            said = output.read()
        self._empty_temporary()
        return process.returncode, said

    def stop(self) -> None:
        """Kill what runs in the copy; `run` raises StoppedError from now on, in other threads too."""
        with self._starting:
            self._is_stopped = True
            self._kill()

    def _kill(self) -> None:
        """Kill the last command with all that it left running in its process group."""
        if self._process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def read(self, file: str) -> str:
        return (self.root / file).read_text(encoding="utf-8")

    def write(self, file: str, text: str) -> None:
        """Write a file of the copy; its time is another one after each change, so no compiled file stays in use."""
        path = self.root / file
        path.write_text(text, encoding="utf-8")
        self._time += 10
        os.utime(path, (self._time, self._time))

    def _copy_tracked_files(self) -> None:
        for name in filter(None, os.fsdecode(git("ls-files", "-z")).split("\0")):
            source, target = ROOT / name, self.root / name
            if source.is_symlink() or source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target, follow_symlinks=False)

    def _make_environment(self) -> None:
        base = os.path.realpath(sys.executable)
        subprocess.run([base, "-m", "venv", "--without-pip", self.environment], check=True)
        (packages,) = self.environment.glob("lib/python*/site-packages")
        (packages / "packages.pth").write_text("".join(f"{folder}\n" for folder in site.getsitepackages()))
        for folder in map(pathlib.Path, site.getsitepackages()):
            for file in folder.glob("__editable__*ccm_core*"):
                # The package is where the environment of the checkout says, with the path of the copy.
                (packages / file.name).write_text(file.read_text().replace(str(ROOT), str(self.root)))
        for file in IN_COPY.glob("*.py"):
            shutil.copy(file, packages)
        (packages / "noted_lines.pth").write_text("import noted_lines\n")
        for file in pathlib.Path(sys.prefix, "bin").iterdir():
            target = self.environment / "bin" / file.name
            text = b"" if file.is_symlink() else file.read_bytes()
            if text.startswith(b"#!") and not target.exists():
                target.write_bytes(text.replace(os.fsencode(sys.prefix), os.fsencode(self.environment), 1))
                target.chmod(0o755)
        collection = self.environment / "collections/ansible_collections/ccm/core"
        collection.parent.mkdir(parents=True)
        collection.symlink_to(self.root)
        (self.environment / ".stamp").touch()

    def _require_own_code(self) -> None:
        """Raise unless its Python, its command and the installed command run what is written in the copy."""
        former = self.read(VERSION)
        self.write(VERSION, re.sub(r'(?m)^VERSION = ".*"', 'VERSION = "planted"', former))
        for command in ([self.python, "-c", ASK_VERSION], [self.python, "bin/ccm", "--version"], ["ccm", "--version"]):
            _code, said = self.run(command)
            if said.split()[-1:] != ["planted"]:
                raise RuntimeError(f"{' '.join(command)} does not run the package of the copy: {said}")
        self.write(VERSION, former)

    def _empty_temporary(self) -> None:
        for path in self.temporary.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs that are compared: where each is, which version, and how it is started."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import typing

from ..__main__ import ROOT
from . import forms

OURS, ORIGINAL, PYINFRA, ANSIBLE, PUPPET, MGMT = "ccm.core", "original", "pyinfra", "Ansible", "Puppet", "mgmt"
#: Where `make bench-report` installs the programs that are Python packages.
VENV = ROOT / ".venv-bench/bin"
#: mgmt ends when nothing has changed for so many seconds, which do not count.
IDLE = 3


class Kind(typing.NamedTuple):
    """A program as such: what it is, its file in the paths of programs, and its language."""

    about: str
    file: str
    option: str
    form: typing.Callable[[list], dict[str, str]]
    missing: str


KINDS = {
    OURS: Kind("this project, as pip installs it", "ccm", "--version", forms.ccm, "make .venv-run/.stamp makes it"),
    ORIGINAL: Kind("choria-io/ccm", "", "--version", forms.ccm, "give its path: make bench-report CCM=/path/of/ccm"),
    PYINFRA: Kind("pyinfra, @local", "pyinfra", "--version", forms.pyinfra, "not installed"),
    ANSIBLE: Kind(
        "ansible-core's builtins, local connection, pipelining, no facts",
        "ansible-playbook",
        "--version",
        forms.ansible,
        "not installed",
    ),
    PUPPET: Kind("puppet apply", "puppet", "--version", forms.puppet, "not installed"),
    MGMT: Kind(
        "mgmt run until nothing changes", "mgmt", "--version", forms.mgmt, "not in PATH: make bench-report MGMT=/path"
    ),
}


@dataclasses.dataclass(frozen=True)
class Program:
    """A program of this machine. `missing` says why there is none; it is empty for a program that was found."""

    name: str
    path: str = ""
    version: str = ""
    missing: str = ""

    def files(self, items):
        """The files of a folder that make the program apply items. Raises forms.NoWord."""
        return KINDS[self.name].form(items)

    def run(self, folder, noop=False):
        """How node.py starts it in the folder of its files."""
        python = str(VENV / "python") if (VENV / "python").exists() else "auto_silent"
        own = f"{folder}/own"
        match self.name:
            case "pyinfra":
                argv, variables = ["-y", "@local", "deploy.py", *(["--dry"] if noop else [])], {}
            case "Ansible":
                argv = ["-i", "localhost,", "play.yml", *(["--check"] if noop else [])]
                variables = {
                    "ANSIBLE_PIPELINING": "true",
                    "ANSIBLE_HOME": own,
                    "ANSIBLE_PYTHON_INTERPRETER": python,
                    "ANSIBLE_NOCOLOR": "true",
                }
            case "Puppet":
                argv, variables = ["apply", *(["--noop"] if noop else []), "site.pp"], {}
            case "mgmt":
                ends = [f"--converger-timeout={IDLE}", "--converged-exit"]
                argv = ["run", "--tmp-prefix", "--no-pgp", *ends, *(["--noop"] if noop else []), "lang", "main.mcl"]
                variables = {}
            case _:
                argv, variables = ["apply", "m.yaml", *(["--noop"] if noop else [])], {"CCM_STATE": own}
        found = {"argv": [self.path, *argv], "directory": str(folder), "variables": variables}
        return {**found, "idle": IDLE} if self.name == MGMT else found


def version(path, option="--version"):
    """The first number with dots that a program says of itself, or its first line. Raises OSError."""
    done = subprocess.run([path, option], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    said = (done.stdout or done.stderr).strip()
    found = re.search(r"\d+(?:\.\d+)+\S*", said)
    return found.group().rstrip("]),") if found else (said.splitlines() or ["unknown"])[0][:40]


def find(given, search=None):
    """Every program, found or missing: at the path that `given` has for its name, else by its file in `search`.

    A path that is given and does not start ends the program.
    """
    search = f"{VENV}:{os.environ.get('PATH', os.defpath)}" if search is None else search
    found = {}
    for name, kind in KINDS.items():
        path = given.get(name) or (kind.file and shutil.which(kind.file, path=search))
        if name == OURS:
            path = given.get(name) or str(ROOT / ".venv-run/bin/ccm")
        if not path:
            found[name] = Program(name, missing=kind.missing)
            continue
        try:
            found[name] = Program(name, str(pathlib.Path(path).absolute()), version(path, kind.option))
        except OSError as error:
            raise SystemExit(f"{name}: {path}: {error.strerror}") from None
    return found

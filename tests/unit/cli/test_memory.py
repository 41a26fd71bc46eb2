# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The memory of `ccm apply` for each resource of a large manifest."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.starts_processes

COUNT = 2000
# Bytes; 4,000 and less were measured, and 13,000 before the nodes of the YAML were dropped.
MOST = 6000
ENTRY = "        - {path}: {{ensure: present, content: 'x{number}', owner: {owner}, group: {group}, mode: {mode}}}\n"
# The peak of the process itself: what getrusage says also has the memory of the process that it was forked from.
RUN = """
import sys
from ccm.cli.main import main
status = main()
sys.stderr.write(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")))
sys.exit(status)
"""


class Applied:
    """Applies manifests of files in a directory; code is compiled before anything is measured."""

    def __init__(self, directory, mode):
        self.directory = directory
        self.mode = mode
        self.environ = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        self.environ["PYTHONPYCACHEPREFIX"] = str(directory / "code")

    def peak(self, count, *words):
        """Return the largest number of bytes of a run that manages so many files."""
        manifest = self.directory / f"{count}.yaml"
        paths = [self.directory / f"{count}-{number}" for number in range(count)]
        about = {"owner": os.geteuid(), "group": os.getegid(), "mode": self.mode}
        entries = [ENTRY.format(path=path, number=number, **about) for number, path in enumerate(paths)]
        manifest.write_text("ccm:\n  resources:\n    - file:\n" + "".join(entries))
        argv = [sys.executable, "-c", RUN, "apply", str(manifest), "--state", str(self.directory / "state"), *words]
        done = subprocess.run(argv, env=self.environ, capture_output=True, text=True, check=True)
        assert f"Total Resources: {count}" in done.stdout
        return int(done.stderr.split()[-2]) * 1024

    def bytes_for_each(self, *words):
        """Return by how much a run takes more for each file more."""
        return (self.peak(2 * COUNT, *words) - self.peak(COUNT, *words)) / COUNT


# Modes with and without quotes: the second are numbers, of which it is known how they were written.
@pytest.mark.parametrize("mode", ["'0644'", "0644"])
def test_the_memory_for_each_resource_is_limited(tmp_path, mode):
    applied = Applied(tmp_path, mode)
    for _compiled in range(2):
        applied.peak(1)
    for words in (["--noop"], [], [], ["--no-state"]):
        assert applied.bytes_for_each(*words) < MOST, words

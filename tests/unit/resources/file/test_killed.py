# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs killed or ended by a signal while they write files: no partial file is visible, and the next run cleans up.

The test prints how many runs left a hidden file.
"""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from tests.patience import LIMIT, PATIENCE, wait_until
from tests.seed import chance
from tests.unit.kills import ARE_MANY, KILLS, signal_after, spread, status_after, steps_again
from tests.unit.layout import CCM

pytestmark = pytest.mark.starts_processes

SIZE = 16 << 20
NAMES = ["conf", "n" * 255]


class Place:
    """A directory of large files that a manifest copies; one of them replaces an old file."""

    def __init__(self, directory):
        self.directory = directory / "logrotate.d"
        self.directory.mkdir()
        self.source, self.manifest = directory / "source", directory / "m.yaml"
        self.source.write_bytes(bytes(SIZE))
        owner = f"owner: '{os.geteuid()}', group: '{os.getegid()}'"
        files = [
            f"{{{self.directory}/{name}: {{ensure: present, source: {self.source}, mode: '0640', {owner}}}}}"
            for name in NAMES
        ]
        self.manifest.write_text(f"ccm: {{resources: [{{file: [{', '.join(files)}]}}]}}\n")
        self.words = ["apply", str(self.manifest), "--no-report"]

    def signal_during_work(self, seconds, number):
        """Give a run a signal so long after its first change; return its exit status."""
        command = [*CCM, *self.words]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: process.poll() is not None or len(os.listdir(self.directory)) > 1)
        return signal_after(process, seconds, number)

    def reset(self):
        for name in os.listdir(self.directory):
            (self.directory / name).unlink()
        (self.directory / NAMES[0]).write_text("old")

    def hidden(self):
        return [name for name in os.listdir(self.directory) if name.startswith(".")]

    def found(self):
        """Check that each visible file has an expected name and is complete: the old file or the new one."""
        visible = set(os.listdir(self.directory)) - set(self.hidden())
        assert visible <= set(NAMES)
        assert all((self.directory / name).stat().st_size in (3, SIZE) for name in visible)
        return [(self.directory / name).stat().st_size for name in sorted(visible)]


@pytest.mark.soak
@pytest.mark.timeout(LIMIT + PATIENCE * KILLS)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_kill_at_any_moment_leaves_no_partial_file_visible(tmp_path, number):
    place = Place(tmp_path)
    steps = len(steps_again(place.reset, place.words))
    drawn = chance("file", number)
    left = killed = 0
    for turn, step in enumerate(spread(drawn, KILLS // 2, 1, steps)):
        place.reset()
        if ARE_MANY and turn % 2:
            status = place.signal_during_work(drawn.uniform(0, 0.02), number)
        else:
            status = status_after(step, number, place.words)
            assert status
        killed += status != 0
        place.found()
        left += bool(place.hidden())
        subprocess.run([*CCM, *place.words], check=True, capture_output=True)
        assert (place.found(), place.hidden()) == ([SIZE, SIZE], [])
    print(f"{killed} killed, {left} left a hidden file")
    # A signal can be handled after the hidden file was created and before the program has noted its name.
    assert left if number == signal.SIGKILL else left <= 1 + killed // 20

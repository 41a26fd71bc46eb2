# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A damaged file of the state never changes what ccm does without a word.

CCM_STATE_MUTATIONS is the number of damaged files.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import signal
import tempfile

import pytest

from tests.patience import LIMIT
from tests.seed import chance
from tests.unit.cli.state_attack.damage import damage
from tests.unit.cli.state_attack.power_failure import tree_of
from tests.unit.cli.state_attack.site import DAMAGE, Site

pytestmark = pytest.mark.starts_processes

MUTATIONS = int(os.environ.get("CCM_STATE_MUTATIONS", "60"))
MEMORY = "/dev/shm"
TIMES = re.compile(r'\d{4}-\d\d-\d\dT[\d:.]+Z|runtime(=|":")[\w.]+|"total_duration":\d+')
#: Each is run after another damage; what the first of several does may be seen by the next one only.
COMMANDS = [
    [["apply", "--log-format", "json"]],
    [["apply", "--noop", "--log-format", "json"]],
    [["apply", "--no-report"], ["undo"]],
    [["apply", "--no-report"], ["apply", "--no-report"]],
    [["drift"]],
    [["undo"]],
    [["undo", "--noop"]],
    [["state", "show"]],
    [["state", "list"]],
    [["orphans"]],
]


def converged(site):
    """Values are taken from the state: the file that receives one is gone."""
    site.apply()
    site.token.unlink()


def owing(site):
    """A refresh is owed after a run that failed."""
    site.apply()
    site.write(2)
    site.closed.touch()
    site.ccm("apply", site.manifest)
    site.closed.unlink()


def killed(site):
    """A killed run left a journal."""
    site.apply()
    site.write(2)
    site.meanwhile.write_text("kill -9 $PPID\n")
    site.run_until(signal.SIGKILL, "list")
    site.meanwhile.write_text("")


def leaving(site):
    """The manifest has lost what can be undone."""
    site.apply()
    site.write(1, reversible=False)


@pytest.fixture
def directory(tmp_path):
    """In memory where that is possible: thousands of copies are made."""
    if not os.access(MEMORY, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        yield pathlib.Path(name)


class Prepared:
    """A site whose state and host can be as they were, again and again."""

    def __init__(self, site):
        self.site = site
        self.kept = site.directory.with_name("kept")
        shutil.copytree(site.directory, self.kept, symlinks=True)

    def restore(self):
        shutil.rmtree(self.site.directory)
        shutil.copytree(self.kept, self.site.directory, symlinks=True)

    def files(self):
        return [path for path in self.site.state.glob("manifests/*/*") if path.is_file()]

    def result(self, commands):
        """Return exit statuses, what is said without times, and the host afterwards."""
        statuses, said = [], []
        for words in commands:
            target = [] if words == ["state", "list"] else [self.site.manifest]
            status, text = self.site.ccm(*words, *target)
            statuses.append(status)
            said.append(TIMES.sub("TIME", text))
        return statuses, said, tree_of(self.site.host)


def is_no_damage(path, before):
    """Return whether a journal has only lost its last lines, as if the run before it had been killed earlier."""
    after = path.read_bytes()
    return path.name == "journal" and before.startswith(after) and (not after or after.endswith(b"\n"))


@pytest.mark.soak
@pytest.mark.parametrize("prepare", [converged, owing, killed, leaving])
@pytest.mark.timeout(LIMIT + MUTATIONS)
def test_damage_is_named(ccm, directory, prepare):
    site = Site(ccm, directory / "site")
    site.write(1)
    prepare(site)
    prepared = Prepared(site)
    usual = []
    for commands in COMMANDS:
        prepared.restore()
        usual.append(prepared.result(commands))
        assert not DAMAGE.search("".join(usual[-1][1])), usual[-1]
    silent, named = [], 0
    for number in range(MUTATIONS // 4):
        random = chance("damaged state", prepare.__name__, number)
        prepared.restore()
        before = {path: path.read_bytes() for path in prepared.files()}
        what = damage(prepared.files(), random)
        if not what or any(is_no_damage(path, before[path]) for path in before if path.read_bytes() != before[path]):
            continue
        at = random.randrange(len(COMMANDS))
        result = prepared.result(COMMANDS[at])
        is_named = bool(DAMAGE.search("".join(result[1])))
        named += is_named
        if not is_named and result != usual[at]:
            silent.append(f"{number}: {what}: {COMMANDS[at]}\n{difference(usual[at], result)}")
    print(f"{MUTATIONS // 4} damaged files: {named} named, {len(silent)} changed a result in silence")
    assert not silent, "\n".join(silent)


def difference(usual, result):
    """Return what differs between two results."""
    lines = [f"status {usual[0]}, now {result[0]}"] if usual[0] != result[0] else []
    before, after = ("".join(each[1]).splitlines() for each in (usual, result))
    lines += [f"- {line}" for line in before if line not in after]
    lines += [f"+ {line}" for line in after if line not in before]
    paths = sorted({*usual[2], *result[2]})
    lines += [
        f"{path}: {usual[2].get(path)}, now {result[2].get(path)}"
        for path in paths
        if usual[2].get(path) != result[2].get(path)
    ]
    return "\n".join(lines)

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""ccm.core.file and the modules of Ansible make the same states of files, or what differs is a row of the documents.

Each case of comparison/files.yaml has two directories, which begin alike: our module changes one, the module of Ansible
the other, in check mode, in a run, and again.
"""

from __future__ import annotations

import functools
import pathlib
import re
import shlex

import pytest
import yaml

from tests.integration.conftest import Ansible
from tests.tools.environment import whole_number
from tests.unit.layout import ROOT

from .conftest import host_with_command
from .listing import listing

HERE = pathlib.Path(__file__).parent
SIDES = ("theirs", "ours")
PLACE = "/srv/t"
CASES = {case["name"]: case for case in yaml.safe_load((HERE / "comparison/files.yaml").read_text("utf-8"))}
#: The chosen cases: a task takes most of a second, so only `make soak` looks at all of them.
CHOSEN = list(CASES)[:: whole_number("CCM_COMPARED_STEP", 4)]
#: How many cases a play has at most: the test that is the first of them waits for it.
MOST = 28
#: The time and the process in the name of a backup.
BACKUP = re.compile(r"\.[0-9]+\.[0-9]{4}-[0-9]{2}-[0-9]{2}@[0-9:]+~")


def task_of(side, options):
    """Return the module of a side, and the options of its task."""
    if side == "ours":
        return "ccm.core.file", options
    [(module, given)] = options.items()
    return f"ansible.builtin.{module}", given


class Compared:
    """What both sides did in some cases on a host: what each step said, and what was there before and after each."""

    def __init__(self, host, plays, names):
        script, tasks = ["set -e", "umask 022"], []
        self._names, place = names, f"{PLACE}/{CHOSEN.index(names[0])}"
        for number, case in enumerate(CASES[name] for name in names):
            for side in SIDES:
                folder = f"{place}/{side}-{number}"
                script.append(f"mkdir -p {folder}; cd {folder}; {case.get('before', 'true')}")
                module, options = task_of(side, case[side])
                text = yaml.safe_dump({"name": f"{side}-{number}", module: options}, allow_unicode=True, width=1000)
                tasks.append("- " + text.replace("DIR", folder).replace("\n", "\n  ").rstrip())
        host.run(f"sh -c {shlex.quote(chr(10).join(script))}")
        self.found, self.ran = [listing(host, place)], []
        for options in (["--check"], [], []):
            self.ran.append(plays.play("\n".join(tasks), *options, keywords="ignore_errors: true\n"))
            self.found.append(listing(host, place))

    def of(self, name, side):
        """Return what the steps said of a case, and the lines of its directory before and after each."""
        number = self._names.index(name)
        lines = [[BACKUP.sub("~", line) for line in found[f"{side}-{number}"]] for found in self.found]
        lines = [[line.replace(f"{side}-{number}", "DIR") for line in each] for each in lines]
        return " ".join(ran[f"{side}-{number}"].outcome for ran in self.ran), lines


def prepare(host, plays):
    """Make the users and the sources of all cases, on the host and for the play."""
    host.run("useradd -u 2100 -M u; groupadd -g 2200 g; mkdir -p /srv/source/below")
    host.run("cd /srv/source; printf one > one; printf two > two; printf three > below/three; ln -s one link")
    host.run("cd /srv/source; chmod 0640 one; chmod 0750 below")
    plays.write("files/text", "text")
    plays.write("files/binary", bytes(range(256)))
    plays.write("files/large", "large\n" * 400_000)
    plays.write("files/program", "#!/bin/sh\n").chmod(0o750)
    plays.write("files/tree/one", "one")
    (plays.folder / "files/link").symlink_to("text")


@pytest.fixture(scope="module")
def compared(tmp_path_factory, collections):
    """Return what was compared with a case and those beside it, each play at the first of its cases."""
    with host_with_command("bookworm") as host:
        plays = Ansible(tmp_path_factory.mktemp("comparison"), collections).on(host)
        prepare(host, plays)

        @functools.cache
        def of(begin):
            return Compared(host, plays, CHOSEN[begin : begin + MOST])

        yield lambda name: of(CHOSEN.index(name) // MOST * MOST)


@pytest.mark.needs("root", "hosts")
@pytest.mark.soak
@pytest.mark.parametrize("name", CHOSEN)
def test_the_same_state_or_a_row(compared, name):
    case = CASES[name]
    did = {side: compared(name).of(name, side) for side in SIDES}
    for side, (steps, (before, checked, after, again)) in did.items():
        wanted = case.get(f"{side}_did") or [case.get("steps", "changed changed ok"), *did["theirs"][1][2]]
        assert [steps, *after] == wanted, f"{side} of {name}"
        assert checked == before, "check mode changes nothing"
        assert again == after or "changed" in steps.split()[2]


def test_each_difference_is_a_row_of_the_documents():
    text = (ROOT / "docs/ansible.md").read_text("utf-8")
    section = text.partition("\n### What ansible.builtin.file and copy do otherwise\n")[2].partition("\n##")[0]
    rows = [line.split(" | ")[0].removeprefix("| ") for line in section.splitlines() if line.startswith("| ")]
    assert sorted(rows[2:]) == sorted({case["row"] for case in CASES.values() if "row" in case})

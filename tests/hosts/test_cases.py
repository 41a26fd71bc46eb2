# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorded cases inside booted hosts: packages and services where they were recorded, the rest elsewhere too."""

from __future__ import annotations

import pathlib

import pytest

from ..conformance.waiting import Waiting
from .conftest import host_with_command

CONFORMANCE = pathlib.Path(__file__).parents[1] / "conformance"
# Where the recordings of an area were made.
# The archives that the cases of that area make are other bytes with the tar of Debian 13.
HOME = {"archive": ["bookworm", "bullseye"], "package": ["bookworm"], "service": ["bookworm"], "dnf": ["dnf"]}
OFFERS = {"dnf": "root,http,dnf,systemd"}
ELSEWHERE = ["bullseye", "trixie"]  # bookworm's Python is that of the group of tests `cases`
CASES = {
    area.name: [f"{area.name}/{case.stem}" for case in area.glob("*.yaml")]
    for area in sorted((CONFORMANCE / "cases").iterdir())
}
WAITING = {name for names in CASES.values() for name in names if Waiting("cases").reason(name)}


def runs():
    """Every (base, area) with something to run, ordered by base."""
    areas = [area for area, names in CASES.items() if not set(names) <= WAITING]
    return sorted((base, area) for area in areas for base in HOME.get(area, ELSEWHERE))


@pytest.fixture(scope="module")
def ground(request):
    """A host with the cases in /srv/conformance."""
    with host_with_command(request.param) as host:
        host.copy_in(CONFORMANCE, "/srv/conformance")
        yield host


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("ground", "area"), runs(), indirect=["ground"])
def test_the_recorded_cases_pass(ground, area):
    needs = OFFERS.get(ground.base, "root,http,apt,systemd")
    command = ["python3", "/srv/conformance/run.py", "--ccm", "/usr/local/bin/ccm", "--needs", needs, "--jobs", 2]
    command += ["--only", f"{area}/*", "--waiting", "/srv/conformance/waiting.yaml"]
    done = ground.run(command, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    skipped = len(set(CASES[area]) & WAITING)
    assert f"{len(CASES[area]) - skipped} passed, 0 failed, {skipped} skipped" in done.stdout

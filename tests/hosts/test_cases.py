# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorded cases inside booted hosts: all of them in one, most of them again on other releases of Debian."""

from __future__ import annotations

import pathlib

import pytest

from tests.patience import LIMIT

from .conftest import host_with_command

HERE = pathlib.Path(__file__).parent
CONFORMANCE = HERE.parent / "conformance"
CASES = {area.name: len(list(area.glob("*.yaml"))) for area in sorted((CONFORMANCE / "cases").iterdir())}
# Where areas pass beside the host that has everything: the recordings of packages and services are Debian 12's, and
# the archives that cases make are other bytes with the tar of Debian 13.
ELSEWHERE = {"archive": ["bullseye"], "package": [], "service": [], "dnf": []}
RELEASES = ["bullseye", "trixie"]


def runs():
    """Every (base, area) with something to run, ordered by base."""
    return sorted((base, area) for area in CASES for base in ELSEWHERE.get(area, RELEASES))


@pytest.fixture(scope="module")
def ground(request):
    """A host with the cases in /srv/conformance."""
    with host_with_command(request.param) as host:
        host.copy_in(CONFORMANCE, "/srv/conformance")
        yield host


def outcome(host, *options):
    """The last line of what a run of the cases says."""
    command = ["python3", "/srv/conformance/run.py", "--ccm", "/usr/local/bin/ccm", "--jobs", 2, *options]
    done = host.run(command, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()[-1]


@pytest.mark.timeout(2 * LIMIT)
@pytest.mark.parametrize("ground", ["dnf"], indirect=True)
def test_all_recorded_cases_pass_in_one_host(ground):
    ground.copy_in(HERE / "offer", "/usr/local/sbin/offer")
    said = outcome(ground, "--needs", "root,http,apt,dnf,systemd", "--offer", "/usr/local/sbin/offer")
    assert said == f"{sum(CASES.values())} passed, 0 failed, 0 skipped"


@pytest.mark.parametrize(("ground", "area"), runs(), indirect=["ground"])
def test_recorded_cases_pass_on_other_releases(ground, area):
    said = outcome(ground, "--needs", "root,http,apt,systemd", "--only", f"{area}/*")
    assert said == f"{CASES[area]} passed, 0 failed, 0 skipped"

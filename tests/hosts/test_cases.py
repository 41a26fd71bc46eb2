# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded cases inside booted hosts: packages and services, and the others on two releases of Debian."""

from __future__ import annotations

import contextlib
import pathlib

import pytest

from tests.patience import LIMIT

from .conftest import host_with_command

HERE = pathlib.Path(__file__).parent
CONFORMANCE = HERE.parent / "conformance"
# Those with NATS pass on this machine only, where a nats-server is.
AREAS = sorted(area for area in (CONFORMANCE / "cases").iterdir() if not area.name.startswith("nats-"))
CASES = {area.name: len(list(area.glob("*.yaml"))) for area in AREAS}
# The recordings of packages and services are Debian 12's. All others pass on this machine in graph order, too
# (tests/tools/steps.toml).
OF_HOSTS = ["dnf", "package", "service"]
# The archives that cases make are other bytes with the tar of Debian 13.
ELSEWHERE = {"bullseye": sorted(CASES.keys() - OF_HOSTS), "trixie": sorted(CASES.keys() - {*OF_HOSTS, "archive"})}


@contextlib.contextmanager
def prepared(base):
    """A host with the cases in /srv/conformance."""
    with host_with_command(base) as host:
        host.copy_in(CONFORMANCE, "/srv/conformance")
        yield host


def pass_all(host, areas, *options):
    """Run the cases of some areas."""
    command = [
        "env",
        "-C",
        "/srv",
        "python3",
        "-m",
        "conformance.run",
        "--ccm",
        "/usr/local/bin/ccm",
        "--jobs",
        2,
        *options,
    ]
    done = host.run([*command, *(f"--only={area}/*" for area in areas)], check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == f"{sum(CASES[area] for area in areas)} passed, 0 failed, 0 skipped"


@pytest.mark.timeout(2 * LIMIT)
def test_recorded_cases_of_packages_and_services_pass():
    with prepared("dnf") as host:
        host.copy_in(HERE / "offer", "/usr/local/sbin/offer")
        pass_all(host, OF_HOSTS, "--needs", "root,http,apt,dnf,systemd", "--offer", "/usr/local/sbin/offer")


@pytest.mark.parametrize("release", ELSEWHERE)
def test_recorded_cases_pass_on_other_releases(release):
    with prepared(release) as host:
        pass_all(host, ELSEWHERE[release], "--needs", "root,http,apt,systemd")

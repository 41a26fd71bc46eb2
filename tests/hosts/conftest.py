# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Booted hosts as fixtures. Everything here needs "hosts"; at the end the run says that all of it ran."""

from __future__ import annotations

import contextlib

import pytest

from extensions.molecule.hosts.host import booted_host, sweep

from ..conftest import required
from ..integration.conftest import Ansible, collections
from .command import command_layer
from .os_packages import EPOCH, File, build_rpm, builder, later

__all__ = ["collections"]  # a fixture

RELEASES = ("bullseye", "bookworm", "trixie")


@contextlib.contextmanager
def host_with_command(base, **options):
    """A booted host over a base root, with ccm in /usr/local/bin. Options as of Host."""
    with booted_host(base, layers=[command_layer(base)], **options) as host:
        yield host


@pytest.fixture(scope="session", autouse=True)
def _swept(request):
    if request.session.testscollected:
        sweep()


@pytest.fixture
def booted():
    """`booted("trixie")` boots a host of the test's own; options as of Host."""
    with contextlib.ExitStack() as hosts:
        yield lambda base, **options: hosts.enter_context(host_with_command(base, **options))


@pytest.fixture(scope="module", params=RELEASES)
def host(request):
    """A host of each release in turn, shared by the tests of a module."""
    with host_with_command(request.param) as shared:
        yield shared


@pytest.fixture(scope="module")
def bookworm():
    """A Debian 12 host, shared by the tests of a module."""
    with host_with_command("bookworm") as shared:
        yield shared


@pytest.fixture(scope="module")
def dnf_host():
    """A host with dnf and rpm where no apt is found, shared by the tests of a module."""
    with host_with_command("dnf") as shared:
        yield shared


@pytest.fixture
def ansible(tmp_path, collections):
    """Plays in a fresh directory: `ansible.on(host).play(tasks)`, see tests/integration."""
    return Ansible(tmp_path, collections)


@pytest.fixture(scope="session")
def wheels(tmp_path_factory):
    """The wheel of this version, and one of a later version."""
    folder = tmp_path_factory.mktemp("wheels")
    made = builder().wheel(folder)
    return made, later(made, folder)


@pytest.fixture(scope="session")
def debs(wheels, tmp_path_factory):
    """The packages for dpkg, of both versions."""
    folder = tmp_path_factory.mktemp("debs")
    return [File(builder().Build(wheel, EPOCH).deb(folder)) for wheel in wheels]


@pytest.fixture(scope="session")
def rpms(wheels, tmp_path_factory):
    """The packages for rpm of both versions, and the second build of the first one, in another directory."""
    folder = tmp_path_factory.mktemp("rpms")
    with booted_host("dnf") as host:
        builds = [("/srv/one", wheels[0], "022"), ("/srv/two", wheels[1], "022"), ("/opt/a/three", wheels[0], "077")]
        made = []
        for number, (place, wheel, umask) in enumerate(builds):
            path = build_rpm(host, place, wheel, umask)
            (folder / str(number)).mkdir()
            made.append(folder / str(number) / path.rpartition("/")[2])
            made[-1].write_bytes((host.root / path.lstrip("/")).read_bytes())
    return made


class Tally:
    """Counts what is collected and what runs; under xdist the process that gathers the reports counts."""

    def __init__(self):
        self.collected = set()
        self.run = set()

    def pytest_collection_finish(self, session):
        self.collected |= {item.nodeid for item in session.items if ours(item.nodeid)}

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids):
        self.collected |= {name for name in ids if ours(name)}

    def pytest_runtest_logreport(self, report):
        if ours(report.nodeid) and (report.failed or (report.when == "call" and not report.skipped)):
            self.run.add(report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session):
        if self.collected - self.run and "hosts" in required() and not session.exitstatus:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        sign = "=" if len(self.collected) == len(self.run) else "!="
        terminalreporter.write_line(f"hosts: {len(self.collected)} collected {sign} {len(self.run)} run")


def ours(nodeid):
    return nodeid.startswith("tests/hosts/")


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Tally(), "hosts-tally")


def pytest_collection_modifyitems(items):
    for item in items:
        if ours(item.nodeid):
            item.add_marker(pytest.mark.needs("hosts"))

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""packaging/build.py: what it builds and what it refuses. tests/hosts/test_os_packages.py installs it."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys

import pytest
from ccm.version import VERSION

from .layout import ROOT

PACKAGING = ROOT / "packaging"
BUILD = runpy.run_path(str(PACKAGING / "build.py"))
STOP = BUILD["Stop"]
EPOCH = "1700000000"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return BUILD["wheel"](tmp_path_factory.mktemp("wheel"))


def build(root, *words, **variables):
    """Run the script of a checkout."""
    return subprocess.run(
        [sys.executable, root / "packaging/build.py", *map(str, words)],
        env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.starts_processes
@pytest.mark.needs("dpkg")
def test_two_builds_of_a_deb_are_the_same_bytes(tmp_path):
    names = [*BUILD["SOURCES"], "packaging", "CHANGELOG.rst"]
    made = []
    for folder, umask in (("one", 0o022), ("b/two", 0o077)):
        copy = tmp_path / folder
        for name in names:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            copying = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copying(ROOT / name, copy / name)
        before = os.umask(umask)
        try:
            done = build(copy, "deb", "--output", copy / "out")
        finally:
            os.umask(before)
        assert done.returncode == 0, done.stderr
        made.append((copy / f"out/ccm-core_{VERSION}-1_all.deb").read_bytes())
    assert made[0] == made[1]


@pytest.mark.starts_processes
@pytest.mark.needs("dpkg")
def test_what_is_not_built_is_said_with_what_to_install(wheel, tmp_path):
    (tmp_path / "bin").mkdir()
    for name in ("dpkg-deb", "tar", "xz", "rm"):
        if shutil.which(name):
            (tmp_path / "bin" / name).symlink_to(shutil.which(name))
    done = build(ROOT, "--wheel", wheel, "--output", tmp_path, PATH=str(tmp_path / "bin"))
    assert done.returncode == 1
    assert done.stderr == "not all was built: apt-get install -y rpm\n"
    assert re.search(rf"/ccm-core_{VERSION}-1_all.deb: \d+ bytes\n", done.stdout)
    unknown = build(ROOT, "--wheel", wheel, "apk")
    assert unknown.stderr.endswith("no such format: apk\n")


@pytest.mark.starts_processes
def test_what_is_too_large_is_refused(wheel, monkeypatch):
    builder = BUILD["Build"](wheel, int(EPOCH))
    monkeypatch.setitem(BUILD["Build"].tree.__globals__, "LARGEST", 1_000_000)
    with pytest.raises(STOP, match=r"the files of ccm-core have \d{7} bytes, and may have 1000000"):
        builder.tree(BUILD["DEB"], "debian")


@pytest.mark.starts_processes
def test_another_form_of_the_command_is_refused(wheel):
    builder = BUILD["Build"](wheel, int(EPOCH))
    [name] = [name for name in builder._files if name.endswith("/scripts/ccm")]
    for changed in (b"#!/bin/sh\n", b"#!python\nfrom ccm.cli.main import start\n"):
        builder._files[name] = changed
        with pytest.raises(STOP, match="has not the form"):
            builder.tree(BUILD["DEB"], "debian")


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("version", "full"),
    [("1.2.3", "1.2.3-1"), ("1.2.3rc1", "1.2.3~rc1-1"), ("1.2.3a2", "1.2.3~a2-1"), ("1b1", "1~b1-1")],
)
def test_versions_are_ordered_as_dpkg_and_rpm_do(wheel, version, full):
    builder = BUILD["Build"](wheel, int(EPOCH))
    builder.version = version
    assert builder.full_version == full


def test_a_time_that_is_none_is_refused(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    with pytest.raises(STOP, match="SOURCE_DATE_EPOCH is 'today': set it to seconds"):
        BUILD["epoch"]()


@pytest.mark.starts_processes
def test_without_a_time_it_is_that_of_the_last_commit(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    shown = subprocess.check_output(["git", "log", "-1", "--format=%ct"], cwd=ROOT, text=True)
    assert BUILD["epoch"]() == int(shown)


MANIFEST = "CCM_WATCH_MANIFEST"
#: What the package has in another place than the unit of the page, and what only it has.
OTHER = {
    "/usr/local/bin/ccm": "/usr/bin/ccm",
    "/etc/ccm/manifest.yaml": f"${{{MANIFEST}}}",
    "/etc/ccm": "/etc/choria/ccm",
    "/run/ccm-watch.json": "/run/ccm-watch.json $CCM_WATCH_FLAGS",
}
MORE = ("#", "Description=", "Documentation=", "Environment=", "EnvironmentFile=")


def test_the_unit_is_that_of_the_page():
    page = (ROOT / "docs/watch.md").read_text("utf-8")
    unit = re.search(r"^```ini file=ccm-watch.service\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]
    for there, here in OTHER.items():
        unit = unit.replace(there, here)
    packaged = (PACKAGING / "ccm-watch.service").read_text("utf-8")
    lines = [[line for line in text.splitlines() if not line.startswith(MORE)] for text in (unit, packaged)]
    assert lines[0] == lines[1]

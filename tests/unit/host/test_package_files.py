# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of installed packages."""

from __future__ import annotations

import pytest
from ccm.host import package_files
from ccm.host.package_files import files_of_packages


@pytest.mark.needs("dpkg")
def test_files_of_debian_packages():
    found = files_of_packages(["dpkg", "no-such-package", "../status", "a\0b", "*"])
    assert set(found) == {"dpkg"}
    assert "/usr/bin/dpkg" in found["dpkg"]


def test_lists_of_packages_of_one_architecture(tmp_path, monkeypatch):
    (tmp_path / "one.list").write_text("/.\n/a\n")
    (tmp_path / "two:amd64.list").write_text("/b\n")
    monkeypatch.setattr(package_files, "_DPKG", str(tmp_path))
    assert files_of_packages(["one", "two", "three"]) == {"one": ["/.", "/a"], "two": ["/b"]}


def test_neither_dpkg_nor_rpm(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(package_files, "_DPKG", str(tmp_path / "none"))
    assert files_of_packages(["one"]) == {}


@pytest.mark.starts_processes
@pytest.mark.parametrize("broken", [False, True])
def test_files_of_rpms_are_asked_for_once(tmp_path, monkeypatch, broken):
    rpm = tmp_path / "rpm"
    text = "echo $# >> $(dirname $0)/asked\nprintf 'one\\t/a\\none\\t/b\\npackage two is not installed\\n'\nexit 1\n"
    rpm.write_text("broken" if broken else f"#!/bin/sh\n{text}")
    rpm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(package_files, "_DPKG", str(tmp_path / "none"))
    assert files_of_packages(["one", "two"]) == ({} if broken else {"one": ["/a", "/b"]})
    if not broken:
        assert (tmp_path / "asked").read_text() == "6\n"

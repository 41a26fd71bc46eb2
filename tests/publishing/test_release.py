# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`make release` makes the same bytes in other surroundings, and what it makes works."""

from __future__ import annotations

import sys

import pytest
import yaml

from tests.clones import git, said_by

from .conftest import VERSION, Clone

NAMES = {
    "RELEASE_NOTES.md",
    "SHA256SUMS",
    f"ccm-core-{VERSION}.cdx.json",
    f"ccm-core-{VERSION}.tar.gz",
    f"ccm_core-{VERSION}-py3-none-any.whl",
    f"ccm_core-{VERSION}.tar.gz",
}


@pytest.fixture(scope="module")
def files(released):
    return released.make_release("--build-only", LC_ALL="C.UTF-8", TZ="UTC")


def test_a_release_has_its_files(released, files):
    assert set(files) == NAMES
    said = said_by("sha256sum", "--check", "--strict", "SHA256SUMS", folder=released.folder / "dist")
    assert said.count(": OK\n") == len(NAMES) - 1
    assert b"\n* " in files["RELEASE_NOTES.md"], "a section with changes"
    assert git(released.folder, "status", "--porcelain") == ""


def test_other_surroundings_make_the_same_bytes(released, files, tmp_path):
    """Another path, umask, time zone, locale and number of commits."""
    folder = tmp_path / "a longer path"
    git(released.folder, "clone", "--quiet", "--depth", "1", f"file://{released.folder}", str(folder))
    again = Clone(folder).make_release("--build-only", umask=0o077, LC_ALL="POSIX", LANG="de_DE.UTF-8", TZ="Asia/Tokyo")
    assert [name for name in sorted(NAMES) if files[name] != again[name]] == []


def test_the_wheel_has_the_command(files, released, tmp_path):
    wheel = released.folder / f"dist/ccm_core-{VERSION}-py3-none-any.whl"
    said_by(sys.executable, "-m", "venv", "there", folder=tmp_path)
    pip = (
        str(tmp_path / "there/bin/pip"),
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--disable-pip-version-check",
    )
    said_by(*pip, str(wheel), folder=tmp_path)
    said = said_by(str(tmp_path / "there/bin/ccm"), "--version", folder=tmp_path)
    assert said.strip() == VERSION


def test_the_collection_has_the_version(files, released, tmp_path):
    tarball = str(released.folder / f"dist/ccm-core-{VERSION}.tar.gz")
    where = ("--collections-path", str(tmp_path))
    said_by("ansible-galaxy", "collection", "install", "--offline", *where, tarball, folder=tmp_path)
    said = said_by("ansible-galaxy", "collection", "verify", "--offline", *where, "ccm.core", folder=tmp_path)
    assert "Successfully verified" in said
    core = tmp_path / "ansible_collections/ccm/core"
    assert f'VERSION = "{VERSION}"' in (core / "plugins/module_utils/version.py").read_text("utf-8")
    assert VERSION in yaml.safe_load((core / "changelogs/changelog.yaml").read_text("utf-8"))["releases"]

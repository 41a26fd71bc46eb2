# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads of managed files: followed links and allowed types (decisions.md Q81)."""

from __future__ import annotations

import hashlib
import os

import pytest
from ccm.host import targets
from ccm.host.confined import ConfinedDirectory
from ccm.host.errors import HostError, LinkNotFollowed
from ccm.host.targets import Target, digest_of

from tests.unit.host.test_parents import DEPLOY, OTHER, home

__all__ = ["home"]  # a fixture
pytestmark = pytest.mark.needs("root")

DIGEST = hashlib.sha256(b"text").hexdigest()


def file(path, owner=0):
    path.write_text("text")
    os.chown(path, owner, owner)
    return path


def content(path):
    with Target(path) as target:
        return target.read()


@pytest.mark.parametrize("proc", [True, False])
@pytest.mark.parametrize("way", ["own", "hop", "of-root", "of-root/../own", "current/f"])
def test_links_of_root_and_to_files_of_the_same_owner_are_followed(home, monkeypatch, way, proc):
    without_proc(monkeypatch, proc)
    file(home.system / "f")
    file(home.path / "releases/7/f", DEPLOY)
    home.link("own", "releases/7/f")
    home.link("hop", "own")
    home.link("current", "releases/7")
    home.link("of-root", home.system / "f", 0)
    if way == "of-root/../own":
        with pytest.raises(HostError, match="not a directory"):
            digest_of(f"{home.path}/{way}")
        return
    assert digest_of(f"{home.path}/{way}") == DIGEST
    assert content(f"{home.path}/{way}") == b"text"


@pytest.mark.parametrize("proc", [True, False])
@pytest.mark.parametrize("way", ["link", "hop", "directory/f", "to-other", "part/f"])
def test_links_to_files_of_others_show_no_content(home, monkeypatch, way, proc):
    without_proc(monkeypatch, proc)
    file(home.system / "f")
    home.link("link", home.system / "f")
    home.link("hop", "link", 0)
    home.link("directory", home.system)
    home.link("to-other", file(home.path / "other", OTHER))
    home.link("part", "directory/.", 0)
    assert digest_of(f"{home.path}/{way}") == ""
    before = os.listdir("/proc/self/fd")
    with pytest.raises(LinkNotFollowed, match="is a symbolic link of 54321 and leads to"):
        Target(f"{home.path}/{way}")
    assert os.listdir("/proc/self/fd") == before


def without_proc(monkeypatch, proc):
    def closed(real):
        def call(path, *arguments, **options):
            if str(path).startswith("/proc/self/fd/"):
                raise FileNotFoundError(path)
            return real(path, *arguments, **options)

        return call

    if not proc:
        for name in ("readlink", "open"):
            monkeypatch.setattr(os, name, closed(getattr(os, name)))


def test_without_proc_only_the_file_whose_state_was_read_is_opened(home, monkeypatch):
    opened = os.open

    def exchanged(path, flags, *arguments, **options):
        if str(path).startswith("/proc/self/fd/"):
            file(home.path / "new").rename(home.path / "f")
            raise FileNotFoundError(path)
        return opened(path, flags, *arguments, **options)

    file(home.path / "f")
    monkeypatch.setattr(os, "open", exchanged)
    with pytest.raises(HostError, match=f"^open {home.path}/f: "):
        Target(f"{home.path}/f")


@pytest.mark.parametrize("read", ["target", "tree"])
@pytest.mark.parametrize("kind", ["device", "pipe", "directory"])
def test_only_regular_files_are_opened(home, monkeypatch, kind, read):
    """Opening a watchdog device starts it."""
    special_file = home.system / "thing"
    if kind == "device":
        os.mknod(special_file, 0o20666, os.makedev(1, 5))  # /dev/zero
    elif kind == "pipe":
        os.mkfifo(special_file)
    else:
        special_file.mkdir()
    home.link("f", special_file, 0)
    opened = os.open

    def watched(path, flags, *arguments, **options):
        fd = opened(path, flags, *arguments, **options)
        assert flags & os.O_PATH or flags & os.O_DIRECTORY or not os.path.samestat(os.fstat(fd), os.stat(special_file))
        return fd

    with ConfinedDirectory(str(home.path)) as tree:
        monkeypatch.setattr(os, "open", watched)
        if read == "tree":
            assert tree.holds("f", b"text") is False
            return
        with pytest.raises(HostError, match=f"^{home.path}/f is not a regular file$"):
            Target(f"{home.path}/f")


def test_a_tree_shows_targets_of_links(home):
    file(home.system / "f")
    home.link("f", home.system / "f", 0)
    with ConfinedDirectory(str(home.path)) as tree:
        assert tree.holds("f", b"text") is True
        assert tree.holds("f", b"tex_") is False


def test_an_error_of_a_missing_file_has_its_path(home):
    with pytest.raises(HostError, match=f"^open {home.path}/f: no such file or directory$"):
        digest_of(f"{home.path}/f")
    with pytest.raises(HostError, match="invalid argument"):
        targets.digest_of(f"{home.path}/\0")

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Symbolic links: made, replaced and given to an owner, and what they lead to does not matter (behaviour.md 7.2)."""

from __future__ import annotations

import errno
import os
import socket
import stat

import pytest
from ccm.engine.context import Context
from ccm.engine.transaction import run_transaction
from ccm.host import link_files
from ccm.host.hidden_files import HiddenFile
from ccm.model.errors import InvalidResource
from ccm.model.resource import Resource, complete
from ccm.resources.file.type import TYPE

OTHER = 4242
RUNS = (os.geteuid(), os.getegid())


def managed(path, *, noop=False, **values):
    """Run the resource once; return its event."""
    given = {"name": str(path), "ensure": "link", "target": "new", **values}
    properties = TYPE.made(complete(TYPE, given))
    TYPE.validate(properties)
    return run_transaction(Resource(TYPE, properties), Context(noop=noop))


def made(path, **values):
    """Preview and run the resource, and run it again; return the message of the preview."""
    preview = managed(path, noop=True, **values)
    done = managed(path, **values)
    assert (preview.errors, done.errors) == ((), ())
    assert (preview.changed, done.changed) == (True, True)
    second = managed(path, **values)
    assert (second.errors, second.changed, second.status.stable) == ((), False, True)
    return preview.noop_message


def no_directory(path):
    path.mkdir()
    (path / "below").write_text("x", encoding="utf-8")


def nothing(path):
    return


PLACES = {
    "nothing": (nothing, ""),
    "a link": (lambda path: path.symlink_to("old"), " in place of link -> old"),
    "a link to itself": (lambda path: path.symlink_to("it"), " in place of link -> it"),
    "a link to a directory": (lambda path: path.symlink_to("/"), " in place of link -> /"),
    "a file": (lambda path: path.write_text("x", encoding="utf-8"), " in place of a file"),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("target", ["new", "../a b/", "/", "it", "a\nb", "caf\udce9", "x" * 4000, "-n"])
def test_a_link_is_made_whatever_it_leads_to(tmp_path, place, target):
    path = tmp_path / "it"
    make, replaced = PLACES[place]
    make(path)
    if os.path.islink(path) and os.readlink(path) == target:
        path.unlink()
        replaced = ""
    assert made(path, target=target) == f"Would have created link -> {target}{replaced}"
    assert os.readlink(path) == target
    assert os.listdir(tmp_path) == ["it"]


def test_the_state_and_the_event_name_the_target(tmp_path):
    path = tmp_path / "it"
    path.symlink_to("old")
    preview = managed(path, noop=True)
    assert (preview.final_ensure, preview.status.metadata["target"]) == ("link", "old")
    done = managed(path)
    assert (done.final_ensure, done.status.metadata["target"]) == ("link", "new")
    assert "checksum" not in done.status.metadata
    assert "size" not in done.status.metadata


def test_a_directory_is_replaced_with_force_only(tmp_path):
    path = tmp_path / "it"
    no_directory(path)
    for noop in (True, False):
        (error,) = managed(path, noop=noop).errors
        assert error.startswith(f"{path} exists as a directory; cannot replace it by a link")
    assert (path / "below").exists()
    assert made(path, force=True) == "Would have created link -> new in place of a directory"
    assert os.readlink(path) == "new"
    assert os.listdir(tmp_path) == ["it"]


def test_a_link_that_cannot_be_made_leaves_the_directory(tmp_path, monkeypatch):
    path = tmp_path / "it"
    no_directory(path)

    def full(*_args, **_kwargs):
        raise OSError(errno.ENOSPC, "")

    monkeypatch.setattr(os, "symlink", full)
    (error,) = managed(path, force=True).errors
    assert error == f"symlink {path}: no space left on device"
    assert (path / "below").exists()
    assert os.listdir(tmp_path) == ["it"]


def test_a_directory_that_comes_meanwhile_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "it"
    original = link_files.give_link_in

    def meanwhile(*args):
        original(*args)
        path.mkdir()

    monkeypatch.setattr(link_files, "give_link_in", meanwhile)
    (error,) = managed(path).errors
    assert error == f"{path} exists as a directory; cannot replace it by a link"
    assert os.listdir(tmp_path) == ["it"]


@pytest.mark.parametrize("kind", ["a named pipe", "a socket"])
def test_other_kinds_are_refused(tmp_path, kind, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "it"
    if kind == "a socket":
        with socket.socket(socket.AF_UNIX) as made_socket:
            made_socket.bind("it")
    else:
        os.mkfifo(path)
    for noop in (True, False):
        for force in (True, False):
            assert managed(path, noop=noop, force=force).errors == [
                f"{path} exists as {kind}; cannot replace it by a link"
            ]


def test_a_missing_parent_is_an_error_of_the_run(tmp_path):
    path = tmp_path / "no" / "it"
    assert managed(path, noop=True).changed
    assert managed(path).errors == [f"symlink {path}: no such file or directory"]
    (tmp_path / "no").write_text("", encoding="utf-8")
    assert managed(path).errors == [f"symlink {path}: not a directory"]


def test_a_loop_of_links_above_is_an_error(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    (error,) = managed(tmp_path / "a" / "it").errors
    assert "too many levels of symbolic links" in error


def test_a_target_that_is_too_long_is_an_error(tmp_path):
    (error,) = managed(tmp_path / "it", target="x" * 5000).errors
    assert error == f"symlink {tmp_path}/it: file name too long"
    assert os.listdir(tmp_path) == []


@pytest.mark.needs("root")
def test_the_owner_of_the_link_itself_is_set(tmp_path):
    path, target = tmp_path / "it", tmp_path / "new"
    target.write_text("x", encoding="utf-8")
    path.symlink_to("new")
    inode = os.lstat(path).st_ino
    for values, owners in (
        ({"owner": "4242"}, (OTHER, 0)),
        ({"group": "4242"}, (OTHER, OTHER)),
        ({"owner": "0", "group": "0"}, (0, 0)),
    ):
        assert made(path, **values) == "Would have updated attributes"
        found = os.lstat(path)
        assert ((found.st_uid, found.st_gid), found.st_ino) == (owners, inode)
    found = os.stat(target)
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (0, 0, stat.S_IMODE(found.st_mode))


@pytest.mark.needs("root")
def test_a_link_with_another_target_keeps_its_owner(tmp_path):
    path = tmp_path / "it"
    path.symlink_to("old")
    os.chown(path, OTHER, OTHER, follow_symlinks=False)
    made(path)
    found = os.lstat(path)
    assert (found.st_uid, found.st_gid) == (OTHER, OTHER)
    path.unlink()
    path.write_text("x", encoding="utf-8")
    os.chown(path, OTHER, OTHER)
    made(path)
    found = os.lstat(path)
    assert (found.st_uid, found.st_gid) == RUNS


@pytest.mark.needs("root")
def test_no_other_file_gets_the_owner(tmp_path):
    (tmp_path / "it").write_text("x", encoding="utf-8")
    with pytest.raises(link_files.SystemCallError, match="stale"):
        link_files.set_link_owner(str(tmp_path / "it"), uid=OTHER, gid=OTHER)
    assert os.stat(tmp_path / "it").st_uid == 0


@pytest.mark.needs("root")
def test_a_link_of_another_user_above_is_not_followed(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "above").symlink_to("real")
    os.chown(tmp_path / "above", OTHER, OTHER, follow_symlinks=False)
    for noop in (True, False):
        (error,) = managed(tmp_path / "above" / "it", noop=noop).errors
        assert str(OTHER) in error
    assert os.listdir(tmp_path / "real") == []


def test_what_a_killed_process_left_is_removed(tmp_path):
    path = tmp_path / "it"
    (tmp_path / ".it.ccm-new").touch()
    (tmp_path / ".it.ccm-new-link").symlink_to("half")
    made(path)
    assert os.listdir(tmp_path) == ["it"]
    (tmp_path / ".it.ccm-new").touch()
    (tmp_path / ".it.ccm-new-link").symlink_to("half")
    managed(path, ensure="absent", target="")
    assert os.listdir(tmp_path) == []


def test_a_link_that_another_process_makes_stays(tmp_path):
    path = tmp_path / "it"
    directory = os.open(tmp_path, os.O_RDONLY)
    try:
        with HiddenFile(directory, "it") as other:
            os.symlink("other", f"{other.name}-link", dir_fd=directory)
            made(path)
            assert os.readlink(tmp_path / f"{other.name}-link") == "other"
    finally:
        os.close(directory)


def test_a_link_may_be_undeclared_or_absent(tmp_path):
    path = tmp_path / "it"
    path.symlink_to("new")
    assert managed(path, ensure="absent").errors == ()
    assert not os.path.lexists(path)
    assert managed(path, ensure="absent").changed is False


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"target": ""}, "target cannot be empty"),
        ({"target": "a\0b"}, "target must not contain a NUL byte"),
        ({"mode": "0644"}, "'mode' cannot be used with 'ensure: link': a link has no permissions of its own"),
        ({"mode": ""}, "'mode' cannot be used with 'ensure: link': a link has no permissions of its own"),
        ({"content": ""}, "'content' cannot be used with 'ensure: link': a link has no content"),
        ({"source": "x"}, "'source' cannot be used with 'ensure: link': a link has no content"),
        ({"owner": ""}, "owner cannot be empty"),
        ({"ensure": "present"}, "'target' is only valid with 'ensure: link', got 'ensure: present'"),
        ({"ensure": "directory"}, "'target' is only valid with 'ensure: link', got 'ensure: directory'"),
        ({"name": "/", "force": True}, "'force: true' cannot be used with the filesystem root"),
        ({"ensure": "links"}, 'invalid ensure value: must be one of "present", "absent" or "directory"'),
    ],
)
def test_what_is_not_valid_for_a_link_is_refused(values, message):
    with pytest.raises(InvalidResource) as caught:
        managed(values.pop("name", "/x"), **values)
    assert caught.value.message == message


def test_an_unknown_word_is_answered_with_the_word_that_the_original_does_not_have(tmp_path):
    with pytest.raises(InvalidResource) as caught:
        managed(tmp_path / "x", ensure="lnk", target="")
    assert caught.value.advice == "or link, for a symbolic link"

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes of files and directories that a resource sets, keeps and shows: modes of twelve bits, extended ones."""

from __future__ import annotations

import errno
import itertools
import os
import stat

import pytest
from ccm.engine.context import Context
from ccm.engine.transaction import run_transaction
from ccm.host import files
from ccm.host.machine import Machine
from ccm.host.targets import Target
from ccm.model.resource import Resource, complete
from ccm.resources.file.posix import PosixFileProvider
from ccm.resources.file.replacement import Replacement
from ccm.resources.file.type import TYPE, FileState

from tests.unit.attributes import (
    ACL,
    CAPABILITIES,
    CAPABILITY,
    DEFAULT_ACL,
    LABEL,
    LABELS,
    MASK,
    OTHER,
    OWNER,
    OWNING_GROUP,
    USER,
    acl,
    attributes,
    permissions,
    refusing,
)


def managed(path, *, log=None, noop=False, **values):
    """Run the resource once; return its event."""
    properties = TYPE.made(complete(TYPE, {"name": str(path), "owner": "0", "group": "0", **values}))
    TYPE.validate(properties)
    context = Context(user_log=log, noop=noop) if log else Context(noop=noop)
    return run_transaction(Resource(TYPE, properties), context)


def backed_up(path):
    """Keep the file as `backup` does; return the path of the copy."""
    properties = TYPE.made(complete(TYPE, {"name": str(path), "ensure": "present"}))
    properties.backup = True
    state = FileState(str(path), "present")
    Replacement(Machine(), properties, state).prepare(f"{path}.new")
    return state.backup_file


def mode_of(path):
    return f"{stat.S_IMODE(os.lstat(path).st_mode):04o}"


@pytest.mark.needs("root")
@pytest.mark.parametrize("changes_owner", [False, True])
@pytest.mark.parametrize("ensure", ["present", "directory"])
def test_every_combination_of_special_bits_is_stable_in_the_second_run(tmp_path, ensure, changes_owner):
    path = tmp_path / "it"
    for former, wanted in itertools.product(range(8), range(8)):
        if ensure == "directory":
            path.mkdir()
        else:
            path.touch()
        os.chown(path, 4242 if changes_owner else 0, 0)
        path.chmod(former << 9 | 0o755)
        expected = f"{wanted or former}755" if ensure == "directory" else f"{wanted}755"
        first = managed(path, ensure=ensure, mode=f"{wanted}755")
        where = (former, wanted)
        assert (where, first.errors, first.changed) == (where, (), changes_owner or expected != f"{former}755")
        assert (where, mode_of(path), first.status.metadata["mode"]) == (where, expected, expected)
        assert os.lstat(path).st_uid == 0
        second = managed(path, ensure=ensure, mode=f"{wanted}755")
        assert (where, second.errors, second.changed, second.status.stable) == (where, (), False, True)
        path.rmdir() if ensure == "directory" else path.unlink()


@pytest.mark.needs("root")
def test_a_program_that_must_not_be_setuid_is_shown_and_repaired(tmp_path):
    path = tmp_path / "it"
    path.touch()
    path.chmod(0o4755)
    preview = managed(path, ensure="present", mode="0755", noop=True)
    assert (preview.noop_message, preview.status.metadata["mode"]) == ("Would have updated attributes", "4755")
    assert mode_of(path) == "4755"
    done = managed(path, ensure="present", mode="0755")
    assert (done.errors, done.status.metadata["mode"], mode_of(path)) == ((), "0755", "0755")


@pytest.mark.needs("root")
def test_a_new_directory_keeps_the_group_of_the_one_above(tmp_path):
    tmp_path.chmod(0o2755)
    for mode, expected in (("0755", "2755"), ("1755", "1755")):
        assert managed(tmp_path / mode, ensure="directory", mode=mode).errors == ()
        assert mode_of(tmp_path / mode) == expected


@pytest.mark.needs("root", "acl", "user_attributes")
def test_a_replaced_file_keeps_list_and_attributes_of_users(tmp_path, recorded_log):
    path = tmp_path / "it"
    path.write_text("old", encoding="utf-8")
    for name, value in ((ACL, acl()), ("user.k", b"v"), ("user.empty", b"")):
        os.setxattr(path, name, value)
    for mode in ("0664", "0600"):
        done = managed(path, ensure="present", mode=mode, content=mode, log=recorded_log)
        assert (done.errors, path.read_text(encoding="utf-8"), mode_of(path)) == ((), mode, mode)
        found = attributes(path)
        entries = permissions(found.pop(ACL))
        assert (entries[USER], entries[MASK], entries[OTHER]) == (6, int(mode[2]), int(mode[3]))
        assert found == {"user.k": b"v", "user.empty": b""}
        assert managed(path, ensure="present", mode=mode, content=mode).changed is False
    assert [line for line in recorded_log.lines if line[0] == "WARN"] == []


@pytest.mark.needs("root", "label")
def test_a_replaced_file_keeps_its_label(tmp_path):
    path = tmp_path / "it"
    for label in LABELS:
        path.write_text("old", encoding="utf-8")
        os.setxattr(path, LABEL, label)
        assert managed(path, ensure="present", mode="0644", content="new").errors == ()
        assert os.getxattr(path, LABEL) == label


@pytest.mark.needs("root", "label", "user_attributes")
@pytest.mark.parametrize("code", ["EPERM", "EACCES", "EINVAL", "ENOTSUP"])
def test_a_label_that_may_not_be_set_is_dropped_and_named(tmp_path, monkeypatch, recorded_log, code):
    path = tmp_path / "it"
    path.write_text("old", encoding="utf-8")
    for name, value in ((LABEL, LABELS[0]), ("user.k", b"v")):
        os.setxattr(path, name, value)
    monkeypatch.setattr(os, "setxattr", refusing(getattr(errno, code), LABEL))
    done = managed(path, ensure="present", mode="0644", content="new", log=recorded_log)
    assert (done.errors, path.read_text(encoding="utf-8"), attributes(path)) == ((), "new", {"user.k": b"v"})
    (warning,) = [line for line in recorded_log.lines if line[0] == "WARN"]
    assert dict(warning[2]) == {"file": str(path), "attributes": LABEL}
    assert managed(path, ensure="present", mode="0644", content="new").changed is False


@pytest.mark.needs("root", "acl")
def test_a_list_lets_nobody_in_before_the_mode_is_set(tmp_path):
    path = str(tmp_path / "it")
    seen = []
    for mode in (0o660, 0o600):
        files.write_file(path, b"", mode=0o660)
        os.setxattr(path, ACL, acl())

        def content(written=mode):
            (name,) = (name for name in os.listdir(tmp_path) if name != "it")
            seen.append((written, permissions(attributes(tmp_path / name)[ACL])[MASK], mode_of(tmp_path / name)))
            yield b"new"

        files.write_file(path, content(), mode=mode)
    assert seen == [(0o660, 0, "0600"), (0o600, 0, "0600")]
    assert permissions(attributes(path)[ACL]) == {OWNER: 6, USER: 6, OWNING_GROUP: 4, MASK: 0, OTHER: 0}


@pytest.mark.needs("root")
@pytest.mark.parametrize("refused", [False, True])
def test_a_list_of_nfs_is_kept_and_lets_nobody_in_before_the_mode_is_set(tmp_path, monkeypatch, refused, recorded_log):
    path = tmp_path / "it"
    path.write_text("old", encoding="utf-8")
    name, lists, seen = "system.nfs4_acl", {path.stat().st_ino: b"of the old file"}, []

    def setxattr(file, given, value):
        """As a server does: the mode follows the list, and a list may have names that it does not know."""
        if refused:
            raise OSError(errno.EINVAL, "")
        assert given == name
        os.chmod(file, 0o644)
        lists[os.stat(file).st_ino] = value

    def write_all(fd, *arguments, **options):
        seen.append((lists.get(os.fstat(fd).st_ino), stat.S_IMODE(os.fstat(fd).st_mode)))
        real(fd, *arguments, **options)

    real = files.write_all
    monkeypatch.setattr(files, "write_all", write_all)
    monkeypatch.setattr(os, "listxattr", lambda _file: [name])
    monkeypatch.setattr(os, "getxattr", lambda file, _name: lists.get(os.stat(file).st_ino, b"by the mode"))
    monkeypatch.setattr(os, "setxattr", setxattr)
    done = managed(path, ensure="present", mode="0600", content="new", log=recorded_log)
    assert (done.errors, path.read_text(encoding="utf-8"), mode_of(path)) == ((), "new", "0600")
    assert managed(path, ensure="present", mode="0600", content="new").changed is False
    warned = [dict(line[2])["attributes"] for line in recorded_log.lines if line[0] == "WARN"]
    kept = None if refused else b"of the old file"
    assert (seen, warned) == ([(kept, 0o600)], [name] if refused else [])


@pytest.mark.needs("root")
def test_a_list_of_nfs_that_opens_the_new_file_is_an_error_when_it_cannot_be_closed(tmp_path, monkeypatch):
    path = tmp_path / "it"
    path.write_text("old", encoding="utf-8")
    number, real = path.stat().st_ino, os.chmod

    def chmod(file, mode):
        if isinstance(file, int):
            raise OSError(errno.EIO, "")
        real(file, mode)

    monkeypatch.setattr(os, "listxattr", lambda _file: ["system.nfs4_acl"])
    monkeypatch.setattr(os, "getxattr", lambda file, _name: b"old" if os.stat(file).st_ino == number else b"new")
    monkeypatch.setattr(os, "setxattr", lambda *_arguments: None)
    monkeypatch.setattr(os, "chmod", chmod)
    assert managed(path, ensure="present", mode="0600", content="new").errors == [f"chmod {path}: input/output error"]
    assert os.listdir(tmp_path) == ["it"]


@pytest.mark.needs("root", "acl")
def test_a_backup_keeps_the_list_of_the_file(tmp_path):
    path = tmp_path / "it"
    path.write_text("old", encoding="utf-8")
    os.setxattr(path, ACL, acl())
    path.chmod(0o4770)
    kept = backed_up(path)
    assert (attributes(kept), mode_of(kept)) == (attributes(path), "0770")


@pytest.mark.needs("root", "acl", "user_attributes")
def test_a_link_in_place_of_an_unfinished_backup_gets_no_attributes(tmp_path, monkeypatch):
    path, secret = tmp_path / "it", tmp_path / "secret"
    for each in (path, secret):
        each.write_text("old", encoding="utf-8")
        each.chmod(0o600)
    os.setxattr(path, ACL, acl())
    os.setxattr(path, "user.k", b"v")
    real = Target.chunks

    def swapped(target):
        """As the owner of the directory can do: after the last piece a link is in place of the hidden file."""
        yield from real(target)
        (hidden,) = (name for name in os.listdir(tmp_path) if name.endswith(".ccm-new"))
        os.unlink(tmp_path / hidden)
        os.symlink(secret, tmp_path / hidden)

    monkeypatch.setattr(Target, "chunks", swapped)
    backed_up(path)
    assert (attributes(secret), mode_of(secret)) == ({}, "0600")


@pytest.mark.needs("root", "capabilities", "trusted_attributes", "user_attributes")
def test_attributes_that_vouch_for_the_old_content_are_dropped_and_named(tmp_path, recorded_log):
    path = tmp_path / "it"
    path.write_text("old", encoding="utf-8")
    for name, value in ((CAPABILITY, CAPABILITIES), ("trusted.k", b"v"), ("user.k", b"v")):
        os.setxattr(path, name, value)
    assert managed(path, ensure="present", mode="0755", content="new", log=recorded_log).errors == ()
    assert attributes(path) == {"user.k": b"v"}
    (warning,) = [line for line in recorded_log.lines if line[0] == "WARN"]
    assert "does not have these attributes of the old one" in warning[1]
    assert dict(warning[2]) == {"file": str(path), "attributes": f"{CAPABILITY}, trusted.k"}


@pytest.mark.needs("root", "acl")
def test_a_list_of_the_directory_is_for_new_files_only(tmp_path):
    old = tmp_path / "old"
    old.write_text("old", encoding="utf-8")
    os.setxattr(tmp_path, DEFAULT_ACL, acl())
    for name in ("old", "new"):
        assert managed(tmp_path / name, ensure="present", mode="0640", content="x").errors == ()
        assert mode_of(tmp_path / name) == "0640"
    assert (attributes(old), list(attributes(tmp_path / "new"))) == ({}, [ACL])


@pytest.mark.needs("root", "capabilities")
def test_a_change_of_owner_or_mode_keeps_capabilities(tmp_path):
    path = tmp_path / "it"
    path.touch()
    path.chmod(0o700)
    os.chown(path, 4242, 4242)
    os.setxattr(path, CAPABILITY, CAPABILITIES)
    assert managed(path, ensure="present", mode="2755").errors == ()
    found = os.stat(path)
    assert (found.st_uid, found.st_gid, mode_of(path)) == (0, 0, "2755")
    assert attributes(path) == {CAPABILITY: CAPABILITIES}


@pytest.mark.needs("root", "capabilities")
def test_an_owner_stays_where_capabilities_could_not_be_set_again(tmp_path, monkeypatch):
    path = tmp_path / "it"
    path.touch()
    os.chown(path, 4242, 4242)
    os.setxattr(path, CAPABILITY, CAPABILITIES)

    monkeypatch.setattr(os, "setxattr", refusing(errno.EPERM, CAPABILITY))
    failed = managed(path, ensure="present", mode="0755")
    text = f"attribute {CAPABILITY}: setxattr {path}: operation not permitted"
    assert (failed.errors, os.stat(path).st_uid) == ([text], 4242)
    assert attributes(path) == {CAPABILITY: CAPABILITIES}


@pytest.mark.needs("root", "user_attributes")
def test_no_space_for_attributes_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "it"
    path.write_text("old", encoding="utf-8")
    os.setxattr(path, "user.k", b"v")

    with monkeypatch.context() as patch:
        patch.setattr(os, "setxattr", refusing(errno.ENOSPC, "user.k"))
        failed = managed(path, ensure="present", mode="0644", content="new")
    assert failed.errors == [f"attribute user.k: setxattr {path}: no space left on device"]
    assert (path.read_text(encoding="utf-8"), attributes(path)) == ("old", {"user.k": b"v"})
    assert os.listdir(tmp_path) == ["it"]


@pytest.mark.needs("root", "user_attributes")
def test_a_file_system_without_attributes_is_no_failure(tmp_path, monkeypatch, recorded_log):
    path = tmp_path / "it"
    path.write_text("old", encoding="utf-8")
    os.setxattr(path, "user.k", b"v")

    def unsupported(*_arguments):
        raise OSError(errno.ENOTSUP, "")

    with monkeypatch.context() as patch:
        patch.setattr(os, "setxattr", unsupported)
        assert managed(path, ensure="present", mode="0644", content="new", log=recorded_log).errors == ()
        (warning,) = [line for line in recorded_log.lines if line[0] == "WARN"]
        assert dict(warning[2])["attributes"] == "user.k"
        patch.setattr(os, "listxattr", unsupported)
        patch.setattr(os, "getxattr", unsupported)
        assert managed(path, ensure="present", mode="0600", content="newer").errors == ()
        os.chown(path, 4242, 4242)
        assert managed(path, ensure="present", mode="0600").errors == ()


@pytest.mark.needs("root", "acl")
def test_attributes_that_cannot_be_listed_or_removed_are_an_error(tmp_path, monkeypatch):
    path = tmp_path / "it"
    path.write_text("old", encoding="utf-8")
    os.setxattr(tmp_path, DEFAULT_ACL, acl())

    def broken(*_arguments):
        raise OSError(errno.EIO, "")

    texts = []
    for name in ("listxattr", "removexattr"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, broken)
            texts += managed(path, ensure="present", mode="0644", content="new").errors
    assert texts == [
        f"listxattr {path}: input/output error",
        f"attribute {ACL}: removexattr {path}: input/output error",
    ]
    assert path.read_text(encoding="utf-8") == "old"


@pytest.mark.needs("root", "user_attributes")
def test_attributes_that_cannot_be_read_are_an_error(tmp_path, monkeypatch):
    path = tmp_path / "it"
    path.write_text("old", encoding="utf-8")
    os.setxattr(path, "user.k", b"v")

    def broken(*_arguments):
        raise OSError(errno.EIO, "")

    monkeypatch.setattr(os, "getxattr", broken)
    text = f"attribute user.k: getxattr {path}: input/output error"
    assert managed(path, ensure="present", mode="0644", content="new").errors == [text]
    os.chown(path, 4242, 4242)
    text = f"attribute {CAPABILITY}: getxattr {path}: input/output error"
    assert managed(path, ensure="present", mode="0644").errors == [text]
    assert (path.read_text(encoding="utf-8"), path.stat().st_uid) == ("old", 4242)


@pytest.mark.needs("root", "user_attributes")
def test_attributes_are_kept_where_proc_is_not_mounted(tmp_path, monkeypatch):
    path = tmp_path / "it"
    path.write_text("old", encoding="utf-8")
    os.setxattr(path, "user.k", b"v")
    real_exists, real_open = os.path.exists, os.open

    def opened(name, *arguments, **options):
        if str(name).startswith("/proc/"):
            raise FileNotFoundError(errno.ENOENT, "")
        return real_open(name, *arguments, **options)

    monkeypatch.setattr(os.path, "exists", lambda name: not str(name).startswith("/proc/") and real_exists(name))
    monkeypatch.setattr(os, "open", opened)
    assert managed(path, ensure="present", mode="0644", content="new").errors == ()
    assert (path.read_text(encoding="utf-8"), attributes(path)) == ("new", {"user.k": b"v"})


@pytest.mark.needs("root")
def test_a_named_pipe_that_replaces_the_file_after_the_look_stays(tmp_path, monkeypatch):
    path = tmp_path / "it"
    path.write_text("old", encoding="utf-8")
    real = PosixFileProvider.store

    def late(provider, properties, state):
        path.unlink()
        os.mkfifo(path)
        real(provider, properties, state)

    monkeypatch.setattr(PosixFileProvider, "store", late)
    failed = managed(path, ensure="present", mode="0644", content="new")
    assert failed.errors == [f"{path} exists as a named pipe; cannot replace it by a file"]
    assert stat.S_ISFIFO(path.lstat().st_mode)
    assert os.listdir(tmp_path) == ["it"]

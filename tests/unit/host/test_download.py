# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Downloads from servers on this host: temporary file, interruption, continuation, restart, and final failure."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import resource

import pytest
from ccm.host.download import Request, download
from ccm.host.errors import HostError
from ccm.host.http import HTTPError, HTTPStatusError

from tests.unit.host.slow_answers import send_slowly

from .test_http import authorization, other, redirect, server

__all__ = ["other", "server"]  # fixtures
pytestmark = pytest.mark.needs("http")

DATA = bytes(range(256)) * 4000
NO_PAUSE = 0.01


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr("ccm.host.download._FIRST_PAUSE", NO_PAUSE)


class InterruptingServer:
    """A server of DATA that ends the connection early `ends` times; `parts` is whether it supports ranges."""

    def __init__(self, cuts=1, parts=True, tag='"one"', changed=False):
        self.cuts = cuts
        self.parts = parts
        self.tag = tag
        self.changed = changed
        self.ranges = []

    def __call__(self, handler):
        wanted = handler.headers.get("Range")
        self.ranges.append((wanted, handler.headers.get("If-Range")))
        data = DATA
        at = 0
        if wanted and handler.headers.get("If-Range") == self.tag:
            at = int(wanted[len("bytes=") : -1])
            handler.send_response(206)
            handler.send_header("Content-Range", f"bytes {at}-{len(data) - 1}/{len(data)}")
        else:
            handler.send_response(200)
        if self.parts:
            handler.send_header("Accept-Ranges", "bytes")
        handler.send_header("ETag", self.tag)
        handler.send_header("Content-Length", str(len(data) - at))
        handler.end_headers()
        if self.changed:
            self.tag = '"two"'
        if self.cuts:
            self.cuts -= 1
            handler.wfile.write(data[at : at + 300_000])
        else:
            handler.wfile.write(data[at:])


def fetched(url, place, **options):
    found = download(Request(url, **options), str(place))
    assert found.digest == hashlib.sha256(DATA).hexdigest()
    assert found.size == len(DATA)
    found.put_in_place(uid=os.geteuid(), gid=os.getegid())
    assert place.read_bytes() == DATA
    assert place.stat().st_mode & 0o7777 == 0o600
    assert os.listdir(place.parent) == [place.name]


def test_a_file_is_hidden_until_it_is_stored(server, tmp_path):
    server.paths["/x"] = DATA
    place = tmp_path / "a.tar"
    place.write_bytes(b"old")
    found = download(Request(server.url("/x")), str(place))
    assert place.read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == [".a.tar.ccm-new", "a.tar"]
    found.discard()
    assert os.listdir(tmp_path) == ["a.tar"]
    fetched(server.url("/x"), place)


def test_an_interrupted_download_is_continued(server, tmp_path):
    interrupting_server = server.paths["/x"] = InterruptingServer(cuts=2)
    notices = []
    fetched(server.url("/x"), tmp_path / "a.tar", notice=notices.append)
    assert interrupting_server.ranges == [(None, None), ("bytes=300000-", '"one"'), ("bytes=600000-", '"one"')]
    assert len(notices) == 2
    assert "after 300000 bytes" in notices[0]


@pytest.mark.parametrize(
    ("interrupting_server", "expected"),
    [
        (InterruptingServer(parts=False), [(None, None)] * 2),
        (InterruptingServer(tag='W/"weak"'), [(None, None)] * 2),
        (InterruptingServer(changed=True), [(None, None), ("bytes=300000-", '"one"')]),
    ],
)
def test_an_unsafe_continuation_starts_again(server, tmp_path, interrupting_server, expected):
    server.paths["/x"] = interrupting_server
    fetched(server.url("/x"), tmp_path / "a.tar")
    assert interrupting_server.ranges == expected


def test_parts_of_different_content_are_not_combined(server, tmp_path):
    interrupting_server = InterruptingServer()

    def other_part(handler):
        if handler.headers.get("Range") is None:
            interrupting_server(handler)
            return
        handler.send_response(206)
        handler.send_header("Content-Range", f"bytes 5-9/{len(DATA)}")
        handler.send_header("Content-Length", "5")
        handler.end_headers()
        handler.wfile.write(b"wrong")

    server.paths["/x"] = other_part
    fetched(server.url("/x"), tmp_path / "a.tar")


def test_tries_are_limited_and_leave_no_file(server, tmp_path):
    interrupting_server = server.paths["/x"] = InterruptingServer(cuts=9, parts=False)
    with pytest.raises(HTTPError, match="closed after 300000 of 1024000 bytes"):
        download(Request(server.url("/x"), tries=4), str(tmp_path / "a.tar"))
    assert len(interrupting_server.ranges) == 4
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("status", "tries"), [(404, 1), (401, 1), (503, 3), (429, 3)])
def test_only_temporary_errors_are_tried_again(server, tmp_path, status, tries):
    server.paths["/x"] = lambda handler: handler.send_error(status, "no")
    with pytest.raises(HTTPStatusError, match=f"status {status}"):
        download(Request(server.url("/x")), str(tmp_path / "a.tar"))
    assert len(server.requests) == tries
    assert os.listdir(tmp_path) == []


def test_the_deadline_includes_all_tries(server, tmp_path):
    lead = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx"
    server.paths["/x"] = lambda handler: send_slowly(handler, lead)
    with pytest.raises(HTTPError, match="took too long"):
        download(Request(server.url("/x"), timeout=0.4), str(tmp_path / "a.tar"))


def test_a_range_is_requested_after_a_redirect_without_secrets(server, other, tmp_path):
    interrupting_server = other.paths["/x"] = InterruptingServer()
    server.paths["/x"] = redirect(other.url("/x"))
    fetched(server.url("/x"), tmp_path / "a.tar", username="ann", password="p", headers={"X-Token": "t"})
    assert [authorization(request) for request in server.requests] == ["ann:p"] * 2
    assert [request[1].get("X-Token") for request in other.requests] == [None] * 2
    assert interrupting_server.ranges[1] == ("bytes=300000-", '"one"')


def test_progress_is_reported(server, tmp_path):
    server.paths["/x"] = DATA
    sizes = []
    fetched(server.url("/x"), tmp_path / "a.tar", progress=lambda done, total: sizes.append((done, total)))
    assert sizes[-1] == (len(DATA), len(DATA))


def test_files_of_killed_downloads_are_removed_and_those_of_active_downloads_are_not(server, tmp_path):
    server.paths["/x"] = DATA
    left, used = tmp_path / ".a.tar.ccm-new", tmp_path / ".b.tar.ccm-new"
    for path in (left, used):
        path.write_bytes(b"part")
    with open(used, "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for name in ("a.tar", "b.tar"):
            download(Request(server.url("/x")), str(tmp_path / name)).discard()
    assert os.listdir(tmp_path) == [used.name]


def test_the_downloaded_file_is_read_even_when_its_name_was_replaced(server, tmp_path):
    server.paths["/x"] = DATA
    found = download(Request(server.url("/x")), str(tmp_path / "a.tar"))
    (tmp_path / ".a.tar.ccm-new").rename(tmp_path / "stolen")
    (tmp_path / ".a.tar.ccm-new").write_text("another one")
    for _time in range(2):
        with found.opened() as reader:
            assert b"".join(reader.chunks()) == DATA
    found.discard()
    assert (tmp_path / ".a.tar.ccm-new").read_text() == "another one"


@pytest.mark.needs("root")
@pytest.mark.parametrize("swapped", [False, True])
def test_an_owner_that_the_file_system_changed_is_set_again(server, tmp_path, monkeypatch, swapped):
    """But not the owner of a file that another process created under its name."""

    def rename(source, target, **directories):
        real(source, target, **directories)
        os.chown(tmp_path / "a.tar", 54322, 54322)
        if swapped:
            (tmp_path / "a.tar").unlink()
            (tmp_path / "a.tar").write_text("another one")

    real = os.rename
    server.paths["/x"] = DATA
    found = download(Request(server.url("/x")), str(tmp_path / "a.tar"))
    monkeypatch.setattr(os, "rename", rename)
    found.put_in_place(uid=54321, gid=54321)
    assert (tmp_path / "a.tar").stat().st_uid == (0 if swapped else 54321)


def test_a_missing_directory_is_a_system_error(server, tmp_path):
    with pytest.raises(HostError, match=r"open .*: no such file or directory"):
        download(Request(server.url("/x")), str(tmp_path / "none/a.tar"))
    assert server.requests == []


def test_a_full_disk_is_a_system_error_and_leaves_no_file(server, tmp_path):
    server.paths["/x"] = DATA
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(DATA) - 1, before[1]))
    try:
        with pytest.raises(HostError, match=r"^could not copy file: write .*/\.a\.tar\..*: file too large$"):
            download(Request(server.url("/x")), str(tmp_path / "a.tar"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert os.listdir(tmp_path) == []


def test_a_disk_error_at_a_restart_is_reported(server, tmp_path, monkeypatch):
    def failing(_fd, _size):
        raise OSError(errno.EIO, "")

    monkeypatch.setattr(os, "ftruncate", failing)
    server.paths["/x"] = DATA
    with pytest.raises(HostError, match=r"^truncate .*/\.a\.tar\..*: input/output error$"):
        download(Request(server.url("/x")), str(tmp_path / "a.tar"))
    assert os.listdir(tmp_path) == []


def test_a_disk_error_at_the_rename_is_reported(server, tmp_path, monkeypatch):
    def failing(*_arguments, **_options):
        raise OSError(errno.EIO, "")

    server.paths["/x"] = DATA
    found = download(Request(server.url("/x")), str(tmp_path / "a.tar"))
    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(HostError, match=f"^rename {tmp_path}/a.tar: input/output error$"):
        found.put_in_place(uid=os.geteuid(), gid=os.getegid())
    assert os.listdir(tmp_path) == []


@pytest.mark.needs("root")
@pytest.mark.usefixtures("rename_changes_owner")
def test_a_download_keeps_its_owner_where_a_rename_changes_it(server, tmp_path):
    server.paths["/x"] = DATA
    place = tmp_path / "a.tar"
    download(Request(server.url("/x")), str(place)).put_in_place(uid=4711, gid=4712)
    assert (place.stat().st_uid, place.stat().st_gid) == (4711, 4712)


@pytest.mark.needs("root")
def test_a_file_that_replaces_a_download_keeps_its_owner(server, tmp_path, monkeypatch):
    def taken(source, target, *, src_dir_fd, dst_dir_fd):
        os.unlink(source, dir_fd=src_dir_fd)
        os.link(tmp_path / "other", target, dst_dir_fd=dst_dir_fd)

    server.paths["/x"] = DATA
    (tmp_path / "other").touch()
    monkeypatch.setattr(os, "rename", taken)
    download(Request(server.url("/x")), str(tmp_path / "a.tar")).put_in_place(uid=4711, gid=4712)
    assert (tmp_path / "a.tar").stat().st_uid == 0

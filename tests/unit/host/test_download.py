# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files fetched from servers on this machine: beside their place, cut off, taken up again, begun anew, given up."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import resource
import time

import pytest
from ccm.host.download import Request, download
from ccm.host.errors import HostError
from ccm.host.http import HTTPError, HTTPStatusError

from .test_http import authorization, other, redirect, server

__all__ = ["other", "server"]  # fixtures
pytestmark = pytest.mark.needs("http")

DATA = bytes(range(256)) * 4000
NO_PAUSE = 0.01


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr("ccm.host.download._FIRST_PAUSE", NO_PAUSE)


class Cutting:
    """Serves DATA, and ends the connection early as often as is notices; `parts` is whether it offers parts."""

    def __init__(self, cuts=1, parts=True, tag='"one"', changed=False):
        self.cuts = cuts
        self.parts = parts
        self.tag = tag
        self.changed = changed
        self.asked = []

    def __call__(self, handler):
        wanted = handler.headers.get("Range")
        self.asked.append((wanted, handler.headers.get("If-Range")))
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


def test_a_file_is_hidden_until_it_is_put_in_place(server, tmp_path):
    server.paths["/x"] = DATA
    place = tmp_path / "a.tar"
    place.write_bytes(b"old")
    found = download(Request(server.url("/x")), str(place))
    assert place.read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == [".a.tar.ccm-new", "a.tar"]
    found.discard()
    assert os.listdir(tmp_path) == ["a.tar"]
    fetched(server.url("/x"), place)


def test_what_was_cut_off_is_fetched_on(server, tmp_path):
    cutting = server.paths["/x"] = Cutting(cuts=2)
    notices = []
    fetched(server.url("/x"), tmp_path / "a.tar", notice=notices.append)
    assert cutting.asked == [(None, None), ("bytes=300000-", '"one"'), ("bytes=600000-", '"one"')]
    assert len(notices) == 2
    assert "after 300000 bytes" in notices[0]


@pytest.mark.parametrize(
    ("cutting", "asked"),
    [
        (Cutting(parts=False), [(None, None)] * 2),
        (Cutting(tag='W/"weak"'), [(None, None)] * 2),
        (Cutting(changed=True), [(None, None), ("bytes=300000-", '"one"')]),
    ],
)
def test_where_that_is_not_safe_it_begins_anew(server, tmp_path, cutting, asked):
    server.paths["/x"] = cutting
    fetched(server.url("/x"), tmp_path / "a.tar")
    assert cutting.asked == asked


def test_parts_of_something_else_are_not_put_together(server, tmp_path):
    cutting = Cutting()

    def other_part(handler):
        if handler.headers.get("Range") is None:
            cutting(handler)
            return
        handler.send_response(206)
        handler.send_header("Content-Range", f"bytes 5-9/{len(DATA)}")
        handler.send_header("Content-Length", "5")
        handler.end_headers()
        handler.wfile.write(b"wrong")

    server.paths["/x"] = other_part
    fetched(server.url("/x"), tmp_path / "a.tar")


def test_tries_come_to_an_end_and_nothing_stays(server, tmp_path):
    cutting = server.paths["/x"] = Cutting(cuts=9, parts=False)
    with pytest.raises(HTTPError, match="closed after 300000 of 1024000 bytes"):
        download(Request(server.url("/x"), tries=4), str(tmp_path / "a.tar"))
    assert len(cutting.asked) == 4
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("status", "tries"), [(404, 1), (401, 1), (503, 3), (429, 3)])
def test_only_what_passes_is_tried_again(server, tmp_path, status, tries):
    server.paths["/x"] = lambda handler: handler.send_error(status, "no")
    with pytest.raises(HTTPStatusError, match=f"status {status}"):
        download(Request(server.url("/x")), str(tmp_path / "a.tar"))
    assert len(server.requests) == tries
    assert os.listdir(tmp_path) == []


def test_the_time_is_for_all_tries(server, tmp_path):
    def drip(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(2)

    server.paths["/x"] = drip
    before = time.monotonic()
    with pytest.raises(HTTPError, match="took too long"):
        download(Request(server.url("/x"), timeout=0.4), str(tmp_path / "a.tar"))
    assert time.monotonic() - before < 1.5


def test_a_part_is_asked_of_the_server_that_a_redirect_leads_to_without_secrets(server, other, tmp_path):
    cutting = other.paths["/x"] = Cutting()
    server.paths["/x"] = redirect(other.url("/x"))
    fetched(server.url("/x"), tmp_path / "a.tar", username="ann", password="p", headers={"X-Token": "t"})
    assert [authorization(request) for request in server.requests] == ["ann:p"] * 2
    assert [request[1].get("X-Token") for request in other.requests] == [None] * 2
    assert cutting.asked[1] == ("bytes=300000-", '"one"')


def test_progress_is_told(server, tmp_path):
    server.paths["/x"] = DATA
    seen = []
    fetched(server.url("/x"), tmp_path / "a.tar", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (len(DATA), len(DATA))


def test_what_killed_downloads_left_is_removed_and_what_others_write_is_not(server, tmp_path):
    server.paths["/x"] = DATA
    left, used = tmp_path / ".a.tar.ccm-new", tmp_path / ".b.tar.ccm-new"
    for path in (left, used):
        path.write_bytes(b"part")
    with open(used, "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for name in ("a.tar", "b.tar"):
            download(Request(server.url("/x")), str(tmp_path / name)).discard()
    assert os.listdir(tmp_path) == [used.name]


def test_what_is_read_is_what_was_fetched_whatever_has_its_name(server, tmp_path):
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
def test_an_owner_that_the_file_system_forgets_is_set_again(server, tmp_path, monkeypatch, swapped):
    """But not that of what another process put there meanwhile."""

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


def test_a_missing_directory_is_said_as_the_system_says_it(server, tmp_path):
    with pytest.raises(HostError, match=r"open .*: no such file or directory"):
        download(Request(server.url("/x")), str(tmp_path / "none/a.tar"))
    assert server.requests == []


def test_what_does_not_fit_is_said_as_the_system_says_it_and_nothing_stays(server, tmp_path):
    server.paths["/x"] = DATA
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(DATA) - 1, before[1]))
    try:
        with pytest.raises(HostError, match=r"^could not copy file: write .*/\.a\.tar\..*: file too large$"):
            download(Request(server.url("/x")), str(tmp_path / "a.tar"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert os.listdir(tmp_path) == []


def test_a_disk_that_fails_when_it_begins_anew_is_told(server, tmp_path, monkeypatch):
    def failing(_fd, _size):
        raise OSError(errno.EIO, "")

    monkeypatch.setattr(os, "ftruncate", failing)
    server.paths["/x"] = DATA
    with pytest.raises(HostError, match=r"^truncate .*/\.a\.tar\..*: input/output error$"):
        download(Request(server.url("/x")), str(tmp_path / "a.tar"))
    assert os.listdir(tmp_path) == []


@pytest.mark.needs("root")
@pytest.mark.usefixtures("renaming_gives_away")
def test_a_download_keeps_its_owner_where_renaming_gives_it_away(server, tmp_path):
    server.paths["/x"] = DATA
    place = tmp_path / "a.tar"
    download(Request(server.url("/x")), str(place)).put_in_place(uid=4711, gid=4712)
    assert (place.stat().st_uid, place.stat().st_gid) == (4711, 4712)


@pytest.mark.needs("root")
def test_what_takes_the_place_of_a_download_is_not_given_away(server, tmp_path, monkeypatch):
    def taken(source, target, *, src_dir_fd, dst_dir_fd):
        os.unlink(source, dir_fd=src_dir_fd)
        os.link(tmp_path / "other", target, dst_dir_fd=dst_dir_fd)

    server.paths["/x"] = DATA
    (tmp_path / "other").touch()
    monkeypatch.setattr(os, "rename", taken)
    download(Request(server.url("/x")), str(tmp_path / "a.tar")).put_in_place(uid=4711, gid=4712)
    assert (tmp_path / "a.tar").stat().st_uid == 0

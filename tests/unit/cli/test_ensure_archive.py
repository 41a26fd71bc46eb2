# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm ensure archive`: flags, limits, refused commands."""

from __future__ import annotations

import hashlib
import json
import os

import pytest

from tests.unit.attributes import ACL, MASK, OTHER, OWNER, OWNING_GROUP, USER, acl, attributes, permissions
from tests.unit.host.archives.test_unpack import tar
from tests.unit.host.test_http import authorization, server

__all__ = ["server"]  # a fixture
pytestmark = pytest.mark.needs("http")


def events(place):
    return [json.loads(path.read_text()) for path in sorted(place.glob("*.event"))]


def test_every_flag(ccm, me, server, tmp_path, monkeypatch):
    archive = tmp_path / "served.tar"
    tar(archive, [("app/run", "x")])
    server.paths["/a.tar"] = archive.read_bytes()
    for name in ("dl", "out", "session"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HTTP_PASSWORD", "s3cret")
    ran = ccm(
        "ensure", "archive", tmp_path / "dl/a.tar", server.url("/a.tar"),
        "-H", "X-Token:t0ken", "--header", "X-Other=b", "--username", "ann", "--extract", tmp_path / "out",
        "--creates", tmp_path / "out/app/run", "--cleanup", "--owner", ":".join(me), "--session", tmp_path / "session",
        "--download-timeout", "20s", "--download-tries", "2",
    )  # fmt: skip
    assert ran.status == 0, ran.err
    [event] = events(tmp_path / "session")
    assert (event["changed"], event["final_ensure"]) == (True, "absent")
    assert event["properties"]["password"] == "REDACTED"
    assert event["properties"]["headers"] == {"X-Token": "REDACTED", "X-Other": "REDACTED"}
    assert (tmp_path / "out/app/run").read_text() == "x"
    assert authorization(server.requests[0]) == "ann:s3cret"
    assert (server.requests[0][1]["X-Token"], server.requests[0][1]["X-Other"]) == ("t0ken", "b")


@pytest.mark.parametrize("is_announced", [True, False])
def test_an_archive_above_the_size_limit_is_not_downloaded(ccm, server, tmp_path, is_announced):
    def send(handler):
        handler.send_response(200)
        if is_announced:
            handler.send_header("Content-Length", "3000")
        handler.end_headers()
        handler.wfile.write(b"x" * 3000)

    server.paths["/a.tar"] = send
    words = ("ensure", "archive", tmp_path / "a.tar", server.url("/a.tar"), "--owner", f"{os.geteuid()}:{os.getegid()}")
    ran = ccm(*words, "--download-limit", "2KiB")
    assert "the file is larger than 2048 bytes, the limit of downloads" in ran.out
    assert (len(server.requests), list(tmp_path.glob("*.tar"))) == (1, [])
    assert "changed" in ccm(*words, "--download-limit", "3KiB").out
    assert (tmp_path / "a.tar").stat().st_size == 3000


def test_tries_are_counted(ccm, server, tmp_path, monkeypatch):
    monkeypatch.setattr("ccm.host.download._FIRST_PAUSE", 0.01)
    server.paths["/a.tar"] = lambda handler: handler.send_error(503, "busy")
    ran = ccm("ensure", "archive", tmp_path / "a.tar", server.url("/a.tar"), "--download-tries", "4")
    assert "HTTP request failed with status 503: 503 busy" in ran.out
    assert len(server.requests) == 4
    manifest = tmp_path / "m.yaml"
    entry = f"{{ensure: present, url: '{server.url('/a.tar')}', owner: '0', group: '0'}}"
    manifest.write_text(
        f"ccm: {{engine: {{download_tries: 2}}, resources: [{{archive: [{{{tmp_path}/a.tar: {entry}}}]}}]}}"
    )
    assert "status 503" in ccm("apply", manifest).out
    assert len(server.requests) == 6


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--extract", "file"], "'file' is a file"),
        (["--download-timeout", "soon"], "invalid duration"),
        (["--download-timeout", "0s"], "no time at all"),
        (["--download-tries", "0"], "download_tries must be from 1 to 100"),
        (["--download-limit", "2 apples"], 'download_limit "2 apples" is not a size'),
        (["--download-limit", "0GiB"], 'download_limit "0GiB" is not a size'),
        (["--header", "x"], "expected KEY=VALUE got 'x'"),
        (["--cleanup"], "cleanup requires extract_parent to be set"),
    ],
)
def test_refused_commands(ccm, tmp_path, words, text):
    (tmp_path / "file").touch()
    ran = ccm("ensure", "archive", tmp_path / "a.tar", "http://127.0.0.1:1/a.tar", *words)
    assert ran.status == 1
    assert text in ran.err


@pytest.mark.parametrize("directory", ["new", "new/deep"])
def test_the_directory_to_unpack_in_is_made(ccm, server, tmp_path, directory):
    tar(tmp_path / "served.tar", [("app/run", "x")])
    server.paths["/a.tar"] = (tmp_path / "served.tar").read_bytes()
    ran = ccm("ensure", "archive", tmp_path / "a.tar", server.url("/a.tar"), "--extract", directory)
    assert (ran.status, ran.err) == (0, "")
    assert (tmp_path / directory / "app/run").read_text() == "x"


@pytest.mark.parametrize("exists", [False, True])
def test_a_failed_archive_whose_directory_is_missing_is_an_error(ccm, server, tmp_path, exists):
    if exists:
        (tmp_path / "out").mkdir()
    words = ("archive", tmp_path / "a.tar", server.url("/none.tar"), "--extract", "out")
    ran = ccm("ensure", *words)
    if exists:
        assert (ran.status, ran.err) == (0, "")
        assert "status 404" in ran.out
    else:
        assert (ran.status, ran.out) == (1, "")
        assert "path 'out' does not exist: download failed: HTTP request failed with status 404" in ran.err
    assert ccm("ensure", "--noop", *words).status == 0


def test_a_url_that_cannot_be_parsed_does_not_show_its_password(ccm, tmp_path):
    ran = ccm("ensure", "archive", tmp_path / "a.tar", "http://u:hunter2#x@h/a.tar")
    assert ran.status == 1
    assert "invalid url: the address cannot be read" in ran.err
    assert "hunter2" not in ran.out + ran.err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tar", "tar exited with code 2: this does not look like a tar archive"),
        ("a.zip", "unzip exited with code 9: "),
    ],
)
def test_an_archive_that_cannot_be_unpacked_fails_with_the_recorded_message(ccm, server, tmp_path, name, text):
    server.paths["/" + name] = b"no archive"
    (tmp_path / "out").mkdir()
    ran = ccm("ensure", "archive", tmp_path / name, server.url("/" + name), "--extract", tmp_path / "out")
    assert f"errors={text}" in ran.out


@pytest.mark.parametrize("directory", [".", "out", "./out/"])
def test_paths_on_the_command_line_are_relative_to_the_current_directory(ccm, tmp_path, directory):
    (tmp_path / "out").mkdir()
    words = ("/a.tar", "http://127.0.0.1:1/a.tar", "--extract", directory, "--creates", "made", "--session", tmp_path)
    assert ccm("ensure", "--noop", "archive", *words).status == 0
    (event,) = (json.loads(path.read_text()) for path in tmp_path.glob("*.event"))
    assert event["properties"]["extract_parent"] == os.path.normpath(tmp_path / directory)
    assert event["properties"]["creates"] == str(tmp_path / "made")


def test_what_is_no_file_is_not_replaced_and_a_link_to_nothing_is_removed(ccm, me, server, tmp_path):
    place = tmp_path / "a.tar"
    os.mkfifo(place)
    text = f"{place} exists as a named pipe; cannot replace it by an archive"
    for words in (("--noop",), ()):
        assert text in ccm("ensure", "archive", place, server.url("/a.tar"), *words).out
    assert (place.is_fifo(), server.requests) == (True, [])
    place.unlink()
    place.symlink_to("nowhere")
    archive = {"name": str(place), "url": server.url("/a.tar"), "ensure": "absent", "owner": me[0], "group": me[1]}
    (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": [{"archive": archive}]}}))
    for word in (" changed ", " stable "):
        assert f"{word}ensure=absent" in ccm("apply", "m.yaml", "--no-report").out
        assert not os.path.lexists(place)


@pytest.mark.parametrize("mode", [0o755, 0])
def test_a_directory_is_neither_replaced_nor_removed_and_nothing_is_unpacked(ccm, me, server, tmp_path, mode):
    place, out = tmp_path / "a.tar", tmp_path / "out"
    place.mkdir(mode=mode)
    owned = {"name": str(place), "url": server.url("/a.tar"), "owner": me[0], "group": me[1]}
    unpacked = {"extract_parent": str(out), "creates": str(out / "f")}
    for more, what in (
        ({}, "replace it by an archive"),
        (unpacked, "replace it by an archive"),
        ({**unpacked, "cleanup": True}, "replace it by an archive"),
        ({"ensure": "absent"}, "remove it as an archive"),
    ):
        (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": [{"archive": {**owned, **more}}]}}))
        for words in (("apply", "m.yaml", "--noop", "--no-report"), ("plan", "m.yaml"), ("apply", "m.yaml")):
            assert f"{place} exists as a directory; cannot {what}" in ccm(*words).out
    assert (place.is_dir(), out.exists(), server.requests) == (True, False, [])


@pytest.mark.needs("root", "acl")
def test_who_a_list_lets_in_can_read_the_next_archive(ccm, server, tmp_path):
    place = tmp_path / "a.tar"
    words = ("ensure", "archive", place, server.url("/a.tar"), "--owner", "0:4243")
    for name, mode, expected in (("first", 0o600, 0o600), ("second", 0o640, 0o640), ("third", 0o664, 0o660)):
        tar(tmp_path / "served.tar", [(name, "x")])
        server.paths["/a.tar"] = (tmp_path / "served.tar").read_bytes()
        digest = hashlib.sha256(server.paths["/a.tar"]).hexdigest()
        if place.exists():
            os.setxattr(place, ACL, acl())
            place.chmod(mode)
        assert " changed " in ccm(*words, "--checksum", digest).out
        assert (place.read_bytes(), place.stat().st_mode & 0o7777) == (server.paths["/a.tar"], expected)
        assert " stable " in ccm(*words, "--checksum", digest).out
    entries = permissions(attributes(place)[ACL])
    assert entries == {OWNER: 6, USER: 6, OWNING_GROUP: 4, MASK: 6, OTHER: 0}


@pytest.mark.needs("root", "trusted_attributes", "user_attributes")
def test_a_replaced_archive_keeps_attributes_of_users(ccm, server, tmp_path):
    tar(tmp_path / "served.tar", [("f", "x")])
    server.paths["/a.tar"] = (tmp_path / "served.tar").read_bytes()
    place = tmp_path / "a.tar"
    place.write_text("old")
    os.setxattr(place, "user.k", b"v")
    os.setxattr(place, "trusted.k", b"v")
    digest = hashlib.sha256(server.paths["/a.tar"]).hexdigest()
    ran = ccm("ensure", "archive", place, server.url("/a.tar"), "--checksum", digest)
    assert (ran.status, place.read_bytes()) == (0, server.paths["/a.tar"])
    assert (list(attributes(place)), "attributes=trusted.k" in ran.out) == (["user.k"], True)

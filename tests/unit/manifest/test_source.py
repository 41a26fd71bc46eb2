# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests that are fetched: messages with the source and without passwords, and archives from web servers."""

from __future__ import annotations

import contextlib
import http.server
import io
import os
import tarfile
import threading

import pytest
from ccm.host.errors import HostError
from ccm.manifest.source import fetch_file, fetch_manifest
from ccm.model.errors import ManifestError
from ccm.model.log import Log
from ccm.testing import RecordedLog


class _Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(404 if self.path == "/gone" else 200)
        self.end_headers()
        self.wfile.write(b"<html>Log in</html>")

    def log_message(self, *_: object) -> None:
        return


@contextlib.contextmanager
def serving(handler):
    """Serve by a class of handlers; the value is the address without a scheme."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        try:
            yield f"127.0.0.1:{listening.server_port}"
        finally:
            listening.shutdown()


@pytest.fixture
def server():
    with serving(_Page) as address:
        yield f"joe:hunter2@{address}"


def _refusal(source: str) -> ManifestError:
    with pytest.raises(ManifestError) as refused:
        fetch_manifest(source, Log())
    assert "hunter2" not in f"{refused.value} {refused.value.advice} {refused.value.value}"
    return refused.value


@pytest.mark.parametrize("scheme", ["http", "HTTP"])
def test_a_refused_connection_is_reported(scheme: str) -> None:
    error = _refusal(f"{scheme}://joe:hunter2@127.0.0.1:1/x.tgz")
    lead = f"failed to fetch manifest from URL: {scheme}://REDACTED@127.0.0.1:1/x.tgz: "
    assert str(error).startswith(lead)
    assert "refused" in str(error)


def test_a_html_page_is_not_an_archive(server: str) -> None:
    error = _refusal(f"http://{server}/x.tgz")
    assert str(error) == "unzip failed: gzip: invalid header"
    assert error.advice == f"it came from http://REDACTED@{server.rpartition('@')[2]}/x.tgz"


def test_a_missing_page_is_reported(server: str) -> None:
    assert str(_refusal(f"http://{server}/gone")) == "HTTP request failed with status 404: 404 Not Found"


def test_a_missing_temporary_directory_is_reported(server: str, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TMPDIR", f"{tmp_path}/none")
    with pytest.raises(HostError, match=rf"^mkdir {tmp_path}/none/manifest-[0-9]+: no such file or directory$"):
        fetch_manifest(f"http://{server}/x.tgz", Log())


def test_a_directory_is_not_a_manifest(tmp_path) -> None:
    assert str(_refusal(str(tmp_path))) == f"read {tmp_path}: is a directory"


def test_an_unknown_scheme_is_refused() -> None:
    assert str(_refusal("ftp://joe:hunter2@h/x")) == "unsupported manifest source: ftp://REDACTED@h/x"


def test_a_child_that_is_a_pipe_or_a_device_is_refused_without_waiting(tmp_path) -> None:
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero"):
        with pytest.raises(ManifestError) as refused:
            fetch_file(path)
        assert str(refused.value) == f"open {path}: is not a regular file"


def test_a_manifest_is_read_from_a_pipe(tmp_path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"ccm: {}",), daemon=True)
    writer.start()
    assert fetch_manifest(str(pipe), Log()).text == b"ccm: {}"
    writer.join()


def test_an_endless_file_is_read_up_to_the_size_limit() -> None:
    assert str(_refusal("/dev/zero")) == "read /dev/zero: a manifest cannot be larger than 64 MiB"


def packed(name):
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as archive:
        info = tarfile.TarInfo(name)
        info.size = 4
        archive.addfile(info, io.BytesIO(b"{}\n\n"))
    return written.getvalue()


class Archives(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(packed(self.path.strip("/")))

    def log_message(self, *_given):
        return


@pytest.fixture
def archive_server():
    with serving(Archives) as address:
        yield f"http://{address}"


def test_the_directory_of_an_unpacked_manifest_is_logged(archive_server):
    log = RecordedLog()
    fetch_manifest(f"{archive_server}/manifest.yaml", log).remove_temporary()
    assert [line[:2] for line in log.lines] == [("INFO", "Using manifest from HTTP URL in temporary directory")]


def test_an_archive_without_a_manifest_is_refused(archive_server):
    with pytest.raises(ManifestError, match=r"manifest\.yaml not found in archive"):
        fetch_manifest(f"{archive_server}/other.yaml", Log())


def test_an_empty_source_is_refused():
    with pytest.raises(ManifestError) as caught:
        fetch_manifest("", Log())
    assert (str(caught.value), caught.value.advice) == ("source is required", "name a manifest file")


def test_an_object_needs_a_context():
    with pytest.raises(ManifestError, match=r"^nats context not set$"):
        fetch_manifest("obj://B/K", Log())

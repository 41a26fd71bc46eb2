# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Manifests that cannot be had: the message names where from, and never a password."""

from __future__ import annotations

import http.server
import os
import threading

import pytest
from ccm.host.errors import HostError
from ccm.manifest.source import fetch_file, fetch_manifest
from ccm.model.errors import ManifestError
from ccm.model.log import Log


class _Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(404 if self.path == "/gone" else 200)
        self.end_headers()
        self.wfile.write(b"<html>Log in</html>")

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Page) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield f"joe:hunter2@127.0.0.1:{listening.server_port}"
        listening.shutdown()


def _refusal(source: str) -> ManifestError:
    with pytest.raises(ManifestError) as refused:
        fetch_manifest(source, Log())
    assert "hunter2" not in f"{refused.value} {refused.value.advice} {refused.value.value}"
    return refused.value


@pytest.mark.parametrize("scheme", ["http", "HTTP"])
def test_nobody_answers(scheme: str) -> None:
    error = _refusal(f"{scheme}://joe:hunter2@127.0.0.1:1/x.tgz")
    lead = f"failed to fetch manifest from URL: {scheme}://REDACTED@127.0.0.1:1/x.tgz: "
    assert str(error).startswith(lead)
    assert "refused" in str(error)


def test_a_page_is_no_tarball(server: str) -> None:
    error = _refusal(f"http://{server}/x.tgz")
    assert str(error) == "unzip failed: gzip: invalid header"
    assert error.advice == f"it came from http://REDACTED@{server.rpartition('@')[2]}/x.tgz"


def test_a_page_that_is_not_there(server: str) -> None:
    assert str(_refusal(f"http://{server}/gone")) == "HTTP request failed with status 404: 404 Not Found"


def test_no_place_for_what_comes_from_a_server(server: str, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TMPDIR", f"{tmp_path}/none")
    with pytest.raises(HostError, match=rf"^mkdir {tmp_path}/none/manifest-[0-9]+: no such file or directory$"):
        fetch_manifest(f"http://{server}/x.tgz", Log())


def test_a_directory_is_no_manifest(tmp_path) -> None:
    assert str(_refusal(str(tmp_path))) == f"read {tmp_path}: is a directory"


def test_another_scheme() -> None:
    assert str(_refusal("ftp://joe:hunter2@h/x")) == "unsupported manifest source: ftp://REDACTED@h/x"


def test_a_child_that_is_a_pipe_or_a_device_is_refused_at_once(tmp_path) -> None:
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero"):
        with pytest.raises(ManifestError) as refused:
            fetch_file(path)
        assert str(refused.value) == f"open {path}: is not a regular file"


def test_a_manifest_comes_through_a_pipe(tmp_path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"ccm: {}",), daemon=True)
    writer.start()
    assert fetch_manifest(str(pipe), Log()).text == b"ccm: {}"
    writer.join()


def test_what_has_no_end_is_read_no_further_than_a_manifest_can_be_long() -> None:
    assert str(_refusal("/dev/zero")) == "read /dev/zero: a manifest cannot be larger than 64 MiB"

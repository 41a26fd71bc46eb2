# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests that come in archives from web servers."""

from __future__ import annotations

import http.server
import io
import tarfile
import threading

import pytest
from ccm.manifest.source import fetch_manifest
from ccm.model.errors import ManifestError
from ccm.model.log import Log


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


class Lines(Log):
    def __init__(self):
        self.seen = []

    def write(self, level, message, fields):
        self.seen.append((level, message))


@pytest.fixture
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Archives) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()


def test_where_a_manifest_was_unpacked_is_logged(server):
    log = Lines()
    fetch_manifest(f"{server}/manifest.yaml", log).remove_temporary()
    assert log.seen == [("INFO", "Using manifest from HTTP URL in temporary directory")]


def test_an_archive_without_a_manifest(server):
    with pytest.raises(ManifestError, match=r"manifest\.yaml not found in archive"):
        fetch_manifest(f"{server}/other.yaml", Log())


def test_no_source():
    with pytest.raises(ManifestError) as caught:
        fetch_manifest("", Log())
    assert (str(caught.value), caught.value.advice) == ("source is required", "name a manifest file")

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A server of one archive on this host, with ETag and date, redirects and credentials, and archives for it."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.server
import io
import tarfile
import threading
import zipfile

FILES = {"a": "{{ data.who }}\n", "sub/b": "b\n"}


def tarball(files, kind="gz", more=()):
    """Return a tar of texts by name, and of further TarInfos."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=f"w:{kind}") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
        for info in more:
            archive.addfile(info)
    return buffer.getvalue()


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class Server(http.server.ThreadingHTTPServer):
    """A server of one archive at every path, with the validators that it is given."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.data = tarball(FILES)
        self.validators = {"ETag": '"1"'}
        self.statuses = []
        self.requests = []
        self.credentials = None
        self.answer = None

    def url(self, name="t.tar.gz", user=""):
        return f"http://{user}127.0.0.1:{self.server_port}/{name}"

    def taken(self):
        """Return the statuses of the answers since the last call."""
        found, self.statuses = self.statuses, []
        return found


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.requests.append(dict(self.headers))
        wanted = "Basic " + base64.b64encode((server.credentials or "").encode()).decode()
        if server.answer:
            server.answer(self)
        elif server.credentials and self.headers.get("Authorization") != wanted:
            self.reply(401)
        elif server.validators and self.is_known():
            self.reply(304)
        else:
            self.reply(200, server.validators, server.data)

    def is_known(self):
        asked = {"ETag": self.headers.get("If-None-Match"), "Last-Modified": self.headers.get("If-Modified-Since")}
        return all(asked[name] == value for name, value in self.server.validators.items())

    def reply(self, status, headers=None, data=b"", announced=None):
        self.server.statuses.append(status)
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data) if announced is None else announced))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_arguments):
        pass


@contextlib.contextmanager
def running():
    """Run a server while the block runs."""
    server = Server()
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()

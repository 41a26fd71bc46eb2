# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""URLs of manifests and data are shown without passwords and without parameters with names of secrets (Q38)."""

from __future__ import annotations

import http.server
import io
import tarfile
import threading

import pytest

pytestmark = pytest.mark.needs("http")

GOOD = "ccm: {resources: [exec: {name: 'true'}]}\n"
COMMANDS = (
    ("apply", "--debug"),
    ("apply", "--debug", "--log-format", "json"),
    ("apply", "--render"),
    ("plan",),
    ("plan", "--json"),
    ("lint",),
    ("lint", "--json"),
)


def packed(manifest):
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as file:
        entry = tarfile.TarInfo("manifest.yaml")
        entry.size = len(manifest)
        file.addfile(entry, io.BytesIO(manifest.encode()))
    return archive.getvalue()


ANSWERS = {
    "ok.tgz": packed(GOOD),
    "wrong.tgz": packed("ccm: {resources: [exec: {name: 'true', comand: x}]}\n"),
    "broken.tgz": packed("ccm: [}\n"),
    "none.tgz": b"",
    "data.yaml": b"data: {a: 1}\n",
    "broken.yaml": b"data: [}\n",
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        answer = ANSWERS.get(self.path.partition("?")[0].strip("/"))
        self.send_response(404 if answer is None else 200)
        self.end_headers()
        self.wfile.write(answer or b"")

    def log_message(self, *_arguments):
        pass


@pytest.fixture
def address():
    """The beginning of the URL of each file on a server, with a password."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://u:canary@127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    "name",
    [pytest.param("ok.tgz", marks=pytest.mark.starts_processes), "wrong.tgz", "broken.tgz", "none.tgz", "missing.tgz"],
)
def test_the_url_of_a_manifest_is_shown_without_secrets(ccm, address, name):
    for command, *options in COMMANDS:
        ran = ccm(command, f"{address}{name}?a=b&token=canary", *options)
        assert f"{name}?a=b" in ran.out + ran.err or options == ["--render"], (command, options)
        assert "canary" not in ran.out + ran.err, (command, options)


@pytest.mark.parametrize(
    "name", [pytest.param("data.yaml", marks=pytest.mark.starts_processes), "broken.yaml", "missing.yaml"]
)
def test_the_url_of_data_is_shown_without_secrets(ccm, tmp_path, address, name):
    (tmp_path / "m.yaml").write_text(GOOD)
    hiera = ("--hiera", f"{address}{name}?a=b&token=canary")
    for command, *options in COMMANDS:
        ran = ccm(command, "m.yaml", *options, *hiera)
        assert "canary" not in ran.out + ran.err, (command, options)
    assert "source=" in ccm("apply", "m.yaml", "--debug", *hiera).err
    for words in (("hiera", "parse", hiera[1]), ("ensure", "exec", "true", "--debug", *hiera)):
        ran = ccm(*words)
        assert "canary" not in ran.out + ran.err, words


def test_a_url_of_an_unknown_scheme_is_shown_without_secrets(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(GOOD)
    address = "ftp://u:canary@127.0.0.1/x?token=canary"
    for words in (("apply", address), ("lint", address), ("lint", "--json", address), ("plan", "--json", address)):
        ran = ccm(*words)
        assert "token=REDACTED" in ran.out + ran.err, words
        assert "canary" not in ran.out + ran.err, words
    ran = ccm("apply", "m.yaml", "--hiera", address)
    assert "token=REDACTED" in ran.out + ran.err
    assert "canary" not in ran.out + ran.err

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives killed at random moments of download and extraction: nobody sees half of one, the next run makes it good.

CCM_KILLS is how often in all, 12 when it is not set. How many came between the first and the last system call that
writes is printed: then something hidden is left, which the first of them makes and the last one renames or removes.
"""

from __future__ import annotations

import functools
import hashlib
import http.server
import io
import os
import random
import shutil
import subprocess
import sys
import tarfile
import threading
import time

import pytest

pytestmark = pytest.mark.needs("http")

KILLS = int(os.environ.get("CCM_KILLS", "12"))
FILES = 120
NAMES = [f"app/d{number % 7}/f{number:03}" for number in range(FILES)] + ["top"]
CREATES = "app/d3/f003"


def content(name):
    return hashlib.sha256(name.encode()).digest() * 600


def packed():
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        for name in NAMES:
            info = tarfile.TarInfo(name)
            info.size = len(content(name))
            archive.addfile(info, io.BytesIO(content(name)))
    return buffer.getvalue()


class Slow(http.server.BaseHTTPRequestHandler):
    """Sends the archive in pieces, so that the download takes a while."""

    def __init__(self, data, *arguments):
        self.data = data
        super().__init__(*arguments)

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.data)))
        self.end_headers()
        step = len(self.data) // 20 + 1
        try:
            for at in range(0, len(self.data), step):
                self.wfile.write(self.data[at : at + step])
                time.sleep(0.003)
        except OSError:
            pass

    def log_message(self, *_arguments):
        pass


@pytest.fixture(scope="module")
def server():
    data = packed()
    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Slow, data))
    threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_port}/a.tar.gz", data
    running.shutdown()
    running.server_close()


class Place:
    """Where the archive goes and what it is asked for."""

    def __init__(self, directory, server, kind):
        self.url, self.data = server
        self.kind = kind
        self.downloads, self.out = directory / "dl", directory / "out"
        self.archive = self.downloads / "a.tar.gz"
        self.manifest = directory / "m.yaml"
        more = {
            "with creates": f"creates: {self.out}/{CREATES}",
            "without creates": "cleanup: false",
            "directory that it creates": f"creates: {self.out}, cleanup: true",
            "unpacking only": f"creates: {self.out}/{CREATES}, checksum: {hashlib.sha256(self.data).hexdigest()}",
        }[kind]
        entry = f"{{ensure: present, url: '{self.url}', extract_parent: {self.out}, {more}"
        owner = f"owner: '{os.geteuid()}', group: '{os.getegid()}'}}"
        self.manifest.write_text(f"ccm: {{resources: [{{archive: [{{{self.archive}: {entry}, {owner}}}]}}]}}\n")

    def reset(self):
        for folder in (self.downloads, self.out):
            shutil.rmtree(folder, ignore_errors=True)
        self.downloads.mkdir()
        if self.kind == "unpacking only":
            self.archive.write_bytes(self.data)

    def command(self):
        return [sys.executable, "-m", "ccm.cli", "apply", str(self.manifest), "--no-report"]

    def start(self):
        return subprocess.Popen(self.command(), stdout=subprocess.DEVNULL)

    def outcome(self):
        done = subprocess.run(self.command(), capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[-1].partition("archive#")[2].split()[1]

    def hidden(self):
        folders = [folder for folder in (self.downloads, self.out, self.out.parent) if folder.is_dir()]
        return [name for folder in folders for name in os.listdir(folder) if name.startswith(".")]

    def found(self):
        """How many files there are under their own names; each is whole, and so is the archive."""
        if self.archive.exists():
            assert self.archive.read_bytes() == self.data
        there = [name for name in NAMES if (self.out / name).exists()]
        for name in there:
            assert (self.out / name).read_bytes() == content(name), f"{name} is cut"
        if self.kind == "directory that it creates" and self.out.exists():
            assert len(there) == len(NAMES)
        elif (self.out / CREATES).exists() and "creates" in self.manifest.read_text():
            assert len(there) == len(NAMES), "what it creates came before the rest"
        return len(there)


KINDS = ["with creates", "without creates", "directory that it creates", "unpacking only"]


@pytest.mark.timeout(1200)
def test_no_moment_leaves_half_an_archive(tmp_path, server):
    chance = random.Random(KILLS)
    between = killed = turn = 0
    while killed < KILLS:
        turn += 1
        kind = KINDS[turn % len(KINDS)]
        directory = tmp_path / kind.replace(" ", "-")
        directory.mkdir(exist_ok=True)
        place = Place(directory, server, kind)
        place.reset()
        process = place.start()
        if turn % 5 == 0:
            time.sleep(chance.uniform(0, 0.5))
        else:
            while process.poll() is None and not place.hidden():
                time.sleep(0.0005)
            time.sleep(chance.uniform(0, 0.02 if kind == "unpacking only" else 0.12))
        process.kill()
        process.wait()
        killed += process.returncode == -9
        between += process.returncode == -9 and bool(place.hidden())
        place.found()
        place.outcome()
        assert place.found() == len(NAMES)
        assert place.hidden() == []
        assert place.archive.exists() == (kind != "directory that it creates")
        assert place.outcome() == "stable"
    print(f"{killed} killed, {between} between the first and the last system call that writes")
    assert between >= KILLS // 2

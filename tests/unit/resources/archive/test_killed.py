# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives killed at any step of download and extraction: no file is partial, and the next run completes.

The test prints how many kills came between the first and the last system call that writes. Such a kill leaves a
hidden file, because the first of these calls creates it and the last one renames or removes it.
"""

from __future__ import annotations

import functools
import hashlib
import http.server
import io
import os
import shutil
import signal
import tarfile
import threading
from pathlib import Path

import pytest

from tests.patience import LIMIT, PATIENCE, wait_until
from tests.seed import chance
from tests.unit.kills import ARE_MANY, KILLS, KilledRun, kill_before, signal_after, spread, status_after, steps_again

pytestmark = [pytest.mark.needs("http"), pytest.mark.starts_processes]

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


class PiecesHandler(http.server.BaseHTTPRequestHandler):
    """A server that sends the archive in pieces."""

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
        except OSError:
            pass

    def log_message(self, *_arguments):
        pass


@pytest.fixture(scope="module")
def server():
    data = packed()
    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(PiecesHandler, data))
    threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_port}/a.tar.gz", data
    running.shutdown()
    running.server_close()


class Place(KilledRun):
    """The target directory of the archive, and its properties."""

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

    def signal_during(self, folder, drawn, number):
        """Give a run a signal a little after it has begun to write below a folder; return its exit status."""
        process = self.start()
        wait_until(lambda: process.poll() is not None or (folder.is_dir() and os.listdir(folder)))
        return signal_after(process, drawn.uniform(0.001, 0.02), number)

    def outcome(self):
        return self.last_line().partition("archive#")[2].split()[1]

    def hidden(self):
        folders = [folder for folder in (self.downloads, self.out, self.out.parent) if folder.is_dir()]
        return [name for folder in folders for name in os.listdir(folder) if name.startswith(".")]

    def left(self):
        """Return the hidden files, without empty directories: a kill after the last rename leaves those."""
        folders = [folder for folder in (self.downloads, self.out, self.out.parent) if folder.is_dir()]
        hidden = [path for folder in folders for path in folder.iterdir() if path.name.startswith(".")]
        return [path.name for path in hidden if not path.is_dir() or any(map(Path.is_file, path.rglob("*")))]

    def found(self):
        """Return the number of visible files; each must be complete, and so must be the archive."""
        if self.archive.exists():
            assert self.archive.read_bytes() == self.data
        existing = [name for name in NAMES if (self.out / name).exists()]
        for name in existing:
            assert (self.out / name).read_bytes() == content(name), f"{name} is cut"
        if self.kind == "directory that it creates" and self.out.exists():
            assert len(existing) == len(NAMES)
        elif (self.out / CREATES).exists() and "creates" in self.manifest.read_text():
            assert len(existing) == len(NAMES), "what it creates came before the rest"
        return len(existing)


KINDS = ["with creates", "without creates", "directory that it creates", "unpacking only"]


@pytest.mark.soak
@pytest.mark.timeout(LIMIT + PATIENCE * KILLS)
def test_a_kill_at_any_moment_leaves_no_partial_archive(tmp_path, server):
    drawn = chance("archive")
    between = 0
    places, steps = {}, {}
    for kind in KINDS:
        directory = tmp_path / kind.replace(" ", "-")
        directory.mkdir()
        places[kind] = Place(directory, server, kind)
        last = len(steps_again(places[kind].reset, places[kind].words))
        steps[kind] = iter(spread(drawn, KILLS // len(KINDS) + 1, 1, last))
    for turn in range(KILLS):
        kind = KINDS[turn % len(KINDS)]
        place = places[kind]
        place.reset()
        step = next(steps[kind])
        if ARE_MANY and turn % 5 == 0:
            place.kill_after(drawn.uniform(0, 0.5))
        else:
            kill_before(step, place.words)
        between += bool(place.hidden())
        place.found()
        place.outcome()
        assert place.found() == len(NAMES)
        assert place.left() == []
        assert place.archive.exists() == (kind != "directory that it creates")
        assert place.outcome() == "stable"
    print(f"{KILLS} killed, {between} between the first and the last system call that writes")
    assert between >= KILLS // 2


def test_a_kill_in_the_last_step_leaves_no_downloaded_file(tmp_path, server):
    """With cleanup, the next run finds all files and downloads nothing."""
    place = Place(tmp_path, server, "directory that it creates")
    steps = len(steps_again(place.reset, place.words))
    for step in range(steps - 9, steps + 1):
        place.reset()
        kill_before(step, place.words)
        place.outcome()
        assert (place.found(), place.left()) == (len(NAMES), [])


@pytest.mark.soak
@pytest.mark.timeout(LIMIT + PATIENCE * KILLS)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_during_extraction_leaves_no_hidden_file(tmp_path, server, number):
    """Neither the download nor the extracted files are left; the same holds for a signal during the download."""
    drawn = chance("extraction", number)
    place = Place(tmp_path, server, KINDS[0])
    steps = len(steps_again(place.reset, place.words))
    for turn, step in enumerate(spread(drawn, KILLS // 4 + 1, 1, steps)):
        place = Place(tmp_path, server, KINDS[turn % 2])
        place.reset()
        if ARE_MANY and turn % 2:
            status = place.signal_during(place.downloads if turn % 3 == 2 else place.out, drawn, number)
        else:
            status = status_after(step, number, place.words)
        if status:
            assert (status, place.hidden()) == (130 if number == signal.SIGINT else -number, [])
        place.outcome()
        assert place.found() == len(NAMES)

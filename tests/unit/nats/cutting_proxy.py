# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A proxy between a client and a NATS server that cuts their connections after so many bytes."""

from __future__ import annotations

import contextlib
import socket
import threading

TO_CLIENT, TO_SERVER = "to the client", "to the server"
_PIECE = 1 << 16


class CuttingProxy:
    """Within `with` it takes connections at `port` and passes on what both sides say.

    `limits` has the number of bytes of a direction, over all connections, after which it cuts them; a direction without
    one has no limit. Unless it `lasts`, it takes no connection after that. `passed` has the bytes of each direction.
    """

    def __init__(self, port, limits=None, lasts=False):
        self.passed = {TO_CLIENT: 0, TO_SERVER: 0}
        self.is_cut = False
        self._server, self._limits, self._lasts = port, limits or {}, lasts
        self._lock = threading.Lock()
        self._sockets = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"nats://127.0.0.1:{self.port}"

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        _close(self._listener)
        self._cut()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _address = self._listener.accept()
                with self._lock:
                    is_refused = self.is_cut and not self._lasts
                if is_refused:
                    client.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self._server))
                with self._lock:
                    self._sockets += [client, server]
                for words in ((server, client, TO_CLIENT), (client, server, TO_SERVER)):
                    threading.Thread(target=self._pass_on, args=words, daemon=True).start()

    def _pass_on(self, source, target, direction):
        with contextlib.suppress(OSError):
            while True:
                piece = source.recv(_PIECE)
                if not piece:
                    break
                with self._lock:
                    limit = None if self.is_cut else self._limits.get(direction)
                    left = len(piece) if limit is None else limit - self.passed[direction]
                    piece, is_over = piece[:left], len(piece) > left
                    self.passed[direction] += len(piece)
                    self.is_cut = self.is_cut or is_over
                target.sendall(piece)
                if is_over:
                    self._cut()
                    return
        _close(source)
        _close(target)

    def _cut(self):
        with self._lock:
            sockets, self._sockets = self._sockets, []
        for each in sockets:
            _close(each)


def _close(found):
    with contextlib.suppress(OSError):
        found.shutdown(socket.SHUT_RDWR)
    found.close()

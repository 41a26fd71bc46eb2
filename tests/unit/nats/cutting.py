# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A proxy before a server that cuts connections off after so many bytes of the server."""

from __future__ import annotations

import contextlib
import socket
import threading


class Proxy:
    """Passes connections on to a port; `cut_after` bytes from the server each is cut, None for never.

    `passed` counts the bytes of the server that were passed on.
    """

    def __init__(self, port):
        self.cut_after = None
        self.passed = 0
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"nats://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _address = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._port))
                for work in (self._to_client, self._to_server):
                    threading.Thread(target=work, args=(client, server), daemon=True).start()

    def _to_server(self, client, server):
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                server.sendall(data)
        _end(client, server)

    def _to_client(self, client, server):
        left = self.cut_after
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                client.sendall(data if left is None else data[:left])
                self.passed += len(data)
                if left is not None:
                    left -= len(data)
                    if left <= 0:
                        break
        _end(client, server)

    def close(self):
        self._listener.close()


def _end(*connections):
    for connection in connections:
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        connection.close()

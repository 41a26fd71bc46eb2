# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A server that says what a test wants it to say, as no NATS server would."""

from __future__ import annotations

import contextlib
import json
import socket
import threading

INFO = {"server_id": "x", "version": "2.15.0", "proto": 1, "headers": True, "max_payload": 1 << 20, "jetstream": True}


@contextlib.contextmanager
def fake_server(answer, info=None):
    """Serve within `with`, which gets the port; `answer(say, line, payload)` is called for each line of a client.

    Without `info` it says who it is as servers do; bytes are sent as they are.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    connections = []

    def serve(connection):
        def say(data):
            with contextlib.suppress(OSError):
                connection.sendall(data)

        say(info if isinstance(info, bytes) else b"INFO " + json.dumps({**INFO, **(info or {})}).encode() + b"\r\n")
        with contextlib.suppress(OSError), connection.makefile("rb") as lines:
            for line in lines:
                payload = lines.read(int(line.split()[-1]) + 2)[:-2] if line.startswith((b"PUB", b"HPUB")) else b""
                if line == b"PING\r\n":
                    say(b"PONG\r\n")
                answer(say, line, payload)

    def accept():
        with contextlib.suppress(OSError):
            while True:
                connection, _address = listener.accept()
                connections.append(connection)
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.close()
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()


def silent(_say, _line, _payload):
    """Answer nothing."""


def answering(answer):
    """Return what answers each request: `answer(subject, payload)` returns headers as bytes, and a payload."""
    numbers = {}

    def react(say, line, payload):
        words = line.split()
        if words[0] == b"SUB":
            numbers[words[1].rstrip(b"*").rstrip(b".")] = words[-1]
        if (words[0], len(words)) in ((b"PUB", 4), (b"HPUB", 5)):
            reply = words[2]
            number = next(numbers[name] for name in numbers if reply.startswith(name))
            found = answer(words[1].decode(), payload)
            if found is None:
                return
            headers, content = found
            if headers:
                size = len(headers) + len(content)
                say(b"HMSG %s %s %d %d\r\n%s%s\r\n" % (reply, number, len(headers), size, headers, content))
            else:
                say(b"MSG %s %s %d\r\n%s\r\n" % (reply, number, len(content), content))

    return react

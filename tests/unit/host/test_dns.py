# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that cannot be resolved, and DNS servers with wrong or no responses: the messages."""

from __future__ import annotations

import contextlib
import socket
import threading

import pytest
from ccm.host.dns import addresses, records
from ccm.host.errors import HostError

pytestmark = pytest.mark.needs("http")

SECONDS = 5
HERE = b"\xc0\x0c"  # the name in the question


@contextlib.contextmanager
def serving(behind):
    """A DNS server that answers each question with one record; `behind` is the part after its name."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        place = server.getsockname()

        def serve():
            while True:
                question, peer = server.recvfrom(4096)
                if not question:
                    return
                server.sendto(question[:2] + b"\x81\x80\0\1\0\1\0\0\0\0" + question[12:] + behind, peer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"{place[0]}:{place[1]}"
        finally:
            server.sendto(b"", place)
            thread.join()


def record(kind, data, name=HERE):
    return name + bytes([0, kind, 0, 1, 0, 0, 0, 9, 0, len(data)]) + data


def test_addresses():
    with serving(record(1, b"\x0a\0\0\1")) as server:
        assert records("x.test", "A", server, SECONDS) == ["10.0.0.1"]
        assert records("x.test", "", server, SECONDS) == ["10.0.0.1"]


@pytest.mark.parametrize(
    "behind",
    [b"", record(1, b"\x0a\0\0\1")[:-2], record(1, b"\x0a\0\1"), record(1, b"", name=b"\xc0\x18")],
    ids=["nothing", "cut", "three bytes", "a name that leads to itself"],
)
def test_responses_that_cannot_be_parsed(behind):
    with serving(behind) as server, pytest.raises(HostError) as caught:
        records("x.test", "A", server, SECONDS)
    assert str(caught.value) == f"DNS server {server} gave an answer that cannot be read"


def test_without_another_thread_a_name_has_no_addresses(monkeypatch):
    def start(_thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(HostError, match="could not start a thread: resource temporarily unavailable"):
        addresses("localhost", SECONDS)


def test_no_response():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        server = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(HostError, match=r"^DNS lookup timed out \(50ms\)$"):
            records("x.test", "A", server, 0.05)
    with pytest.raises(HostError, match=f"^DNS server {server}: Connection refused$"):
        records("x.test", "A", server, SECONDS)


@pytest.mark.parametrize(
    ("name", "kind", "server", "message"),
    [
        ("a..b", "A", "127.0.0.1", "a..b is not a host name"),
        ("x" * 64, "AAAA", "127.0.0.1", f"{'x' * 64} is not a host name"),
        ("\xe9\udcff", "A", "127.0.0.1", "\xe9\udcff is not a host name"),
        ("x.test", "PTR", "127.0.0.1", "dns: unrecognized address: x.test"),
        ("x.test", "A", "a..b", "DNS server a..b is not a host name"),
        ("x.test", "A", "127.0.0.1:65536", "dial udp: address 65536: invalid port"),
        ("x.test", "A", f"a..b:{'0' * 5000}53", f"DNS server a..b:{'0' * 5000}53 is not a host name"),
        ("x.test", "", "[::1]:99999", "dial udp: address 99999: invalid port"),
        ("x.test", "A", f"127.0.0.1:{'9' * 5000}", f"dial udp: address {'9' * 5000}: invalid port"),
        ("x.test", "A", "127.0.0.1:\xb2", "DNS server 127.0.0.1:\xb2: Name or service not known"),
    ],
)
def test_invalid_names(name, kind, server, message):
    with pytest.raises(HostError) as caught:
        records(name, kind, server, 0.2)
    assert str(caught.value) == message

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of the network: a call returns all that there is, or an error, and it ends."""

from __future__ import annotations

import hashlib
import io
import threading

import pytest
from ccm.nats.client import Client
from ccm.nats.contexts import NatsContext
from ccm.nats.errors import NatsError
from ccm.nats.key_values import KeyValues
from ccm.nats.objects import Objects

from tests.patience import pause
from tests.tools.environment import whole_number
from tests.unit.nats.cutting_proxy import TO_CLIENT, CuttingProxy

pytestmark = pytest.mark.starts_processes

CONTENT = bytes(range(256)) * 1200
#: How often the server is killed, and at how many places an exchange is cut; `make soak` does more.
KILLS, CUTS = whole_number("CCM_SERVER_KILLS", 3), whole_number("CCM_CUTS", 5)


def get_object(client):
    file = io.BytesIO()
    Objects(client, "B").get("o", file, 1 << 24, lambda _done, _total: None)
    return file.getvalue()


def put_object(client):
    Objects(client, "B").put("new", io.BytesIO(CONTENT), hashlib.sha256(CONTENT).digest(), len(CONTENT))


def last(stream):
    return lambda client: [each.payload for each in client.last_per_subject(stream, [f"{stream}.>"], 1 << 24)]


def follow(client):
    feed = client.follow("direct", ["direct.>"], "last_per_subject", lasting=False)
    try:
        return [feed.read().payload for _ in range(40)]
    finally:
        feed.close()


EXCHANGES = {
    "value": lambda client: KeyValues(client, "B").get("k"),
    "value without direct get": lambda client: KeyValues(client, "C").get("k"),
    "object": get_object,
    "publish": put_object,
    "last messages": last("direct"),
    "last messages without direct get": last("plain"),
    "follow": follow,
}


@pytest.fixture
def filled(nats):
    connection = nats.connection
    connection.make_bucket("kv", "B")
    connection.make_bucket("kv", "C", allow_direct=False)
    connection.make_bucket("obj", "B")
    connection.put_object("B", "o", CONTENT)
    for bucket in "BC":
        connection.put_value(bucket, "k", b"value")
    for stream in ("direct", "plain"):
        settings = {"allow_direct": stream == "direct", "max_msgs_per_subject": 1}
        connection.api(f"STREAM.CREATE.{stream}", {"name": stream, "subjects": [f"{stream}.>"], **settings})
        for number in range(40):
            connection.publish(f"{stream}.{number}", b"%d" % number)
    return nats


def outcome(url, exchange):
    client = Client.open(NatsContext("X", {"url": url}), timeout=2)
    try:
        return exchange(client)
    finally:
        client.close()


@pytest.mark.soak
@pytest.mark.parametrize("name", EXCHANGES)
def test_a_connection_that_is_cut_off(filled, name):
    with CuttingProxy(filled.port) as proxy:
        wanted = outcome(proxy.url, EXCHANGES[name])
        total, failures = proxy.passed[TO_CLIENT], 0
    for cut in range(CUTS):
        with CuttingProxy(filled.port, {TO_CLIENT: total * cut // CUTS}) as proxy:
            try:
                assert outcome(proxy.url, EXCHANGES[name]) == wanted
            except NatsError as error:
                assert "127.0.0.1" in str(error) or "nats: " in str(error)
                failures += 1
    assert failures, "the cuts are within the exchange"
    assert outcome(filled.url, EXCHANGES[name]) == wanted


@pytest.mark.soak
def test_a_server_that_is_killed_again_and_again(own_nats_server):
    """All that is read in between is whole."""
    server = own_nats_server()
    server.connection.make_bucket("kv", "B")
    server.connection.make_bucket("obj", "B")
    server.connection.put_object("B", "o", CONTENT)
    server.connection.put_value("B", "k", b"value")
    ended, found, errors = threading.Event(), [], []

    def read():
        while not ended.is_set():
            for exchange in (get_object, EXCHANGES["value"]):
                try:
                    found.append(outcome(server.url, exchange) in (CONTENT, b"value"))
                except NatsError as error:
                    errors.append(str(error))

    thread = threading.Thread(target=read)
    thread.start()
    try:
        for _ in range(KILLS):
            count = len(found)
            while len(found) < count + 3 and thread.is_alive():
                pause()
            server.kill()
            server.start()
    finally:
        ended.set()
        thread.join()
    assert all(found)
    assert not [text for text in errors if "not found" in text], "nothing is missing, the server is away"

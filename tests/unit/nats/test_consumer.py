# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""An ordered consumer ends as soon as it misses a message, or hears what no server says."""

from __future__ import annotations

import asyncio
import json

import pytest
from ccm.nats.consumer import Consumer
from ccm.nats.contexts import NatsContext
from ccm.nats.errors import NatsError, NatsUnreachable
from ccm.nats.ordered import Feed


class Message:
    def __init__(self, reply="", status="", data=b"", **headers):
        self.subject, self.reply, self.data = "s.a", reply, data
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if status:
            self.headers["Status"] = status


class Connection:
    """A connection with a server that answers what it is asked for a consumer, and sends what a test says."""

    lost = None
    refusal = NatsError("nats: stream not found")

    async def subscribe(self, receive):
        self.receive = receive
        return "inbox"

    async def unsubscribe(self, _inbox):
        self.receive = None

    async def request(self, subject, payload, _seconds):
        if subject == "$JS.API.STREAM.INFO.S":
            raise self.refusal
        assert json.loads(payload)["config"]["deliver_subject"] == "inbox"
        return Message(data=b'{"num_pending": 2, "delivered": {"stream_seq": 7}}')

    async def during(self, _subject, work):
        return await work


def place(sequence, number, pending=0):
    return f"$JS.ACK.S.c.1.{sequence}.{number}.1700000000000000000.{pending}"


def run(*messages):
    """Return the payloads and the places for which the server waits; the consumer must end with an error."""
    received, paced = [], []

    async def work():
        connection = Connection()
        consumer = Consumer(connection, NatsContext("X", {}), received.append, paced.append)
        await consumer.begin("S", ("s.>",), {"deliver_policy": "all"}, 1)
        assert (consumer.left, consumer.last) == (2, 7)
        for message in messages:
            await connection.receive(message)
        try:
            await asyncio.wait_for(consumer.ended(), 0.05)
        except TimeoutError:
            return None
        except NatsError as error:
            return str(error)
        finally:
            await consumer.close()
            assert connection.receive is None

    said = asyncio.run(work())
    return [(each.sequence, each.payload) for each in received], paced, said


def test_messages_and_signs_of_life():
    stalled = {"Nats_Consumer_Stalled": "$JS.FC.2"}
    found = run(
        Message(place(9, 1, 1), data=b"1"),
        Message(status="100", reply="$JS.FC.1", Description="FlowControl Request"),
        Message(status="100", Description="Idle Heartbeat", Nats_Last_Consumer="1", **stalled),
        Message("$JS.ACK.domain.hash.S.c.1.12.2.1700000000000000000.0.random", data=b"2"),
    )
    assert found == ([(9, b"1"), (12, b"2")], ["$JS.FC.1", "$JS.FC.2"], None)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (Message(place(9, 2)), "a message was lost"),
        (Message(place(9, 1)[:-2]), "a message without its place came"),
        (Message("other.subject"), "a message without its place came"),
        (Message(place("x", 1)), "a message without its place came"),
        (Message(status="100", Nats_Last_Consumer="1"), "a message was lost"),
        (Message(status="409", Description="Consumer Deleted\x1b"), "409 Consumer Deleted\\x1b"),
    ],
)
def test_what_ends_it(message, text):
    assert run(message) == ([], [], f"nats: the consumer of stream S ended: {text}")


def test_silence_ends_it(monkeypatch):
    monkeypatch.setattr("ccm.nats.consumer._SILENCE", 0.01)
    assert run()[2] == "nats: the consumer of stream S ended: it was silent for 0.01 s"
    monkeypatch.setattr(Connection, "refusal", NatsUnreachable("nats: timeout"))
    assert run()[2] == "nats: timeout"


def test_a_request_to_go_on_is_no_end_of_what_comes():
    class Client:
        context = NatsContext("X", {})

        def __init__(self):
            self.connection, self.loop = Connection(), asyncio.get_running_loop()

        async def connected(self):
            return self.connection

        def send_later(self, subject):
            assert subject == "go.on"
            sent = self.connection.receive(Message(place(8, 1), data=b"next"))
            asyncio.run_coroutine_threadsafe(sent, self.loop)

        def do_later(self, _make):
            pass

    async def work():
        client = Client()
        feed = Feed(client, "S", ("s.>",), "all", lasting=False, timeout=1)
        await feed.begin()
        await client.connection.receive(Message("go.on", "100"))
        message = await client.loop.run_in_executor(None, feed.read, 5)
        nothing = await client.loop.run_in_executor(None, feed.read, 0)
        await feed._stop()
        return message.payload, nothing

    assert asyncio.run(work()) == (b"next", None)

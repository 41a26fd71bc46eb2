# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A type of another package whose provider keeps something, and has a source of events; it notes what becomes of both.

A resource is a file with a text. What is written to the FIFO `events` is an event: `0` is one that means nothing, `!`
makes the source fail, `s` makes it sleep, and `f` is never read.
"""

from __future__ import annotations

import os
import pathlib

from ccm.api import NOTHING, Decision, EventSource, Property, Provider, Relations, SimpleType, State, Step

from tests.patience import wait_until


def note(text):
    with open("notes", "a", encoding="utf-8") as notes:
        notes.write(f"{text}\n")


def sleep_until_the_test_ends():
    wait_until(lambda: not os.path.exists("m.yaml"))


class FeedState(State):
    type = "feed"


class FeedEvents(EventSource):
    def __init__(self):
        self._fd = os.open("events", os.O_RDWR | os.O_NONBLOCK)
        note("watch")

    def fileno(self):
        return self._fd

    def read(self):
        read = os.read(self._fd, 4096)
        if b"!" in read:
            raise RuntimeError("the text of an error may be a secret")
        if b"s" in read:
            sleep_until_the_test_ends()
        if b"f" in read:
            os.write(self._fd, b"f")
        return read != b"0"

    def close(self):
        os.close(self._fd)
        note("unwatch")


class FeedProvider(Provider):
    name = "file"

    def __init__(self, context):
        super().__init__(context)
        note("open")

    def begin(self, context):
        super().begin(context)
        note("begin")

    def close(self):
        note("close")
        if os.path.exists("unclosable"):
            raise RuntimeError
        if os.path.exists("endless"):
            sleep_until_the_test_ends()

    def watch(self, properties):
        if not os.path.exists("events"):
            return None
        if os.path.exists("refused"):
            raise OSError(111, "refused")
        return FeedEvents()

    def status(self, properties):
        path = pathlib.Path(properties.name)
        found = FeedState(
            properties.name,
            "present" if path.exists() else "absent",
            {"metadata": {"name": properties.name, "provider": self.name}},
        )
        found.text = path.read_text(encoding="utf-8") if path.exists() else ""
        note(f"status {properties.name} {dict(self.received(properties))}")
        return found

    def write(self, properties, state):
        pathlib.Path(properties.name).write_text(properties.text, encoding="utf-8")


class FeedRelations(Relations):
    poll_seconds = 0.1

    def watches(self, properties):
        return [os.path.abspath(properties.polled)] if properties.polled else []


class FeedType(SimpleType):
    """A file with a text."""

    name = "feed"
    contract = 1
    ensure_choices = ("present",)
    verbs = ("write",)
    providers = (FeedProvider,)
    own_properties = (
        Property("text", when="deferred", help="The text."),
        Property("polled", help="A path that is watched."),
    )
    relations = FeedRelations()
    call_timeout = 0.5

    def decide(self, state, properties, refresh):
        if state.ensure == "present" and state.text == properties.text:
            return NOTHING
        return Decision(Step("write", "Would have written", "Wrote"))


TYPE = FeedType()

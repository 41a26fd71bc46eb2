# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A type of another package that notes each call of its methods, and sleeps in the one that STALL names.

It sleeps for SECONDS, and in the first call only where that is given; then it says so. With POOL it waits for a thread
that sleeps.

What its resources manage are files in the directory `host`.
"""

from __future__ import annotations

import concurrent.futures
import os
import pathlib
import time

from ccm.api import (
    NOTHING,
    BatchProvider,
    Decision,
    Identity,
    Property,
    Relations,
    Reversal,
    SimpleType,
    State,
    Step,
)


def called(method):
    """Note a call, and sleep in it if that is wanted."""
    with open("called", "a", encoding="utf-8") as notes:
        notes.write(f"{method}\n")
    if method == os.environ.get("STALL"):
        seconds = float(os.environ.get("SECONDS", "1000"))
        if "POOL" in os.environ:
            concurrent.futures.ThreadPoolExecutor().submit(time.sleep, seconds).result()
        time.sleep(seconds)
        if "SECONDS" in os.environ:
            del os.environ["STALL"]
            print("printed late")


called("import")


class SlowState(State):
    type = "slow"

    def as_dict(self):
        called("as_dict")
        return super().as_dict()


class SlowProvider(BatchProvider):
    name = "host"
    batch_verbs = ("write",)

    def __init__(self, context):
        called("__init__")
        super().__init__(context)

    @classmethod
    def manageable(cls, facts, properties):
        called("manageable")
        return 1

    def found(self, properties):
        path = pathlib.Path("host", properties.name)
        state = SlowState(
            properties.name,
            "present" if path.exists() else "absent",
            {"metadata": {"name": properties.name, "provider": self.name}},
        )
        state.text = path.read_text(encoding="utf-8") if path.exists() else ""
        return state

    def status(self, properties):
        found = self.found(properties)
        called("status")
        self.user_log.info(f"{properties.name} is {found.ensure}")
        return found

    def status_after(self, properties, before):
        called("status_after")
        return self.found(properties)

    def act(self, verb, properties, before):
        called("act")
        super().act(verb, properties, before)

    def require_possible(self, verb, properties, state):
        called("require_possible")

    def drop_unfinished(self, properties):
        called("drop_unfinished")

    def differences(self, properties, state):
        called("differences")
        return [{"before": state.text, "after": properties.text, "before_header": "a", "after_header": "b"}]

    def write(self, properties, state):
        called("write")
        pathlib.Path("host", properties.name).write_text(properties.text, encoding="utf-8")

    def remove(self, properties, state):
        called("remove")
        pathlib.Path("host", properties.name).unlink()

    def partition(self, verb, acting, settled):
        called("partition")
        return [acting]

    def act_on_batch(self, verb, members):
        called("act_on_batch")
        for properties, _state in members:
            pathlib.Path("host", properties.name).write_text(properties.text, encoding="utf-8")


class SlowRelations(Relations):
    sends = (Property("text"),)

    def provides(self, properties):
        called("provides")
        return [Identity("thing", properties.name)]

    def installs(self, properties):
        called("installs")
        return []

    def wants(self, properties):
        called("wants")
        return []

    def watches(self, properties):
        called("watches")
        return [os.path.abspath(f"host/{properties.name}")]

    def watched_trees(self, properties):
        called("watched_trees")
        return []

    def watched_units(self, properties):
        called("watched_units")
        return []

    def only_refreshed(self, properties):
        called("only_refreshed")
        return {}

    def sent(self, properties, state):
        called("sent")
        return {"text": state.text}

    def observed(self, properties, state):
        called("observed")

    def determines(self, properties):
        called("relations.determines")
        return True

    def remains(self, properties):
        called("remains")
        return ""

    def is_there(self, state):
        called("is_there")
        return state.ensure != "absent"

    def content(self, properties, state):
        called("content")
        return ""


class SlowReversal(Reversal):
    def is_reversible(self, properties, state):
        called("is_reversible")
        return True

    def paths(self, properties, state):
        called("paths")
        return ()

    def parts(self, properties, state):
        called("parts")
        return {"ensure": state.ensure, "text": state.text}

    def undone(self, properties, parts):
        called("undone")
        return parts if parts["text"] else {"ensure": "absent"}


class SlowType(SimpleType):
    name = "slow"
    contract = 1
    call_timeout = float(os.environ.get("LIMIT", "600"))
    ensure_choices = ("present", "absent")
    verbs = ("write", "remove")
    providers = (SlowProvider,)
    own_properties = (
        Property("text", when="deferred"),
        Property("subscribe", "strings"),
    )
    relations = SlowRelations()
    reversible = True
    reversal = SlowReversal()

    def made(self, values):
        called("made")
        return super().made(values)

    def validate_own(self, properties):
        called("validate_own")

    def validate_late(self, properties):
        called("validate_late")
        super().validate_late(properties)

    def normalise(self, properties):
        called("normalise")

    def deferred_values(self, properties):
        called("deferred_values")
        return {}

    def derived_values(self, properties):
        called("derived_values")
        return {}

    def subscriptions(self, properties):
        called("subscriptions")
        return properties.subscribe

    def has_changed(self, before, after):
        called("has_changed")
        return True

    def determines(self, properties):
        called("determines")
        return super().determines(properties)

    def is_groupable(self, properties):
        called("is_groupable")
        return True

    def provider(self, name):
        called("provider")
        return super().provider(name)

    def decide(self, state, properties, refresh):
        called("decide")
        if state.ensure == properties.ensure and state.text == properties.text:
            return NOTHING
        verb = "write" if properties.ensure == "present" else "remove"
        return Decision(Step(verb, "Would have acted", "Acted"))

    def shortfall(self, state, properties):
        called("shortfall")
        return ""


TYPE = SlowType()

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A type of another package: probes, which are files that note each call of their provider.

What a probe does at its next tries is in the file NAME.plan, one word for each try: `fail` changes nothing and fails,
`half` writes `half` and fails, `echo` fails with its content as the reason, `slow` waits until its time is over. A try
without a word succeeds. A batch of which any member has a plan writes those before it, and fails.

The file `log` beside the probes gets a line for each call: the verb and the names. Before each verb the state between
runs is copied to `at-N`, where N is the number of the line.
"""

from __future__ import annotations

import os
import pathlib
import shutil

from ccm.api import (
    NOTHING,
    BatchProvider,
    Decision,
    Identity,
    Properties,
    Property,
    Relations,
    ResourceFailed,
    Reversal,
    SimpleType,
    State,
    Step,
)

ABSENT, PRESENT = "absent", "present"


class ProbeProperties(Properties):
    """The properties of a probe."""

    content: str
    source: str
    subscribe: list[str]
    alone: bool


class ProbeState(State):
    """What is in a probe."""

    type = "probe"


class ProbeProvider(BatchProvider):
    """Writes probes, and notes it."""

    name = "noting"
    batch_verbs = ("write", "remove")

    def status(self, properties):
        """Return what the file has."""
        self._note("status", [properties])
        path = pathlib.Path(properties.name)
        found = path.read_text(encoding="utf-8") if path.exists() else None
        metadata = {"name": properties.name, "provider": self.name, "content": found or ""}
        return ProbeState(properties.name, ABSENT if found is None else PRESENT, {"metadata": metadata})

    def differences(self, properties, state):
        """Return the content before and after."""
        headers = {"before_header": "before", "after_header": "after"}
        return [{"before": state.metadata["content"], "after": text_of(properties), **headers}]

    def write(self, properties, state):
        """Write the content."""
        self._begin("write", [properties])
        self._follow_plan(properties)
        pathlib.Path(properties.name).write_text(text_of(properties), encoding="utf-8")

    def remove(self, properties, state):
        """Remove the file."""
        self._begin("remove", [properties])
        pathlib.Path(properties.name).unlink()

    def refresh(self, properties, state):
        """Do nothing but note it."""
        self._begin("refresh", [properties])
        self._follow_plan(properties)

    def partition(self, verb, acting, settled):
        """Return all of them in one part."""
        return [acting]

    def act_on_batch(self, verb, members):
        """Write or remove all members, up to the first one with a plan."""
        self._begin(verb, [properties for properties, _state in members])
        for properties, _state in members:
            path = pathlib.Path(properties.name)
            if pathlib.Path(f"{properties.name}.plan").exists():
                raise ResourceFailed("the batch is refused")
            if verb == "write":
                path.write_text(text_of(properties), encoding="utf-8")
            else:
                path.unlink()

    def _note(self, verb, each):
        log = pathlib.Path(each[0].name).with_name("log")
        with open(log, "a", encoding="utf-8") as stream:
            stream.write(" ".join([verb, *(os.path.basename(properties.name) for properties in each)]) + "\n")
        return log

    def _begin(self, verb, each):
        log = self._note(verb, each)
        state = os.environ.get("CCM_STATE", "")
        if os.path.isdir(state):
            count = log.read_text(encoding="utf-8").count("\n")
            shutil.copytree(state, log.with_name(f"at-{count}"))

    def _follow_plan(self, properties):
        plan = pathlib.Path(f"{properties.name}.plan")
        words = plan.read_text(encoding="utf-8").split() if plan.exists() else []
        if not words:
            return
        if words[1:]:
            plan.write_text(" ".join(words[1:]), encoding="utf-8")
        else:
            plan.unlink()
        if words[0] == "half":
            pathlib.Path(properties.name).write_text("half", encoding="utf-8")
        elif words[0] == "slow":
            self.machine.pause(1000)
        raise ResourceFailed(f"no {text_of(properties)}" if words[0] == "echo" else f"planned: {words[0]}")


class ProbeRelations(Relations):
    """A probe provides its file, watches it and its source, and sends its content."""

    sends = (Property("content", help="What is in it."),)

    def provides(self, properties):
        """Return the file."""
        return [Identity("path", properties.name)]

    def watches(self, properties):
        """Return the file and the source."""
        return [path for path in (properties.name, properties.source) if path]

    def sent(self, properties, state):
        """Return the content."""
        return {"content": state.metadata["content"]}


class ProbeReversal(Reversal):
    """The file of a probe comes back."""

    def paths(self, properties, state):
        """Return the file."""
        return [properties.name]


class ProbeType(SimpleType):
    """Probes."""

    name = "probe"
    contract = 1
    ensure_choices = (PRESENT, ABSENT)
    verbs = ("write", "remove", "refresh")
    providers = (ProbeProvider,)
    properties_class = ProbeProperties
    relations = ProbeRelations()
    reversible = True
    reversal = ProbeReversal()
    own_properties = (
        Property("content", when="deferred", help="What is in it."),
        Property("source", when="deferred", help="The path of a file that has its content."),
        Property("subscribe", "strings", help="References whose change refreshes it."),
        Property("alone", "boolean", help="Whether it is in no group."),
    )
    state_fields = (Property("content", help="What is in it."),)

    def subscriptions(self, properties):
        """Return the references whose change refreshes it."""
        return properties.subscribe

    def is_groupable(self, properties):
        """Return whether it may be in a group."""
        return not properties.alone

    def decide(self, state, properties, refresh):
        """Write what differs; refresh what is as wanted."""
        if properties.ensure == ABSENT:
            return NOTHING if state.ensure == ABSENT else Decision(Step("remove", "Would have removed", "Removed"))
        if state.ensure == PRESENT and state.metadata["content"] == text_of(properties):
            step = Step("refresh", "Would have refreshed", "Refreshed")
            return Decision(step, refreshed=True, converged=True) if refresh else NOTHING
        return Decision(Step("write", "Would have written", "Wrote"), refreshed=refresh)


def text_of(properties):
    """Return what a probe has in the end."""
    return pathlib.Path(properties.source).read_text(encoding="utf-8") if properties.source else properties.content


TYPE = ProbeType()

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The provider contract: our own types fulfil it, and faults are found. Packages and services: tests/hosts."""

from __future__ import annotations

import hashlib
import re
import shutil
import types

import pytest
from ccm.model.batch_provider import BatchProvider
from ccm.model.decision import NOTHING, Decision, Step
from ccm.model.errors import InvalidResource, ResourceFailed
from ccm.model.facets import Identity, Relations, Reversal
from ccm.model.property import Property
from ccm.model.provider import Provider
from ccm.model.resource import Properties, ResourceType
from ccm.model.simple_type import SimpleType
from ccm.model.state import State
from ccm.resources.types import resource_type
from ccm.testing import check_provider

from tests.unit.host.archives.test_unpack import tar
from tests.unit.host.test_http import server

__all__ = ["server"]  # a fixture


def test_files(tmp_path, me):
    common = {"name": str(tmp_path / "f"), "owner": me[0], "group": me[1]}
    steps = [
        {**common, "ensure": "present", "content": "a\n", "mode": "0644"},
        {**common, "ensure": "present", "content": "a\n", "mode": "0600"},
        {**common, "ensure": "present", "mode": "0640"},
        {**common, "ensure": "absent"},
        {**common, "ensure": "directory", "mode": "0755"},
        {**common, "ensure": "link", "target": "g", "force": True},
        {**common, "ensure": "absent"},
        {**common, "ensure": "directory", "source": str(tmp_path / "from"), "recurse": True},
    ]
    (tmp_path / "from").mkdir()
    (tmp_path / "from/a").write_text("x", encoding="utf-8")
    check_provider(resource_type("file"), steps)


@pytest.mark.starts_processes
def test_commands(tmp_path):
    path = tmp_path / "made"
    check_provider(resource_type("exec"), [{"name": f"/usr/bin/touch {path}", "creates": str(path)}])


def test_scaffolds(tmp_path):
    common = {"name": str(tmp_path / "out"), "source": str(tmp_path / "in"), "engine": "go"}
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a").write_text("{{ 1 }}", encoding="utf-8")
    steps = [{**common, "ensure": "present"}, {**common, "ensure": "absent", "purge": True}]
    check_provider(resource_type("scaffold"), steps)


@pytest.mark.needs("http", "root")
def test_archives(server, tmp_path):
    tar(tmp_path / "served.tar", [("app/run", "x")])
    server.paths["/a.tar"] = (tmp_path / "served.tar").read_bytes()
    archive, out = tmp_path / "a.tar", tmp_path / "out"
    common = {"name": str(archive), "ensure": "present", "url": server.url("/a.tar"), "owner": "root", "group": "root"}
    common["password"] = "canary"
    unpacked = {**common, "extract_parent": str(out), "creates": str(out / "app/run")}
    steps = [
        common,
        {**common, "ensure": "absent"},
        unpacked,
        {**unpacked, "owner": "daemon", "checksum": digest(tmp_path / "served.tar")},
        lambda: shutil.rmtree(out),
        {**unpacked, "cleanup": True},
    ]
    check_provider(resource_type("archive"), steps)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class EntryState(State):
    type = "entry"


class EntryProvider(Provider):
    """Keeps entries in `entries`; `fault` is what it does wrong."""

    name = "memory"

    def status(self, properties):
        if self.entries.fault == "status changes":
            self.machine.record_change()
        if self.entries.fault == "noop changes" and self.entries:
            self.entries[properties.name] += "."
        text = self.entries.get(properties.name)
        ensure = "absent" if text is None else "present"
        found = {"name": properties.name, "provider": self.name, "text": text or ""}
        if self.entries.fault == "undeclared":
            found["size"] = 1
        return EntryState(properties.name, ensure, {"metadata": found})

    def write(self, properties, state):
        self.user_log.info("Writing", token=properties.token if self.entries.fault == "secret" else "")
        self.entries[properties.name] = "" if self.entries.fault == "second run" else properties.text

    def remove(self, properties, state):
        if self.entries.fault == "error":
            del self.entries["unknown"]
        self.entries.pop(properties.name)

    def differences(self, properties, state):
        both = {"before": "", "after": "", "before_header": "", "after_header": ""}
        return [both] if self.entries.fault == "differences" else []


class EntryType(SimpleType):
    name = "entry"
    contract = 1
    ensure_choices = ("present", "absent")
    verbs = ("write", "remove")
    own_properties = (Property("text"), Property("token", secret=True))
    state_fields = (Property("text"),)

    def __init__(self, entries):
        self.entries = entries
        self.providers = (type("Entries", (EntryProvider,), {"entries": entries}),)
        self.provider_names = ("memory",)

    def decide(self, state, properties, refresh):
        fault = self.entries.fault
        if fault == "decide":
            state.ensure = properties.ensure
        if state.ensure == properties.ensure and state.metadata["text"] == properties.text:
            return NOTHING
        verb = "write" if properties.ensure == "present" else "remove"
        return Decision(Step(verb, "" if fault == "message" else f"Would {verb}", "Done"))

    def shortfall(self, state, properties):
        return "" if self.entries.fault in ("second run", "noop changes") else super().shortfall(state, properties)

    def has_changed(self, before, after):
        return self.entries.fault != "change"


class Entries(dict):
    fault = ""


STEPS = [
    {"name": "a", "ensure": "present", "text": "x", "token": "canary"},
    {"name": "a", "ensure": "absent"},
]


def test_a_provider_without_faults():
    check_provider(EntryType(Entries()), STEPS)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("status changes", "step 1: a command that can change the host ran in noop"),
        ("noop changes", "noop changed the state from"),
        ("undeclared", "step 1: the field size of the state is none of state_fields"),
        ("decide", "step 1: decide changed the state or the properties"),
        ("error", "step 2: remove of the provider memory of the tested package raised KeyError in line"),
        ("differences", "step 1: a converged resource has differences: "),
        ("message", "step 1: noop has no message"),
        ("change", "step 1: the run did not report a change"),
    ],
)
def test_a_fault_of_a_provider_is_found(fault, message):
    entries = Entries(b="")
    entries.fault = fault
    steps = STEPS
    if fault == "noop changes":
        steps = [{"name": "b", "ensure": "present", "text": "canary"}]
    with pytest.raises(AssertionError, match=re.escape(message)):
        check_provider(EntryType(entries), steps)


class PlainType(ResourceType):
    """A type as the built-in ones are: what it logs is not hidden for it."""

    name = "entry"
    verbs = EntryType.verbs
    own_properties = EntryType.own_properties
    default_ensure = "present"
    provider_names = ("memory",)
    properties_class = Properties

    def __init__(self, entries):
        self.entry_type = EntryType(entries)

    def provider(self, name):
        return self.entry_type.providers[0]

    def decide(self, state, properties, refresh):
        return self.entry_type.decide(state, properties, refresh)

    def shortfall(self, state, properties):
        return ""


def test_a_secret_that_is_shown_is_found():
    entries = Entries(b="")
    entries.fault = "secret"
    with pytest.raises(AssertionError, match="step 1: the value of a secret property is shown in the log"):
        check_provider(PlainType(entries), STEPS)


class WatchState(State):
    type = "watch"


class WatchProvider(Provider):
    name = "memory"

    def status(self, properties):
        return WatchState(properties.name, "present", {"metadata": {"name": properties.name, "provider": self.name}})


class WatchRelations(Relations):
    sends = (Property("name"),)

    def sent(self, properties, state):
        return [1] if properties.name == "sending" else {"name": properties.name}


class WatchType(SimpleType):
    """A type that only looks: it has no verbs."""

    name = "watch"
    contract = 1
    ensure_choices = ("present",)
    verbs = ()
    providers = (WatchProvider,)
    relations = WatchRelations()

    def decide(self, state, properties, refresh):
        if properties.name == "wrong":
            raise ResourceFailed("it is wrong")
        return Decision(Step("look", "Would have looked", "Looked")) if properties.name == "acting" else NOTHING


def test_a_type_that_never_acts():
    check_provider(WatchType(), [{"name": "a"}, {"name": "b"}])
    with pytest.raises(AssertionError, match="step 1: it is wrong"):
        check_provider(WatchType(), [{"name": "wrong"}])
    with pytest.raises(AssertionError, match="returned the verb look, which is none of the type: "):
        check_provider(WatchType(), [{"name": "acting"}])
    with pytest.raises(AssertionError, match=r"step 1: sent of the relations of .* returned list, not Mapping"):
        check_provider(WatchType(), [{"name": "sending"}])


class EntryRelations(Relations):
    """The relations of entries, with faults."""

    sends = (Property("text"),)

    def __init__(self, fault=""):
        self.fault = fault

    def provides(self, properties):
        return [Identity("entry", properties.name)]

    def watches(self, properties):
        if self.fault == "properties":
            properties.text = "other"
        return "/etc/entries" if self.fault == "text" else ["/etc/entries"]

    def sent(self, properties, state):
        value = 5 if self.fault == "kind of sent" else state.metadata["text"]
        return {"size" if self.fault == "sent" else "text": value}


class EntryReversal(Reversal):
    """The reversal of entries, with a fault."""

    def __init__(self, fault=""):
        self.fault = fault

    def parts(self, properties, state):
        return {"ensure": state.ensure, "text": state.metadata["text"]}

    def undone(self, properties, parts):
        if self.fault == "value":
            return {**parts, "ensure": 1}
        if self.fault == "name":
            return {**parts, "txt": "x"}
        return {**parts, "text": "wrong"} if self.fault and parts["text"] else parts


def with_parts(relations="", reversal=""):
    found = EntryType(Entries())
    found.relations, found.reversal, found.reversible = EntryRelations(relations), EntryReversal(reversal), True
    return found


TWO_TEXTS = [STEPS[0], {**STEPS[0], "text": "y"}, STEPS[1]]


def test_relations_and_a_reversal_without_faults():
    check_provider(with_parts(), TWO_TEXTS)


@pytest.mark.parametrize(
    ("relations", "reversal", "message"),
    [
        (
            "text",
            "",
            "step 1: watches of the relations of the type entry of the tested package returned str, not list or tuple",
        ),
        ("properties", "", "step 1: watches changed the properties"),
        ("sent", "", "step 1: sent of the relations of the type entry of the tested package returned size, which is"),
        ("kind of sent", "", "tested package returned text as int, which sends declares as string"),
        ("", "value", "step 1: undoing it: failed to reach desired state: 1: still to do: remove"),
        ("", "name", "step 1: undone returns txt, which is no property of the type and none of its undo_properties"),
        ("", "wrong", "step 2: what is undone leaves {'ensure': 'present', 'text': 'wrong'}, it was"),
    ],
)
def test_a_fault_of_relations_and_of_a_reversal_is_found(relations, reversal, message):
    with pytest.raises(AssertionError, match=re.escape(message)):
        check_provider(with_parts(relations, reversal), TWO_TEXTS)


def test_each_step_does_something_and_each_verb_is_needed():
    with pytest.raises(AssertionError, match="no step needed the verb remove: add one that does"):
        check_provider(EntryType(Entries()), STEPS[:1])
    with pytest.raises(AssertionError, match="step 2: nothing would be done: the state is already the wanted one"):
        check_provider(EntryType(Entries()), [STEPS[0], STEPS[0]])
    entries = Entries()
    entries.fault = "second run"
    with pytest.raises(AssertionError, match="step 1: a second run would do write"):
        check_provider(EntryType(entries), STEPS)


@pytest.mark.parametrize(
    ("steps", "error", "message"),
    [
        ([{"name": "a", "txt": "x"}], InvalidResource, 'unknown property "txt" in entry, did you mean "text"?'),
        ([{"name": "a", "text": ["x"]}], InvalidResource, "text must be text, not a list"),
        ({"name": "a"}, AssertionError, "steps must be a list of mappings and functions, not a dict"),
        (["a"], AssertionError, "step 1 must be a mapping, a list of mappings or a function, not a str"),
    ],
)
def test_steps_that_cannot_be_used(steps, error, message):
    with pytest.raises(error, match=re.escape(message)):
        check_provider(EntryType(Entries()), steps)


def test_the_cause_of_a_fault_is_kept():
    """Its text can have secrets, so no event has it; the author of a type sees it in the test."""
    entries = Entries(a="x")
    entries.fault = "error"
    with pytest.raises(AssertionError) as caught:
        check_provider(EntryType(entries), [STEPS[1]])
    assert repr(caught.value.__cause__.__cause__) == "KeyError('unknown')"


def test_a_type_that_was_made_with_another_copy_is_refused():
    found = types.SimpleNamespace(name="entry", contract=1)
    with pytest.raises(InvalidResource, match="another copy of ccm was imported before types, which uses that one"):
        check_provider(found, STEPS)


def test_a_type_that_the_command_refuses_is_refused():
    broken = EntryType(Entries())
    broken.contract = 7
    with pytest.raises(InvalidResource, match="it is for contract 7, and this is contract 1"):
        check_provider(broken, STEPS)
    broken = SimpleType.__new__(type("Other", (EntryType,), {"contract": None}))
    with pytest.raises(InvalidResource, match="write contract = 1 in the class"):
        check_provider(broken, STEPS)


class BatchEntries(EntryProvider, BatchProvider):
    """Writes several entries at once, with a fault."""

    batch_verbs = ("write",)

    def partition(self, verb, acting, settled):
        if self.entries.fault == "apart":
            return [[each] for each in acting]
        return acting if self.entries.fault == "flat" else [acting]

    def act_on_batch(self, verb, members):
        if self.entries.fault == "cannot":
            raise ResourceFailed("the disk is full")
        if self.entries.fault == "raises":
            raise KeyError(members[0][0].token)
        for properties, state in members[: 1 if self.entries.fault == "half" else None]:
            self.write(properties, state)


class BatchType(EntryType):
    groupable = True

    def __init__(self, entries):
        super().__init__(entries)
        self.providers = (type("Entries", (BatchEntries,), {"entries": entries}),)

    def is_groupable(self, properties):
        return self.groupable


BATCH = [{"name": name, "ensure": "present", "text": "x", "token": "canary"} for name in "bc"]


def test_batches_without_faults():
    check_provider(BatchType(Entries()), [*STEPS, BATCH])


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("flat", "step 3: partition of the provider memory of the tested package returned a list of Properties, not a"),
        ("raises", "step 3: act_on_batch of the provider memory of the tested package raised KeyError in line"),
        ("cannot", "step 3: the disk is full"),
        ("half", "step 3: after a batch, a run of c would do write"),
        ("apart", "step 3: partition puts each resource into a list of its own"),
    ],
)
def test_a_fault_of_a_batch_is_found(fault, message):
    entries = Entries()
    entries.fault = fault
    with pytest.raises(AssertionError, match=re.escape(message)):
        check_provider(BatchType(entries), [*STEPS, BATCH])


def test_a_type_with_batches_needs_one():
    with pytest.raises(AssertionError, match="no step did a batch of the verb write: add a list"):
        check_provider(BatchType(Entries()), STEPS)
    alone = BatchType(Entries())
    alone.groupable = False
    check_provider(alone, STEPS)
    with pytest.raises(AssertionError, match="step 1: there are no batches of the verb write, or"):
        check_provider(alone, [[{**each, "name": each["name"] + "2"} for each in BATCH]])
    with pytest.raises(AssertionError, match="step 3: the resources of a batch do not need the same single verb"):
        check_provider(BatchType(Entries()), [*STEPS, [BATCH[0], STEPS[1]]])


class TalkingEntries(BatchEntries):
    def act_on_batch(self, verb, members):
        self.user_log.info(members[0][0].token)
        super().act_on_batch(verb, members)


class PlainBatchType(PlainType):
    def provider(self, name):
        return type("Entries", (TalkingEntries,), {"entries": self.entry_type.entries})

    def is_groupable(self, properties):
        return True


def test_a_secret_that_a_batch_shows_is_found():
    with pytest.raises(AssertionError, match="step 1: the value of a secret property is shown"):
        check_provider(PlainBatchType(Entries()), [BATCH])

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A type of another package: slots, which are small files that are written several at once."""

from __future__ import annotations

import pathlib
from typing import ClassVar

from ccm.api import (
    NOTHING,
    BatchProvider,
    Decision,
    Identity,
    InvalidResource,
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


class SlotProperties(Properties):
    """The properties of a slot."""

    content: str
    colour: str
    words: list[str]
    subscribe: list[str]


class SlotState(State):
    """What is in a slot."""

    type = "slot"


class SlotProvider(BatchProvider):
    """Writes slots. One with the content `refused` cannot be written, and spoils the batch that it is in.

    One with the content `stuck` is written at the third try only. One with the content `lost` is not there afterwards,
    and one with the content `impossible` must not be written.
    `batches` has the sizes of all batches.
    """

    name = "shelf"
    batch_verbs = ("write", "remove")
    batches: ClassVar[list[int]] = []

    def status(self, properties):
        """Return what the file has."""
        path = pathlib.Path(properties.name)
        found = path.read_text(encoding="utf-8") if path.exists() else None
        metadata = {"name": properties.name, "provider": self.name, "content": found or ""}
        return SlotState(properties.name, ABSENT if found is None else PRESENT, {"metadata": metadata})

    def require_possible(self, verb, properties, state):
        """Refuse the content `impossible`."""
        if verb == "write" and properties.content == "impossible":
            raise ResourceFailed("this host has no room for it")

    def differences(self, properties, state):
        """Return the content that the file has now, and the new one."""
        path = pathlib.Path(properties.name)
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        headers = {"before_header": "before", "after_header": "after"}
        return [{"before": before, "after": text_of(properties), **headers}]

    def write(self, properties, state):
        """Write the content."""
        if properties.content == "refused" or (properties.content == "stuck" and self._tries(properties) < 3):
            raise ResourceFailed(f"{properties.content} is not written")
        if properties.content != "lost":
            pathlib.Path(properties.name).write_text(text_of(properties), encoding="utf-8")

    def _tries(self, properties):
        """Note one more try in a file beside the slot; return how many there were."""
        with open(f"{properties.name}.tries", "a+", encoding="utf-8") as stream:
            stream.write("+")
            stream.seek(0)
            return len(stream.read())

    def refresh(self, properties, state):
        """Count the refreshes in a file beside the slot."""
        with open(f"{properties.name}.refreshed", "a", encoding="utf-8") as stream:
            stream.write("+")

    def remove(self, properties, state):
        """Remove the file."""
        pathlib.Path(properties.name).unlink()

    def partition(self, verb, acting, settled):
        """Return all of them in one part; nothing, against the contract, where one has the content `unsplit`."""
        return [] if any(each.content == "unsplit" for each in acting) else [acting]

    def act_on_batch(self, verb, members):
        """Do the verb for each member; stop at the first that fails. Raise KeyError for the content `broken`."""
        self.batches.append(len(members))
        if any(properties.content == "broken" for properties, _state in members):
            raise KeyError(members[0][0].token)
        if any(properties.content == "told" for properties, _state in members):
            raise ResourceFailed(f"not with {members[0][0].token}")
        for properties, state in members:
            getattr(self, verb)(properties, state)


class SlotRelations(Relations):
    """A slot provides its file, and sends its content."""

    sends = (Property("content", help="What is in it."),)

    def provides(self, properties):
        """Return the file."""
        return [Identity("path", properties.name)]

    def sent(self, properties, state):
        """Return the content."""
        return {"content": state.metadata["content"]}


class SlotReversal(Reversal):
    """The file of a slot comes back."""

    def paths(self, properties, state):
        """Return the file."""
        return [properties.name]


class SlotType(SimpleType):
    """Slots."""

    name = "slot"
    contract = 1
    ensure_choices = (PRESENT, ABSENT)
    verbs = ("write", "remove", "refresh")
    providers = (SlotProvider,)
    properties_class = SlotProperties
    relations = SlotRelations()
    reversible = True
    reversal = SlotReversal()
    own_properties = (
        Property("content", when="deferred", required=True, help="What is in it."),
        Property("colour", when="deferred", choices=("red", "blue"), help="Its colour."),
        Property("words", "strings", when="deferred", pattern="^[a-z]+$", help="More words."),
        Property("link", when="deferred", pattern="^/", help="A path that leads to it."),
        Property("mode", "mode", when="deferred", help="Its permissions."),
        Property("token", when="deferred", secret=True, help="A secret."),
        Property("size", "integer", secret=True, maximum=9, help="A secret number."),
        Property("subscribe", "strings", help="References whose change refreshes it."),
    )
    state_fields = (Property("content", help="What is in it."),)

    def validate_own(self, properties):
        """Refuse contents that begin with a dash."""
        if properties.content.startswith("-"):
            raise InvalidResource(f"content must not begin with a dash: {properties.content}", property="content")
        if properties.token == "wrong":
            raise InvalidResource(
                "this is no token", property="token", value=properties.token, advice=f"not {properties.token}"
            )

    def derived_values(self, properties):
        """Return the words of a slot that has none, for the content `derived`."""
        return {"words": ["itself"]} if properties.content == "derived" and not properties.words else {}

    def subscriptions(self, properties):
        """Return the references whose change refreshes it."""
        return properties.subscribe

    def is_groupable(self, properties):
        """Allow a group for each slot, also for one that subscribes. Fail for the content `unsure`."""
        return {"unsure": None}.get(properties.content, True)

    def decide(self, state, properties, refresh):
        """Write what differs; refresh what is as wanted."""
        if properties.ensure == ABSENT:
            return NOTHING if state.ensure == ABSENT else Decision(Step("remove", "Would have removed", "Removed"))
        if state.ensure == PRESENT and state.metadata["content"] == text_of(properties):
            if refresh:
                step = Step("refresh", "Would have refreshed", "Refreshed")
                return Decision(step, refreshed=True, converged=True)
            return NOTHING
        return Decision(Step("write", "Would have written", "Wrote"))


def text_of(properties):
    """Return what a slot has in the end."""
    return " ".join(filter(None, [properties.content, properties.colour, *properties.words]))


TYPE = SlotType()

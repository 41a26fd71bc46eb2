# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A resource type that needs no host: a lamp that is on or off."""

from typing import ClassVar

from ccm.engine.context import Context
from ccm.engine.session import Session
from ccm.engine.transaction import run_transaction
from ccm.model.decision import NOTHING, Decision, Step
from ccm.model.errors import ResourceFailed
from ccm.model.property import Property
from ccm.model.provider import Provider
from ccm.model.resource import Properties, Resource, ResourceType, complete
from ccm.model.state import State


class LampState(State):
    type = "lamp"


class LampProvider(Provider):
    """Keeps the states of lamps in a class attribute. A lamp named broken stays off, one named shorted fails."""

    name = "bulb"
    lit: ClassVar[dict] = {}

    def status(self, properties):
        return LampState(properties.name, "on" if self.lit.get(properties.name) else "off")

    def switch_on(self, properties, state):
        if properties.name == "shorted":
            raise ResourceFailed("fuse blown")
        self.lit[properties.name] = properties.name != "broken"

    def switch_off(self, properties, state):
        self.lit[properties.name] = False


class NeonProvider(LampProvider):
    """A provider with the priority of the bulb; it is chosen before the bulb on the platform family `sign`."""

    name = "neon"
    platform_families = ("sign",)


class CandleProvider(LampProvider):
    """A provider that is manageable only where there is wax."""

    name = "candle"

    @classmethod
    def manageable(cls, facts, properties):
        return 5 if facts().get("wax") else "there is no wax"


PROVIDERS = {found.name: found for found in (LampProvider, NeonProvider, CandleProvider)}


class LampType(ResourceType):
    """The resource type of lamps."""

    name = "lamp"
    default_ensure = "on"
    provider_names = ("bulb",)
    stable_after_change = True
    verbs = ("switch_off", "switch_on")
    properties_class = Properties
    own_properties = (Property("subscribe", "strings"),)

    def provider(self, name):
        return PROVIDERS[name]

    def subscriptions(self, properties):
        return properties.subscribe

    def decide(self, state, properties, refresh):
        if refresh:
            return Decision(Step("switch_off", "Would have blinked", "Blinked"), Step("switch_on"), refreshed=True)
        if state.ensure == properties.ensure:
            return NOTHING
        verb = "switch_on" if properties.ensure == "on" else "switch_off"
        return Decision(Step(verb, f"Would have switched {properties.ensure}", f"Switched {properties.ensure}"))

    def shortfall(self, state, properties):
        return "" if state.ensure == properties.ensure else f"{properties.ensure}: lamp is {state.ensure}"


LAMP = LampType()


def lamp(name, type=LAMP, **given):
    return Resource(type, type.made(complete(type, {"name": name, **given})))


def context(**given):
    LampProvider.lit = {}
    return Context(given.pop("session", None) or Session(), **given)


def record(session, name, **given):
    """Manage a lamp, record its event in a session, and return the event."""
    event = run_transaction(lamp(name, **given), context(session=session))
    session.record(event)
    return event

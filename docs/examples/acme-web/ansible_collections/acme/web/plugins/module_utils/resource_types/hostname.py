# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The type `hostname`: the name of the host, as small as a type can be."""

from ansible_collections.ccm.core.plugins.module_utils.api import (
    NOTHING,
    Decision,
    Provider,
    ResourceFailed,
    SimpleType,
    State,
    Step,
    decode,
    query,
)


class HostnameState(State):
    """The name of the host, in `metadata`; `ensure` is always `present`."""

    type = "hostname"


class HostnameProvider(Provider):
    """Uses the program `hostname`."""

    name = "hostname"

    def status(self, properties):
        """Return the current name of the host."""
        name = decode(query(["hostname"]).stdout).strip()
        return HostnameState(properties.name, "present", {"metadata": {"name": name, "provider": self.name}})

    def set(self, properties, state):
        """Set the name of the host."""
        if self.machine.run(["hostname", properties.name]).exit_code:
            raise ResourceFailed(f"cannot set the name {properties.name}")


class HostnameType(SimpleType):
    """The name of the host."""

    name = "hostname"
    contract = 1
    ensure_choices = ("present",)
    verbs = ("set",)
    providers = (HostnameProvider,)

    def decide(self, state, properties, refresh):
        """Set the name when the host has another one."""
        if state.metadata["name"] == properties.name:
            return NOTHING
        return Decision(Step("set", "Would have set the name of the host", "Set the name of the host"))


TYPE = HostnameType()

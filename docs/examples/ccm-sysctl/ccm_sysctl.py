# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The types `sysctl`, a parameter of the kernel until the next boot, and `mounted`, which only checks a mount point."""

from __future__ import annotations

import os
import select

from ccm.api import (
    NOTHING,
    BatchProvider,
    Decision,
    EventSource,
    Property,
    Provider,
    Relations,
    ResourceFailed,
    Reversal,
    SimpleType,
    State,
    Step,
    decode,
    query,
)


class SysctlState(State):
    """The value of a parameter, in `metadata`."""

    type = "sysctl"


class SysctlProvider(BatchProvider):
    """Sets several parameters in one run of the program `sysctl`."""

    name = "procps"
    batch_verbs = ("write",)

    def status(self, properties):
        """Return the value of the parameter, its fields with one blank between."""
        result = query(["sysctl", "-n", "--", properties.name])
        if result.exit_code:
            raise ResourceFailed(f"there is no parameter {properties.name}")
        found = {"name": properties.name, "provider": self.name, "value": " ".join(decode(result.stdout).split())}
        return SysctlState(properties.name, "present", {"metadata": found})

    def write(self, properties, state):
        """Set one parameter."""
        self.act_on_batch("write", [(properties, state)])

    def partition(self, verb, acting, settled):
        """Return one part: no parameter has to be set before another one."""
        return [acting]

    def act_on_batch(self, verb, members):
        """Set all parameters of a part."""
        result = self.machine.run(["sysctl", "-w", *(f"{each.name}={each.value}" for each, _state in members)])
        if result.exit_code:
            raise ResourceFailed(f"sysctl exited {result.exit_code}: {decode(result.stderr).strip()}")


class SysctlReversal(Reversal):
    """A change is undone by the value that the parameter had before."""

    def parts(self, properties, state):
        """Return the value."""
        return {"value": state.metadata["value"]}

    def undone(self, properties, parts):
        """Return the properties of a resource that sets the value again."""
        return {"value": parts["value"]}


class SysctlRelations(Relations):
    """The value can be passed on to other resources, and is read again every 10 s in `ccm watch`."""

    sends = (Property("value", help="The value that the parameter has."),)
    poll_seconds = 10.0

    def watches(self, properties):
        """Return the file of the parameter, whose changes the kernel does not report."""
        return ["/proc/sys/" + properties.name.replace(".", "/")]

    def sent(self, properties, state):
        """Return the value."""
        return {"value": state.metadata["value"]}


class SysctlType(SimpleType):
    """Parameters of the kernel until the next boot."""

    name = "sysctl"
    contract = 1
    ensure_choices = ("present",)
    verbs = ("write",)
    providers = (SysctlProvider,)
    own_properties = (Property("value", when="deferred", required=True, help="The value of the parameter."),)
    state_fields = (Property("value", help="The value of the parameter."),)
    relations = SysctlRelations()
    reversible = True
    reversal = SysctlReversal()

    def is_groupable(self, properties):
        """Return that each parameter may be set together with its neighbours."""
        return True

    def decide(self, state, properties, refresh):
        """Set the parameter when it has another value."""
        if state.metadata["value"] == " ".join(properties.value.split()):
            return NOTHING
        return Decision(Step("write", "Would have set the parameter", "Set the parameter"))


class MountedState(State):
    """Whether something is mounted on a path, in `metadata`."""

    type = "mounted"


class MountEvents(EventSource):
    """The kernel's notices that something was mounted or unmounted."""

    def __init__(self):
        self._table = os.open("/proc/self/mountinfo", os.O_RDONLY)
        self._poll = select.epoll()
        # The table itself can be read at any time.
        self._poll.register(self._table, select.EPOLLPRI)

    def fileno(self):
        """Return the descriptor that can be read after a notice."""
        return self._poll.fileno()

    def read(self):
        """Take the notice."""
        return bool(self._poll.poll(0))

    def close(self):
        """Close both descriptors."""
        self._poll.close()
        os.close(self._table)


class MountedProvider(Provider):
    """Asks the kernel."""

    name = "kernel"

    def status(self, properties):
        """Return whether the path is a mount point."""
        found = {"name": properties.name, "provider": self.name, "mounted": os.path.ismount(properties.name)}
        return MountedState(properties.name, "present", {"metadata": found})

    def watch(self, properties):
        """Return the events of mounts."""
        return MountEvents()


class MountedType(SimpleType):
    """A resource that fails where nothing is mounted, so that others can require it."""

    name = "mounted"
    contract = 1
    ensure_choices = ("present",)
    verbs = ()
    providers = (MountedProvider,)
    state_fields = (Property("mounted", "boolean", help="Whether something is mounted on the path."),)

    def decide(self, state, properties, refresh):
        """Do nothing, or fail."""
        if not state.metadata["mounted"]:
            raise ResourceFailed(f"nothing is mounted on {properties.name}")
        return NOTHING


SYSCTL = SysctlType()
MOUNTED = MountedType()

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""versions.jsonl: versions parsed and compared, and packages brought to their state by made-up commands."""

from __future__ import annotations

import contextlib
from unittest import mock

from ccm.engine.context import Context
from ccm.engine.prerequisites import require_known_provider
from ccm.engine.transaction import run_transaction
from ccm.host import commands, programs, queries
from ccm.host.command_errors import CommandError
from ccm.host.results import Result
from ccm.lang.versions import debian, rpm
from ccm.model.errors import CCMError
from ccm.model.resource import Resource, complete
from ccm.resources.package import apt_get, locks
from ccm.resources.package.type import TYPE as PACKAGE

from .. import compare

# Words of commands that only look for what provides a name that is not installed (decisions.md Q96). The original has
# none of them, and they change nothing.
LOOKUPS = {"--whatprovides", "--whatobsoletes", "repoquery"}
COMPARE = {"apt": debian.compare, "dnf": rpm.compare}


# The original does not have these: an option (decisions.md Q99), and simulations in noop (Q98).
OWN_OPTION = ["-o", "Dpkg::Use-Pty=0"]
SIMULATED = {("apt-get", "-s"), ("dnf", "--assumeno")}


def without_own_option(argv):
    """Return a command in the words of the original."""
    for at in range(len(argv)):
        if argv[at : at + 2] == OWN_OPTION:
            return argv[:at] + argv[at + 2 :]
    return argv


class FakeCommands:
    """A replacement for host.commands: it returns a vector's replies, and records the commands of the original."""

    def __init__(self, replies, own=frozenset()):
        self._replies = list(replies)
        self._own = SIMULATED | own
        self.seen = []

    def run(self, argv, environment=(), **_options):
        argv = without_own_option(list(argv))
        if tuple(argv[:2]) in self._own:
            return Result(0, b"", b"")
        if not LOOKUPS.isdisjoint(argv):
            return Result(1, b"", b"")
        self.seen.append({"argv": list(argv), **({"env": list(environment)} if environment else {})})
        line = " ".join(argv)
        for reply in self._replies:
            if line.startswith(reply["match"]):
                if reply.get("once"):
                    self._replies.remove(reply)
                if "error" in reply:
                    raise CommandError(reply["error"], argv)
                output = [reply.get(stream, "").encode() for stream in ("stdout", "stderr")]
                return Result(reply.get("exit", 0), *output)
        return Result(0, b"", b"")

    @contextlib.contextmanager
    def instead(self):
        """Run no other command: every program exists, no lock is held, and nothing was interrupted."""
        with contextlib.ExitStack() as stack:
            stack.enter_context(mock.patch.object(commands, "run", self.run))
            stack.enter_context(mock.patch.object(queries, "query", self.run))
            stack.enter_context(mock.patch.object(programs, "find_program", lambda name, path="": f"/usr/bin/{name}"))
            stack.enter_context(mock.patch.object(apt_get, "_is_interrupted", lambda: False))
            stack.enter_context(mock.patch.object(locks, "holder", lambda path: None))
            yield


def ensure(given):
    """A package resource applied; this machine's own package manager is neither asked nor waited for."""
    values = {key: given[key] for key in ("name", "ensure", "provider")}
    properties = PACKAGE.made(complete(PACKAGE, values))
    resource = Resource(PACKAGE, properties)
    try:
        PACKAGE.validate(properties)
        require_known_provider(resource)
    except CCMError as error:
        raise compare.Refused(f"{resource.reference}: invalid resource: {error}") from None
    # Before a simulation, names with a meaning for apt are looked up.
    looked_up = given["noop"] and given["ensure"] != "latest"
    fake = FakeCommands(given["replies"], {("apt-cache", "policy")} if looked_up else frozenset())
    with fake.instead():
        event = run_transaction(resource, Context(noop=given["noop"], resources=[resource])).as_dict()
    return {
        "commands": fake.seen,
        "errors": event["error"],
        **{key: event[key] for key in ("changed", "failed", "final_ensure", "noop", "skipped")},
        "noop_message": event.get("noop_message", ""),
    }


def parse(given):
    version = _refusing(debian.parse, given["a"])
    return {
        "epoch": version.epoch,
        "upstream_version": version.upstream,
        "debian_revision": version.revision,
        "string": str(version),
    }


def _refusing(function, *arguments):
    try:
        return function(*arguments)
    except debian.VersionError as error:
        raise compare.Refused(str(error)) from None


MODES = {
    "compare": lambda given: _refusing(COMPARE[given["provider"]], given["a"], given["b"]),
    "equal": lambda given: _refusing(debian.parse, given["a"]).key == _refusing(debian.parse, given["b"]).key,
    "parse": parse,
    "ensure": ensure,
}


def prepare(world):
    return lambda given: MODES[given["mode"]](given)

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Package resources applied in a host, and what they leave there."""

from __future__ import annotations

import json

from .session import session_events

VOLATILE = ("event_id", "timestamp", "duration")


def apply(host, resources, settings=None, flags=()):
    """Apply [(name, ensure), ...]; the events without what differs from run to run, and what was logged."""
    properties = [{"package": [{name: {"ensure": ensure}}]} for name, ensure in resources]
    return apply_manifest(host, properties, settings, flags)


def apply_manifest(host, resources, settings=None, flags=()):
    """The same for resources of any type, as a manifest declares them."""
    manifest = {"ccm": {**({"engine": settings} if settings else {}), "resources": resources}}
    host.write("/root/packages.json", json.dumps(manifest))
    host.run("rm -rf session && mkdir session")
    done = host.run(["ccm", "apply", "packages.json", "--session", "session", "--info", *flags], check=False)
    events = session_events(host, "session")
    assert len(events) == len(resources), done.stdout + done.stderr
    for event in events:
        for key in VOLATILE:
            event.pop(key)
        if event["status"]:
            event["status"].pop("timestamp")
    return events, done.stdout + done.stderr


def shown(event):
    """An event in short: what became of it."""
    what = "failed" if event["failed"] else "changed" if event["changed"] else "stable"
    return event["name"], what, event["final_ensure"] or event["error"][0]


def left(host):
    """What dpkg and apt know afterwards."""
    packages = host.run("dpkg-query -W -f='${Package}:${Architecture} ${Version} ${db:Status-Abbrev}\\n' '*'").stdout
    return packages + host.run("cat /var/lib/apt/extended_states 2> /dev/null; true").stdout


def runs_of_apt(host):
    """How often apt-get has changed something."""
    return int(host.run("cat /var/log/apt/history.log 2> /dev/null | grep -c ^Commandline; true").stdout)


class Saved:
    """A host's packages as they were, to go back to; their own files are not looked after."""

    PLACES = "/var/lib/dpkg /var/lib/apt/extended_states"

    def __init__(self, host, name="clean"):
        self._host = host
        self._file = f"/root/{name}.tar"
        host.run(f"touch /var/lib/apt/extended_states; tar --create --file {self._file} {self.PLACES}", check=False)

    def restore(self):
        self._host.run(f"rm -rf {self.PLACES} && tar --extract --directory / --file {self._file}")

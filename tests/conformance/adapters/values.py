# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the adapters share: environments, and values in the form of the recordings."""

from __future__ import annotations

import json

from ccm.data.environment import Environment
from ccm.host.facts.fields import HostInfo
from ccm.lang.go import fmt as gofmt
from ccm.lang.go import json as gojson
from ccm.lang.go.time.times import Duration
from ccm.lang.yaml import YAMLError
from ccm.model.errors import CCMError

from .. import compare

# Facts.host.info as it is gathered, for an env with `host_struct` (vectors/NOTES.md).
HOST_INFO = {
    "hostname": "web1.example.net",
    "os": "linux",
    "platform": "debian",
    "platformFamily": "debian",
    "platformVersion": "12.5",
    "kernelVersion": "6.1.0",
    "kernelArch": "x86_64",
    "uptime": 3600,
    "bootTime": 1700000000,
    "procs": 120,
    "virtualizationSystem": "",
    "virtualizationRole": "",
    "hostId": "",
}


def special(value):
    """Durations, times, and the names of months and days, whose classes JSON does not know; None for anything else."""
    if not hasattr(value, "go_text"):
        return None
    if isinstance(value, Duration):
        return {"$duration": value.go_text()}
    in_json = json.loads(gojson.marshal(value))
    return {"$time": in_json} if isinstance(in_json, str) else in_json


def encode(value):
    return compare.encode(value, special)


def typed(value, unordered=False):
    """A value with its kind and as text, the way expr.jsonl, gjson.jsonl and template.jsonl want it."""
    encoded = encode(value)
    answer = {"type": compare.kind_of(encoded), "value": encoded}
    if not unordered:
        answer["string"] = compare.text(gofmt.sprint(value))
    return answer


def wanted(vector):
    """A vector's want with the kind in place of Go's type name."""
    want = vector["want"]
    if isinstance(want, dict) and isinstance(want.get("type"), str) and "value" in want:
        return dict(want, type=compare.kind(want["type"]))
    return want


class Environments:
    """The environments of a world as our package wants them, one for each name and limit."""

    def __init__(self, world):
        self.world = world
        self.made = {}

    def of(self, given):
        """The environment that a vector's input asks for: `env`, `restrict`, `default_on_missing`."""
        key = json.dumps([given["env"], given.get("restrict"), given.get("default_on_missing")], sort_keys=True)
        if key not in self.made:
            self.made[key] = self._make(given)
        return self.made[key]

    def _make(self, given):
        env = self.world.env(given["env"])
        facts = env["facts"]
        if env["host_struct"]:
            facts = dict(facts or {}, host=dict((facts or {}).get("host") or {}, info=HostInfo(HOST_INFO)))
        made = Environment(facts, env["data"], env["environ"], env["directory"])
        if given.get("restrict") or given.get("default_on_missing"):
            return made.limited(bool(given.get("default_on_missing")), env["data"], env["environ"])
        return made


def refusing(call, *arguments, **named):
    """The result of a call; an error with a message for users becomes `Refused`."""
    try:
        return call(*arguments, **named)
    except (CCMError, YAMLError) as err:
        raise compare.Refused(str(err)) from err

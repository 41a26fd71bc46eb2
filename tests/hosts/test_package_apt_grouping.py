# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages brought to their state together leave the events and the host that one after the other leaves."""

from __future__ import annotations

import os
import random

import pytest

from tests.seed import numbers

from .aptrepo import Deb, register
from .packages import Saved, apply, left, runs_of_apt, shown

NAMES = [f"ccm-{number}" for number in range(9)]
VIRTUAL = ["ccm-v", "ccm-w"]
GROUPINGS = int(os.environ.get("CCM_GROUPINGS", "6"))
FAILING = {
    "preinst": "exit 1",
    "postinst": "exit 1",
    "prerm": '[ "$1" != remove ] || exit 1',
    "postrm": '[ "$1" != remove ] || exit 1',
}


class Scenario:
    """Packages of a repository, what of them is there before, and the resources of a manifest; all by chance."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.likely = self.chance.choice([0.1, 0.25, 0.5])
        self.debs = [deb for name in NAMES for deb in self.versions(name)]
        self.before = self.chance.sample(NAMES, self.chance.randrange(7))
        self.automatic = [name for name in self.before if self.maybe(0.3)]
        self.removed = [name for name in self.before if self.maybe(0.2)]
        self.resources = self.wanted()

    def maybe(self, likely):
        return self.chance.random() < likely

    def versions(self, name):
        versions = ["1.0-1", "2.0-1"] if self.maybe(0.4) else ["1.0-1"]
        return [Deb(name, version, **self.relations(name), **self.scripts(name)) for version in versions]

    def relations(self, name):
        others = [other for other in NAMES if other != name]
        found = {}
        for field in ("depends", "recommends"):
            if self.maybe(self.likely):
                found[field] = self.requirement(others)
        if self.maybe(self.likely / 3):
            found["depends"] = f"{self.requirement(others)}, {self.requirement(others)}"
        for field in ("conflicts", "breaks", "pre_depends"):
            if self.maybe(self.likely / 5):
                found[field] = self.chance.choice(others) + self.chance.choice(["", " (<< 2.0)"])
        if self.maybe(0.2):
            found["provides"] = self.chance.choice(VIRTUAL)
            if self.maybe(0.3):
                found["conflicts"] = found["provides"]
        if self.maybe(0.08):
            found["fields"] = {"Section": "metapackages"}
        return found

    def requirement(self, others):
        kind = self.chance.random()
        if kind < 0.6:
            return self.chance.choice(others)
        if kind < 0.75:
            return f"{self.chance.choice(others)} (>= 2.0)"
        if kind < 0.9:
            return " | ".join(self.chance.sample([*others, *VIRTUAL], 2))
        return self.chance.choice([*VIRTUAL, "ccm-nowhere", "ccm-nowhere | " + self.chance.choice(others)])

    def scripts(self, name):
        found = {script: text for script, text in FAILING.items() if self.maybe(0.02)}
        return {**found, "conffiles": {f"/etc/{name}.conf": "x\n"}} if self.maybe(0.4) else found

    def wanted(self):
        """Mostly of one kind, as only neighbours of one kind are grouped."""
        ensure = self.chance.choice(["present", "absent", "latest"])
        names = self.chance.sample(NAMES, self.chance.randrange(3, len(NAMES) + 1))
        resources = [(name, ensure if self.maybe(0.9) else self.chance.choice(["present", "1.0-1"])) for name in names]
        if self.maybe(0.1):
            resources.insert(self.chance.randrange(len(resources)), ("ccm-nobody", ensure))
        return resources

    def prepare(self, host, clean):
        clean.restore()
        register(host, self.debs)
        install = ["apt-get", "install", "-y", "-q", "--no-install-recommends"]
        for names in (self.before, self.before[:3]):
            if names and not host.run([*install, *(f"{name}=1.0-1" for name in names)], check=False).returncode:
                break
        if self.automatic:
            host.run(["apt-mark", "auto", *self.automatic], check=False)
        if self.removed:
            host.run(["apt-get", "remove", "-y", "-q", *self.removed], check=False)


@pytest.fixture(scope="module")
def clean(bookworm):
    return Saved(bookworm)


@pytest.mark.soak
@pytest.mark.parametrize("seed", numbers(GROUPINGS))
def test_together_is_as_one_after_the_other(bookworm, clean, seed, record_property):
    scenario = Scenario(seed)
    scenario.prepare(bookworm, clean)
    before = Saved(bookworm, "before")
    outcomes = []
    for autogroup in (False, True):
        done = runs_of_apt(bookworm)
        events, _log = apply(bookworm, scenario.resources, {"autogroup": autogroup})
        outcomes.append((events, left(bookworm)))
        record_property("runs of apt-get", runs_of_apt(bookworm) - done)
        before.restore()
    (events, host), (events_of_groups, host_of_groups) = outcomes
    assert list(map(shown, events_of_groups)) == list(map(shown, events))
    assert events_of_groups == events
    assert host_of_groups == host

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files, links and copies of directories on booted hosts: every property, absent before, as wanted, or otherwise.

All cases are managed at once, each in a folder of its own: in a preview, in a run, and again.
"""

from __future__ import annotations

import json
import shlex

import pytest

from .conftest import RELEASES, host_with_command
from .listing import listing
from .session import session_events

PLACE = "/srv/t"

LINK = {"ensure": "link", "target": "new"}
DIRECTORY = {"ensure": "directory"}
COPY = {"ensure": "directory", "source": "/srv/source", "recurse": True}
COPIED = "cp -a /srv/source a"
SAME_TREE = "a/below d 0:0 750|a/below/two f 0:0 644 two|a/link l 0:0 777 one|a/one f 0:0 640 one"
OWNED = "a d {0} 755|a/below d {0} 750|a/below/two f {0} 644 two|a/link l {0} 777 one|a/one f {0} 640 one"
ABSENT, ABSENT_TREE = {"ensure": "absent"}, {"ensure": "absent", "force": True}
#: By case: how what is as wanted and what differs is made, the properties, and the lines of the folder then.
CASES = {
    "owner": ("touch a; chown u a", "touch a", {"owner": "u"}, "a f 2100:0 644"),
    "owner by number": ("touch a; chown 2100 a", "touch a", {"owner": "2100"}, "a f 2100:0 644"),
    "owner of a directory": ("mkdir a; chown u a", "mkdir a", {**DIRECTORY, "owner": "u"}, "a d 2100:0 755"),
    "owner of a link": ("ln -s new a; chown -h u a", "ln -s new a", {**LINK, "owner": "u"}, "a l 2100:0 777 new"),
    "group": ("touch a; chgrp g a", "touch a", {"group": "g"}, "a f 0:2200 644"),
    "group of a directory": ("mkdir a; chgrp g a", "mkdir a", {**DIRECTORY, "group": "g"}, "a d 0:2200 755"),
    "group of a link": ("ln -s new a; chgrp -h g a", "ln -s new a", {**LINK, "group": "g"}, "a l 0:2200 777 new"),
    "mode": ("touch a; chmod 0600 a", "touch a", {"mode": "0600"}, "a f 0:0 600"),
    "mode of a program": ("touch a; chmod 4755 a", "touch a", {"mode": "4755"}, "a f 0:0 4755"),
    "mode of a directory": ("mkdir -m 0750 a", "mkdir a", {**DIRECTORY, "mode": "0640"}, "a d 0:0 750"),
    "nothing": ("touch a", None, {}, "a f 0:0 644"),
    "content": ("printf x > a", "printf y > a", {"content": "x"}, "a f 0:0 644 x"),
    "content, no link": ("printf x > a", "ln -s /nowhere a", {"content": "x"}, "a f 0:0 644 x"),
    "content none": ("touch a", "printf y > a", {"content": ""}, "a f 0:0 644"),
    "source": ("printf one > a", "printf two > a", {"source": "/srv/source/one"}, "a f 0:0 644 one"),
    "target": ("ln -s new a", "ln -s old a", LINK, "a l 0:0 777 new"),
    "target, no file": ("ln -s new a", "printf y > a", LINK, "a l 0:0 777 new"),
    "target, no directory": ("ln -s new a", "mkdir a; touch a/y", {**LINK, "force": True}, "a l 0:0 777 new"),
    "directory": ("mkdir a", "ln -s /nowhere a", DIRECTORY, "a d 0:0 755"),
    "recurse": (COPIED, f"{COPIED}; printf y > a/one; rm -r a/below", COPY, f"a d 0:0 755|{SAME_TREE}"),
    "recurse, modes": (COPIED, f"{COPIED}; chmod 0600 a/one; chmod 0700 a/below", COPY, f"a d 0:0 755|{SAME_TREE}"),
    "recurse, link": (COPIED, f"{COPIED}; ln -sfn below a/link", COPY, f"a d 0:0 755|{SAME_TREE}"),
    "recurse, owner": (f"{COPIED}; chown -hR u a", COPIED, {**COPY, "owner": "u"}, OWNED.format("2100:0")),
    "recurse, group": (f"{COPIED}; chgrp -hR g a", COPIED, {**COPY, "group": "g"}, OWNED.format("0:2200")),
    "recurse, mode": (
        f"{COPIED}; chmod 0600 a/* a/below/two; chmod 0700 a a/below",
        COPIED,
        {**COPY, "mode": "0600"},
        "a d 0:0 700|a/below d 0:0 700|a/below/two f 0:0 600 two|a/link l 0:0 777 one|a/one f 0:0 600 one",
    ),
    "purge": (COPIED, f"{COPIED}; mkdir a/x; touch a/x/y", {**COPY, "purge": True}, f"a d 0:0 755|{SAME_TREE}"),
    "purge, kinds": (
        COPIED,
        f"{COPIED}; rm -r a/one a/below a/link; mkdir -p a/one/x a/link; touch a/below",
        {**COPY, "purge": True},
        f"a d 0:0 755|{SAME_TREE}",
    ),
    "ignore": (
        f"{COPIED}; rm -r a/below",
        f"{COPIED}; rm -r a/below; touch a/x",
        {**COPY, "purge": True, "ignore": ["below"]},
        "a d 0:0 755|a/link l 0:0 777 one|a/one f 0:0 640 one",
    ),
}
#: How the state before is made, the properties, whether something is changed, and the lines of the folder then.
OTHERS = {
    "absent, nothing there": ("true", ABSENT, False, ""),
    "absent, a file": ("touch a", ABSENT, True, ""),
    "absent, a directory": ("mkdir a", ABSENT, True, ""),
    "absent, a link": ("printf x > b; ln -s b a", ABSENT, True, "b f 0:0 644 x"),
    "absent, a dangling link": ("ln -s /nowhere a", ABSENT, True, ""),
    "absent, force, nothing there": ("true", ABSENT_TREE, False, ""),
    "absent, force": ("mkdir a; touch a/x", ABSENT_TREE, True, ""),
    "recurse, more there": (f"{COPIED}; touch a/z", COPY, False, f"a d 0:0 755|{SAME_TREE}|a/z f 0:0 644"),
    "recurse, more and less": (f"{COPIED}; touch a/z; rm a/one", COPY, True, f"a d 0:0 755|{SAME_TREE}|a/z f 0:0 644"),
}


def beginnings():
    """Return the cases with each state before, as in OTHERS, by their names."""
    found = {}
    for case, (same, other, given, shown) in CASES.items():
        found[f"{case}-absent"] = ("true", given, True, shown)
        found[f"{case}-same"] = (same, given, False, shown)
        if other is not None:
            found[f"{case}-other"] = (other, given, True, shown)
    return {**found, **OTHERS}


ALL = beginnings()


class Managed:
    """What became of all cases on a host: their events, and what was in their folders, by step."""

    def __init__(self, host):
        resources = []
        script = ["umask 022"]
        for number, (made, given, *_rest) in enumerate(ALL.values()):
            script.append(f"mkdir -p {PLACE}/{number}; cd {PLACE}/{number}; {made}")
            resources.append({"file": [{f"{PLACE}/{number}/a": given}]})
        host.run(f"sh -ec {shlex.quote('; '.join(script))}")
        host.write("/root/m.json", json.dumps({"ccm": {"resources": resources}}))
        self.found = [listing(host, PLACE)]
        self.events = []
        for flags in (["--noop"], [], []):
            host.run("rm -rf /root/s; mkdir /root/s")
            host.run(["ccm", "apply", "/root/m.json", "--session", "/root/s", *flags], check=False)
            self.events.append({event["name"]: event for event in session_events(host, "/root/s")})
            self.found.append(listing(host, PLACE))

    def of(self, case):
        """Return what there was before and after each step, and the events of the steps."""
        number = list(ALL).index(case)
        events = [events[f"{PLACE}/{number}/a"] for events in self.events]
        return [found[str(number)] for found in self.found], events


@pytest.fixture(scope="module", params=[*RELEASES, "dnf"])
def managed(request):
    """All cases, managed on a host with a user and a source of files."""
    with host_with_command(request.param) as host:
        host.run("useradd -u 2100 -M u; groupadd -g 2200 g; mkdir -p /srv/source/below")
        host.run("printf one > /srv/source/one; printf two > /srv/source/below/two; ln -s one /srv/source/link")
        host.run("chmod 0750 /srv/source/below; chmod 0640 /srv/source/one")
        yield Managed(host)


@pytest.mark.parametrize("case", ALL)
def test_each_property_of_a_file(managed, case):
    _made, _given, is_changed, shown = ALL[case]
    (start, *found), events = managed.of(case)
    assert [event["error"] or [] for event in events] == [[], [], []]
    assert [event["changed"] for event in events] == [is_changed, is_changed, False]
    lines = [line for line in shown.split("|") if line]
    assert found == [start, lines, lines]
    assert (start != lines) == is_changed

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files, links and copies of directories on booted hosts: every property, absent before, as wanted, or otherwise."""

from __future__ import annotations

import json

import pytest

from .conftest import host_with_command
from .session import session_events

PATH = "/srv/t/a"
#: All that a run could change: kinds, owners, modes, targets and contents.
SHOWN = "cd /srv/t; find . -printf '%P %y %U:%G %m %l\\n' | sort; find . -type f -exec sha256sum {} + | sort -k 2"


@pytest.fixture(scope="module", params=["bookworm", "dnf"])
def site(request):
    """A host with a user and a source of files; a test leaves nothing in /srv/t."""
    with host_with_command(request.param) as shared:
        shared.run("useradd -u 2100 -M u; groupadd -g 2200 g; mkdir -p /srv/source/below /srv/t")
        shared.run("printf one > /srv/source/one; printf two > /srv/source/below/two; ln -s one /srv/source/link")
        shared.run("chmod 0750 /srv/source/below; chmod 0640 /srv/source/one")
        yield shared


@pytest.fixture(autouse=True)
def _empty(site):
    yield
    site.run("rm -rf /srv/t; mkdir /srv/t")


def one(host, *flags, **properties):
    """Apply a manifest with the resource; return its event."""
    host.write("/root/m.json", json.dumps({"ccm": {"resources": [{"file": [{PATH: properties}]}]}}))
    host.run("rm -rf /root/s; mkdir /root/s")
    host.run(["ccm", "apply", "/root/m.json", "--session", "/root/s", *flags], check=False)
    (event,) = session_events(host, "/root/s")
    return event


def brought(host, **properties):
    """Preview a change, make it, and see that a second run has nothing to do; whether it was made."""
    before = host.run(SHOWN).stdout
    noop = one(host, "--noop", **properties)
    assert host.run(SHOWN).stdout == before
    run = one(host, **properties)
    assert (noop["error"] or [], run["error"] or [], run["changed"]) == ([], [], noop["changed"])
    after = host.run(SHOWN).stdout
    assert run["changed"] == (after != before)
    again = one(host, **properties)
    assert (again["error"] or [], again["changed"], host.run(SHOWN).stdout) == ([], False, after)
    return run["changed"]


LINK = {"ensure": "link", "target": "new"}
DIRECTORY = {"ensure": "directory"}
COPY = {"ensure": "directory", "source": "/srv/source", "recurse": True}
COPIED = "cp -a /srv/source a"
SAME_TREE = "a/below d 0:0 750 |a/below/two f 0:0 644 |a/link l 0:0 777 one|a/one f 0:0 640 "
#: By case: how what is as wanted and what differs is made, the properties, and what is then shown of the path.
CASES = {
    "owner": ("touch a; chown u a", "touch a", {"owner": "u"}, "a f 2100:0 644 "),
    "owner by number": ("touch a; chown 2100 a", "touch a", {"owner": "2100"}, "a f 2100:0 644 "),
    "owner of a directory": ("mkdir a; chown u a", "mkdir a", {**DIRECTORY, "owner": "u"}, "a d 2100:0 755 "),
    "owner of a link": ("ln -s new a; chown -h u a", "ln -s new a", {**LINK, "owner": "u"}, "a l 2100:0 777 new"),
    "group": ("touch a; chgrp g a", "touch a", {"group": "g"}, "a f 0:2200 644 "),
    "group of a directory": ("mkdir a; chgrp g a", "mkdir a", {**DIRECTORY, "group": "g"}, "a d 0:2200 755 "),
    "group of a link": ("ln -s new a; chgrp -h g a", "ln -s new a", {**LINK, "group": "g"}, "a l 0:2200 777 new"),
    "mode": ("touch a; chmod 0600 a", "touch a", {"mode": "0600"}, "a f 0:0 600 "),
    "mode of a program": ("touch a; chmod 4755 a", "touch a", {"mode": "4755"}, "a f 0:0 4755 "),
    "mode of a directory": ("mkdir -m 0750 a", "mkdir a", {**DIRECTORY, "mode": "0640"}, "a d 0:0 750 "),
    "nothing": ("touch a", None, {}, "a f 0:0 644 "),
    "content": ("printf x > a", "printf y > a", {"content": "x"}, "a f 0:0 644 "),
    "content, no link": ("printf x > a", "ln -s /nowhere a", {"content": "x"}, "a f 0:0 644 "),
    "content none": ("touch a", "printf y > a", {"content": ""}, "a f 0:0 644 "),
    "source": ("printf one > a", "printf two > a", {"source": "/srv/source/one"}, "a f 0:0 644 "),
    "target": ("ln -s new a", "ln -s old a", LINK, "a l 0:0 777 new"),
    "target, no file": ("ln -s new a", "printf y > a", LINK, "a l 0:0 777 new"),
    "target, no directory": ("ln -s new a", "mkdir a; touch a/y", {**LINK, "force": True}, "a l 0:0 777 new"),
    "directory": ("mkdir a", "ln -s /nowhere a", DIRECTORY, "a d 0:0 755 "),
    "recurse": (COPIED, f"{COPIED}; printf y > a/one; rm -r a/below", COPY, f"a d 0:0 755 |{SAME_TREE}"),
    "recurse, modes": (COPIED, f"{COPIED}; chmod 0600 a/one; chmod 0700 a/below", COPY, f"a d 0:0 755 |{SAME_TREE}"),
    "recurse, link": (COPIED, f"{COPIED}; ln -sfn below a/link", COPY, f"a d 0:0 755 |{SAME_TREE}"),
    "purge": (COPIED, f"{COPIED}; mkdir a/x; touch a/x/y", {**COPY, "purge": True}, f"a d 0:0 755 |{SAME_TREE}"),
    "ignore": (
        f"{COPIED}; rm -r a/below",
        f"{COPIED}; rm -r a/below; touch a/x",
        {**COPY, "purge": True, "ignore": ["below"]},
        "a d 0:0 755 |a/link l 0:0 777 one|a/one f 0:0 640 ",
    ),
}


@pytest.mark.parametrize(
    ("case", "before"),
    [(case, before) for case in CASES for before in ("absent", "same", "other") if before != "other" or CASES[case][1]],
)
def test_each_property_of_a_file(site, case, before):
    same, other, given, shown = CASES[case]
    made = {"absent": "true", "same": same, "other": other}[before]
    site.run(f"umask 022; cd /srv/t; {made}")
    assert brought(site, **given) == (before != "same")
    found = site.run("cd /srv/t; find a -printf '%p %y %U:%G %m %l\\n' | sort").stdout.splitlines()
    assert "|".join(found) == shown
    text = {"source": "one"}.get(case, given.get("content"))
    if text is not None:
        assert site.run(["cat", PATH]).stdout == text
    if given.get("recurse"):
        ignored = "-x below" if "ignore" in given else ""
        site.run(f"diff -r --no-dereference {ignored} /srv/source {PATH}")


@pytest.mark.parametrize(
    "made", ["touch a", "mkdir a", "ln -s /etc/passwd a", "ln -s /nowhere a", "mkdir a; touch a/x"]
)
def test_what_is_to_be_absent(site, made):
    force = made.endswith("/x")
    assert not brought(site, ensure="absent", force=force)
    site.run(f"cd /srv/t; {made}")
    assert brought(site, ensure="absent", force=force)
    assert site.run("ls -A /srv/t; ls /etc/passwd").stdout == "/etc/passwd\n"


def test_without_purge_the_rest_stays(site):
    site.run("cp -a /srv/source /srv/t/a; touch /srv/t/a/mine")
    assert not brought(site, **COPY)
    site.run("rm /srv/t/a/one")
    assert brought(site, **COPY)
    assert site.run("ls /srv/t/a").stdout.split() == ["below", "link", "mine", "one"]

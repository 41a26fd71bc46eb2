# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of a user of booted hosts, with the command and in plays; sshd itself, where the host has it."""

from __future__ import annotations

import itertools
import json
import pathlib

import pytest
import yaml

from tests.unit.resources.ssh_authorized_key.keys import KEYS, key

from .conftest import RELEASES, host_with_command

EXAMPLE = pathlib.Path(__file__).parents[2] / "docs/examples/team-keys/manifest.yaml"
FILE = "/home/alice/.ssh/authorized_keys"
OTHER = '# mine\nfrom="10.0.0.0/8,::1",command="a b" ssh-rsa ' + KEYS["ssh-rsa"] + " other key\n"
LINE = f"ssh-ed25519 {key(1)} alice@laptop\n"
#: What differs: a line as wanted, a line that differs, and the values of the resource.
STATES = {
    "key": (LINE, LINE.replace(key(1), key(2)), {}),
    "name": (LINE, LINE.replace("alice@laptop", "old name"), {}),
    "type, key": (LINE, f"ssh-rsa {KEYS['ssh-rsa']} alice@laptop\n", {"type": "ed25519"}),
    "options, name": (
        f'restrict,from="::1" {LINE}',
        f"no-pty {LINE[:-1]} 2\n",
        {"options": ["restrict", 'from="::1"']},
    ),
    "options": (LINE, f"no-pty {LINE}", {}),
}
NOTHING = ("Nothing to do", "Nothing to do")
ABSENT = {"ensure": "absent"}


@pytest.fixture(scope="module", params=[*RELEASES, "dnf"])
def alice(request):
    """A host with a user."""
    with host_with_command(request.param) as host:
        host.run("useradd --create-home --shell /bin/sh alice")
        yield host


def put(host, content):
    """Make this the content of the file of the user, or remove its directory."""
    host.run("rm -rf /home/alice/.ssh")
    if content is not None:
        host.run("install -d -m 0700 -o alice -g alice /home/alice/.ssh")
        host.write(FILE, content)
        host.run(f"chown alice:alice {FILE}; chmod 0600 {FILE}")


def found(host):
    """Return the content of the file, and owner, group and mode of it and of its directory."""
    shown = host.run(f"stat -c '%U %G %a' /home/alice/.ssh {FILE}").stdout.splitlines()
    return host.run(["cat", FILE]).stdout, shown


def tasks(number, before, values):
    """Return tasks that manage the key in a file of its own, which has this content before."""
    path = f"/home/alice/.ssh/k{number}"
    options = {"name": "alice@laptop", "user": "alice", "key": key(1), "target": path, **values}
    if "ensure" in values:
        options.pop("key")
    return [
        {
            "name": f"before {number}",
            "ansible.builtin.copy": {"dest": path, "content": before, "owner": "alice", "mode": "0600"},
        },
        {"name": f"check {number}", "ccm.core.ssh_authorized_key": options, "check_mode": True},
        {"name": f"first {number}", "ccm.core.ssh_authorized_key": options},
        {"name": f"second {number}", "ccm.core.ssh_authorized_key": options},
    ]


def test_each_property_absent_same_and_other(alice, ansible):
    put(alice, "")
    cases = []
    for parts, (same, other, values) in STATES.items():
        cases.append((OTHER, OTHER + same, values, "Would have added the key", "Added the key"))
        cases.append((OTHER + same, OTHER + same, values, *NOTHING))
        cases.append((OTHER + other, OTHER + same, values, f"would update ({parts})", "Updated the key"))
    cases.append((OTHER, OTHER, ABSENT, *NOTHING))
    for there in (LINE, LINE * 2):
        cases.append((OTHER + there, OTHER, ABSENT, "Would have removed the key", "Removed the key"))
    play = itertools.chain.from_iterable(
        tasks(number, before, values) for number, (before, _after, values, *_messages) in enumerate(cases)
    )
    ran = ansible.on(alice).play(yaml.safe_dump(list(play), sort_keys=False))
    assert ran.returncode == 0, ran.output
    for number, (before, after, _values, *messages) in enumerate(cases):
        said = [ran[f"{moment} {number}"] for moment in ("check", "first", "second")]
        wanted = "ok" if before == after else "changed"
        assert (number, [task.outcome for task in said]) == (number, [wanted, wanted, "ok"])
        assert (number, [task.msg for task in said[:2]]) == (number, messages)
        assert alice.run(["cat", f"/home/alice/.ssh/k{number}"]).stdout == after


def test_the_command_makes_what_is_missing_and_undoes_it(alice):
    put(alice, None)
    resource = {"alice@laptop": {"user": "alice", "key": key(1), "meta": {"reverse": True}}}
    alice.write("/root/m.json", json.dumps({"ccm": {"resources": [{"ssh_authorized_key": [resource]}]}}))
    shown = alice.run("ccm plan m.json", check=False)
    assert "Would have added the key" in shown.stdout
    alice.run("ccm apply m.json")
    assert found(alice) == (LINE, ["alice alice 700", "alice alice 600"])
    alice.run(f"printf '{OTHER.splitlines()[0]}\\n' >> {FILE}")
    alice.run("ccm undo m.json")
    assert found(alice) == ("# mine\n", ["alice alice 700", "alice alice 600"])


def test_the_user_and_the_key_come_in_one_run(alice):
    """In noop the user does not exist yet; a user that nothing makes is named."""
    key_of_bob = {"ssh_authorized_key": [{"bob": {"user": "bob", "key": key(3)}}]}
    make = {"exec": [{"useradd -m bob": {"creates": "/home/bob"}}]}
    alice.write("/root/m.json", json.dumps({"ccm": {"resources": [key_of_bob]}}))
    assert "there is no user bob" in alice.run("ccm apply m.json", check=False).stdout
    alice.write("/root/m.json", json.dumps({"ccm": {"resources": [make, key_of_bob]}}))
    assert "noop=Would have added the key" in alice.run("ccm apply --noop m.json").stdout
    alice.run("ccm apply m.json")
    assert alice.run("cat /home/bob/.ssh/authorized_keys").stdout == f"ssh-ed25519 {key(3)} bob\n"
    alice.run("userdel -r bob")


def test_the_example_converges(alice):
    alice.write("/root/team/manifest.yaml", EXAMPLE.read_text("utf-8"))
    alice.run("install -d -m 0755 /root/.ssh")
    alice.write("/root/.ssh/authorized_keys", f"# x\nssh-ed25519 {key(7)} bob@laptop\n")
    for expected in ("Changed Resources: 4", "Changed Resources: 0"):
        shown = alice.run("ccm apply team/manifest.yaml").stdout
        assert expected in shown
    lines = alice.run("cat /root/.ssh/authorized_keys").stdout.splitlines()
    assert [line.rpartition(" ")[2] for line in lines] == ["x", "alice@laptop", "backup@store"]
    assert lines[2].startswith('restrict,from="10.0.0.0/8",command="/usr/local/bin/backup" ssh-ed25519 ')

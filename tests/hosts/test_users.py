# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users and groups on booted hosts: every property, what is refused, and nothing half-done."""

from __future__ import annotations

import contextlib
import json

import pytest

from tests.unit.layout import ROOT

from .conftest import RELEASES, host_with_command
from .session import session_events

HASH, OTHER_HASH = "$6$saltsalt$" + "a" * 86, "$6$saltsalt$" + "b" * 86
FILES = "/etc/passwd /etc/shadow /etc/group /etc/gshadow"


@pytest.fixture(scope="module", params=[*RELEASES, "dnf"])
def accounts(request):
    """A host of each version of shadow, with some groups; a test leaves neither the user u nor the group g."""
    with host_with_command(request.param) as shared:
        shared.run("groupadd -g 2001 one; groupadd -g 2002 two; groupadd -g 2003 three; useradd -u 2100 -M other")
        shared.run("tar -C / -cf /root/before.tar etc/passwd etc/shadow etc/group etc/gshadow")
        yield shared


@pytest.fixture(autouse=True)
def _as_before(accounts):
    yield
    accounts.run("tar -C / -xf /root/before.tar; rm -rf /home/u /srv/u /var/mail/u /srv/file /etc/*.lock")


def apply(host, *resources, flags=()):
    """Apply a manifest; the events of its session, and what was printed."""
    host.write("/root/m.json", json.dumps({"ccm": {"resources": resources}}))
    host.run("rm -rf /root/s; mkdir /root/s")
    done = host.run(["ccm", "apply", "/root/m.json", "--session", "/root/s", *flags], check=False)
    return session_events(host, "/root/s"), done.stdout + done.stderr


def one(host, kind, name, *flags, **properties):
    (event,), _output = apply(host, {kind: [{name: properties}]}, flags=flags)
    return event


def line(host, file, name):
    """The fields of a line of a file of accounts."""
    return host.run(f"grep '^{name}:' /etc/{file} || true").stdout.rstrip("\n").split(":")


def brought(host, kind, name, **properties):
    """Preview a change, make it, and see that a second run has nothing to do; whether it was made."""
    before = host.run(f"cat {FILES}").stdout
    noop = one(host, kind, name, "--noop", **properties)
    assert host.run(f"cat {FILES}").stdout == before
    run = one(host, kind, name, **properties)
    assert (run["error"] or [], run["changed"]) == ([], noop["changed"])
    again = one(host, kind, name, **properties)
    assert (again["error"] or [], again["changed"]) == ([], False)
    return run["changed"]


#: By property: how a user with the same value and one with another value are made, the value, and where it is seen.
USERS = {
    "uid": ("useradd -M -u 2200 u", "useradd -M -u 2201 u", 2200, ("passwd", 2, "2200")),
    "gid": ("useradd -M -g two u", "useradd -M -g one u", "two", ("passwd", 3, "2002")),
    "gid by number": ("useradd -M -g two u", "useradd -M -g one u", "2002", ("passwd", 3, "2002")),
    "home": ("useradd -M -d /srv/u u", "useradd -M u", "/srv/u", ("passwd", 5, "/srv/u")),
    "shell": ("useradd -M -s /bin/bash u", "useradd -M -s /bin/sh u", "/bin/bash", ("passwd", 6, "/bin/bash")),
    "comment": ("useradd -M -c 'A, b' u", "useradd -M -c x u", "A, b", ("passwd", 4, "A, b")),
    "comment none": ("useradd -M u", "useradd -M -c x u", "", ("passwd", 4, "")),
    "expiry": ("useradd -M -e 2030-01-31 u", "useradd -M -e 2030-02-01 u", "2030-01-31", ("shadow", 7, "21945")),
    "expiry none": ("useradd -M u", "useradd -M -e 2030-02-01 u", "absent", ("shadow", 7, "")),
    "password": (
        f"useradd -M u; echo 'u:{HASH}' | chpasswd -e",
        f"useradd -M u; echo 'u:{OTHER_HASH}' | chpasswd -e",
        HASH,
        ("shadow", 1, HASH),
    ),
    "password none": ("useradd -M u; usermod -p '*' u", "useradd -M u", "*", ("shadow", 1, "*")),
    "groups": ("useradd -M -G one,three u", "useradd -M -G two u", ["one"], ("group one", 3, "u")),
    "system": ("useradd -M u", None, True, None),
    "managehome": ("useradd -M u", None, True, None),
}


def beginnings(cases):
    """Return the names of cases with the account before; some properties count only when an account is made."""
    found = [(name, "absent") for name in cases]
    for name, (same, other, *_rest) in cases.items():
        found += [(name, word) for word, made in (("same", same), ("other", other)) if made is not None]
    return found


@pytest.mark.parametrize(("case", "before"), beginnings(USERS))
def test_each_property_of_a_user(accounts, case, before):
    same, other, value, seen = USERS[case]
    made = {"absent": "true", "same": same, "other": other}[before]
    accounts.run(made)
    assert brought(accounts, "user", "u", **{case.split(" ")[0]: value}) == (before != "same")
    if seen:
        file, field, text = seen
        found = line(accounts, *(file.split(" ") if " " in file else (file, "u")))
        assert found[field] == text
    if case == "system" and before == "absent":
        assert int(line(accounts, "passwd", "u")[2]) < 1000
    if case == "managehome":
        there = accounts.run("stat -c '%U' /home/u || true").stdout
        assert there == ("u\n" if before == "absent" else "")


@pytest.mark.parametrize(
    ("membership", "wanted", "expected"),
    [
        ("minimum", ["one"], "one three two"),
        ("minimum", [], "three two"),
        ("inclusive", ["one", "two"], "one two"),
        ("inclusive", ["two", "three"], "three two"),
        ("inclusive", [], ""),
    ],
)
def test_groups_of_a_user(accounts, membership, wanted, expected):
    accounts.run("useradd -M -G three,two u")
    changed = brought(accounts, "user", "u", groups=wanted, membership=membership)
    assert changed == (expected != "three two")
    found = accounts.run("grep -E '[:,]u(,|$)' /etc/group | cut -d: -f1 | sort | xargs").stdout.strip()
    assert found == expected


GROUPS = {
    "gid": ("groupadd -g 2300 g", "groupadd -g 2301 g", {"gid": 2300}, (2, "2300")),
    "members": ("groupadd g; gpasswd -a u g", "groupadd g; gpasswd -a other g", {"members": ["u"]}, (3, None)),
    "inclusive": (
        "groupadd g; gpasswd -a u g",
        "groupadd g; gpasswd -M other,u g",
        {"members": ["u"], "membership": "inclusive"},
        (3, "u"),
    ),
    "inclusive none": (
        "groupadd g",
        "groupadd g; gpasswd -M other,u g",
        {"members": [], "membership": "inclusive"},
        (3, ""),
    ),
    "system": ("groupadd g", None, {"system": True}, (0, "g")),
    "nothing": ("groupadd g", None, {}, (0, "g")),
}


@pytest.mark.parametrize(("case", "before"), beginnings(GROUPS))
def test_each_property_of_a_group(accounts, case, before):
    same, other, given, (field, text) = GROUPS[case]
    made = {"absent": "true", "same": same, "other": other}[before]
    accounts.run("useradd -M -g one u")
    accounts.run(made)
    assert brought(accounts, "group", "g", **given) == (before != "same")
    found = line(accounts, "group", "g")
    if text is None:
        text = "other,u" if before == "other" else "u"
    assert found[field] == text
    if case == "system" and before == "absent":
        assert int(found[2]) < 1000


@pytest.mark.parametrize("kind", ["user", "group"])
def test_what_is_to_be_absent(accounts, kind):
    name = {"user": "u", "group": "g"}[kind]
    before = accounts.run(f"cat {FILES}").stdout
    assert not brought(accounts, kind, name, ensure="absent")
    accounts.run({"user": "useradd -m u", "group": "groupadd g"}[kind])
    assert brought(accounts, kind, name, ensure="absent")
    assert accounts.run(f"cat {FILES}").stdout == before
    if kind == "user":
        assert accounts.run("stat -c %u /home/u", check=False).stdout


def test_a_home_goes_with_its_user(accounts):
    accounts.run("useradd -m u; echo x > /home/u/of-root")
    assert brought(accounts, "user", "u", ensure="absent", managehome=True)
    assert accounts.run("ls -d /home/u", check=False).stdout == ""
    accounts.run("useradd -M -d /nowhere/u u")
    assert brought(accounts, "user", "u", ensure="absent", managehome=True)


def refused(host, kind, name, reason, **properties):
    """A change that fails before anything is done, in a preview too."""
    before = host.run(f"cat {FILES}; ls -laR /home /srv").stdout
    for flags in (["--noop"], []):
        event = one(host, kind, name, *flags, **properties)
        assert reason in " ".join(event["error"] or []), event
        assert host.run(f"cat {FILES}; ls -laR /home /srv").stdout == before


def test_numbers_of_others(accounts):
    accounts.run("useradd -M u; groupadd g")
    refused(accounts, "user", "u", "uid 2100 is that of the user other", uid=2100)
    refused(accounts, "user", "v", "uid 2100 is that of the user other", uid=2100)
    refused(accounts, "group", "g", "gid 2001 is that of the group one", gid=2001)
    refused(accounts, "group", "v", "gid 2001 is that of the group one", gid=2001)


def test_a_user_with_processes(accounts):
    accounts.run("useradd -m -u 2200 u; setsid setpriv --reuid 2200 sleep 1000 > /dev/null 2>&1 < /dev/null &")
    accounts.run("until grep -qs '^Uid:.2200' /proc/[0-9]*/status; do sleep 0.02; done")
    try:
        named = "while it has processes: sleep (pid "
        refused(accounts, "user", "u", f"user u cannot get another uid {named}", uid=2201)
        refused(accounts, "user", "u", f"user u cannot get another home {named}", home="/srv/u")
        refused(accounts, "user", "u", f"user u cannot be removed {named}", ensure="absent")
        assert brought(accounts, "user", "u", shell="/bin/bash")
    finally:
        accounts.run("pkill -u 2200; while pgrep -u 2200; do sleep 0.02; done")


@pytest.mark.parametrize(
    ("made", "fault"),
    [
        ("ln -s /root /home/u", "/home/u is a link"),
        ("mkdir /home/u", "/home/u belongs to root"),
        ("touch /home/u", "/home/u is not a directory"),
        ("mkdir /home/u; chown other /home/u", "/home/u belongs to other"),
    ],
)
def test_homes_of_others(accounts, made, fault):
    accounts.run(made)
    refused(accounts, "user", "u", f"the home cannot be made: {fault}", managehome=True)
    accounts.run("useradd -M u")
    refused(accounts, "user", "u", f"the home cannot be removed: {fault}", ensure="absent", managehome=True)
    assert brought(accounts, "user", "u", ensure="absent")


def test_a_home_with_another_home_or_a_mount(accounts):
    accounts.run("useradd -m u; useradd -M -d /home/u/below v")
    reason = "the home cannot be removed: /home/u has the home of v"
    refused(accounts, "user", "u", reason, ensure="absent", managehome=True)
    accounts.run("userdel v; mkdir /home/u/m; mount -t tmpfs none /home/u/m")
    try:
        refused(accounts, "user", "u", "is mounted on /home/u/m", ensure="absent", managehome=True)
    finally:
        accounts.run("umount /home/u/m")


def test_a_home_that_is_a_link_with_a_slash(accounts):
    """`userdel -r` would empty what the link leads to."""
    accounts.run("useradd -M -d /home/u/ u; mkdir /srv/u; touch /srv/u/kept; chown u /srv/u; ln -s /srv/u /home/u")
    refused(accounts, "user", "u", "the home cannot be removed: its path is /home/u/", ensure="absent", managehome=True)


def test_a_home_that_cannot_be_made(accounts):
    """useradd makes the user all the same, which is taken back."""
    accounts.run("touch /srv/u")
    refused(accounts, "user", "u", "the home cannot be made: ", home="/srv/u/below", managehome=True)
    accounts.run("rm /srv/u; mkdir /srv/u; mount -t tmpfs -o ro none /srv/u")
    try:
        before = accounts.run(f"cat {FILES}").stdout
        event = one(accounts, "user", "u", home="/srv/u/below/it", managehome=True)
        assert "/srv/u/below" in event["error"][0]
        assert accounts.run(f"cat {FILES}").stdout == before
    finally:
        accounts.run("umount /srv/u")


def test_mail_of_another_user(accounts):
    accounts.run("useradd -m u; touch /var/mail/u; chown other /var/mail/u")
    reason = "the home cannot be removed: the mail /var/mail/u belongs to other"
    refused(accounts, "user", "u", reason, ensure="absent", managehome=True)


@pytest.mark.parametrize("gid", ["one", "2001"])
def test_what_is_right_already_stays_beside_a_change(accounts, gid):
    accounts.run("useradd -M -u 2200 -g one -G two u")
    assert brought(accounts, "user", "u", uid=2200, gid=gid, groups=["two"], comment="new", shell="/bin/bash")


def test_members_that_are_users_no_more(accounts):
    accounts.run("groupadd g; useradd -M -g one u; sed -i 's/^g:.*/g:x:2500:gone,other/' /etc/group")
    assert brought(accounts, "group", "g", members=["gone", "u"], membership="inclusive")
    assert line(accounts, "group", "g")[3] == "gone,u"
    assert brought(accounts, "group", "g", members=["u"], membership="inclusive")


def test_a_group_of_the_name_that_is_managed_by_itself_stays(accounts):
    accounts.run("groupadd -g 2400 u; useradd -M -g u u")
    assert brought(accounts, "user", "u", ensure="absent", gid="u")
    assert line(accounts, "group", "u")[2] == "2400"
    accounts.run("useradd -M -g one u")
    assert brought(accounts, "user", "u", ensure="absent")
    assert line(accounts, "group", "u")[2] == "2400"
    resource = {"user": [{"u": {"shell": "/bin/sh", "meta": {"reverse": True}}}]}
    accounts.write("/root/own.json", json.dumps({"ccm": {"resources": [resource]}}))
    accounts.run("ccm apply /root/own.json; ccm undo /root/own.json")
    assert (line(accounts, "passwd", "u"), line(accounts, "group", "u")[2]) == ([""], "2400")
    accounts.run("useradd -M -g u u")
    assert brought(accounts, "user", "u", ensure="absent")
    assert line(accounts, "group", "u") == [""]


def test_a_group_that_users_have(accounts):
    accounts.run("groupadd g; useradd -M -g g u")
    refused(accounts, "group", "g", "group g is the primary group of u", ensure="absent")


def test_a_group_goes_after_its_users_in_graph_order(accounts):
    accounts.run("groupadd g; useradd -M -g g u")
    resources = [{"group": [{"g": {"ensure": "absent"}}]}, {"user": [{"u": {"ensure": "absent"}}]}]
    accounts.write("/root/m.json", json.dumps({"ccm": {"engine": {"order": "graph"}, "resources": resources}}))
    done = accounts.run("ccm apply /root/m.json --detailed-exitcodes; echo $?; getent passwd u; getent group g; true")
    assert done.stdout.split()[-1] == "2"


def test_what_does_not_exist(accounts):
    refused(accounts, "user", "u", "group nosuch does not exist", gid="nosuch")
    refused(accounts, "user", "u", "group nosuch does not exist", groups=["one", "nosuch"])
    refused(accounts, "group", "g", "member nosuch does not exist", members=["other", "nosuch"])


def test_an_earlier_resource_makes_it_in_a_preview(accounts):
    resources = [{"group": [{"g": {}}]}, {"user": [{"u": {"gid": "g"}}]}, {"group": [{"h": {"members": ["u"]}}]}]
    events, _output = apply(accounts, *resources, flags=["--noop"])
    assert [event["error"] or [] for event in events] == [[], [], []]
    events, _output = apply(accounts, *resources)
    assert [(event["changed"], event["error"] or []) for event in events] == [(True, [])] * 3


def test_a_group_of_the_name_is_the_primary_one(accounts):
    accounts.run("groupadd -g 2400 u")
    assert brought(accounts, "user", "u")
    assert line(accounts, "passwd", "u")[3] == "2400"


def test_lines_that_are_broken_are_kept(accounts):
    broken = "broken line\n+::::\ng:x\n:x:7:\n"
    many = "".join(f"n{number}:x:{number + 3000}:\n" for number in range(10_000))
    accounts.run("cat >> /etc/group", input=broken + many)
    accounts.run("useradd -M -g one u")
    assert brought(accounts, "group", "g", members=["u"])
    assert brought(accounts, "user", "u", groups=["two"])
    kept = accounts.read("/etc/group").splitlines()
    found = [at for at, line in enumerate(kept) if line == "broken line"]
    assert [line for line in kept[found[0] :] if not line.startswith("g:x:")] == [
        line for line in (broken + many).splitlines() if not line.startswith("g:x:")
    ]
    assert "g:x" in kept


def test_lines_that_end_with_cr_lf(accounts):
    accounts.run("sed -i 's/$/\\r/' /etc/group; useradd -M -g 2001 u")
    before = accounts.run(f"cat {FILES}").stdout
    (event,), output = apply(accounts, {"group": [{"two": {"members": ["u"], "gid": 2002}}]})
    assert "Lines of /etc/group end with CR LF" in output
    if event["error"]:  # shadow of Debian 11 writes such a line
        assert event["error"] == ["gpasswd: failure while writing changes to /etc/group (exit code 1 of gpasswd)"]
        assert accounts.run(f"cat {FILES}").stdout == before
    assert one(accounts, "group", "two", gid=2002)["changed"] is False


@pytest.mark.parametrize(
    ("lock", "named"),
    [
        ("echo -n $PPID > /etc/passwd.lock; echo -n $PPID > /etc/group.lock", "/etc/group.lock"),
        ("true", "/etc/.pwd.lock is locked by python3 (pid "),
    ],
)
def test_files_that_another_program_locked(accounts, lock, named):
    if lock == "true":
        hold = (
            "import fcntl, signal; file = open('/etc/.pwd.lock', 'w'); fcntl.lockf(file, fcntl.LOCK_EX); "
            "open('/run/held', 'w'); signal.pause()"
        )
        accounts.run(f'rm -f /run/held; setsid python3 -c "{hold}" > /dev/null 2>&1 < /dev/null &')
        accounts.run("until [ -e /run/held ]; do sleep 0.02; done")
    else:
        accounts.run(lock.replace("$PPID", "1"))
    try:
        before = accounts.run(f"cat {FILES}").stdout
        event = one(accounts, "group", "g")
        assert "cannot lock /etc/group" in event["error"][0]
        assert named in event["error"][0]
        assert accounts.run(f"cat {FILES}").stdout == before
    finally:
        accounts.run("pkill -f '[.]pwd.lock'; rm -f /etc/passwd.lock /etc/group.lock", check=False)
    assert one(accounts, "group", "g")["changed"]


@contextlib.contextmanager
def in_place_of(host, program, script):
    """Put a script in place of a program, which is then PROGRAM.real."""
    host.run(f"mv {program} {program}.real")
    host.write(program, f'#!/bin/sh\n{script}\nexec {program}.real "$@"\n', 0o755)
    try:
        yield
    finally:
        host.run(f"mv {program}.real {program}")


def test_a_user_that_is_gone_in_the_run(accounts):
    accounts.run("useradd -M u")
    with in_place_of(accounts, "/usr/sbin/usermod", "/usr/sbin/userdel u"):
        event = one(accounts, "user", "u", shell="/bin/bash")
    assert event["error"][0].endswith("user 'u' does not exist (exit code 6 of usermod)")
    assert brought(accounts, "user", "u", shell="/bin/bash")


def test_a_password_is_seen_nowhere(accounts):
    accounts.run("rm -rf /root/seen; mkdir /root/seen")
    spy = "ps axww -o args > /root/seen/ps; cat /proc/*/environ > /root/seen/environment 2> /dev/null"
    resource = {"user": [{"u": {"password": HASH, "shell": "/bin/bash", "meta": {"reverse": True}}}]}
    with in_place_of(accounts, "/usr/sbin/chpasswd", spy):
        accounts.write("/root/m.json", json.dumps({"ccm": {"resources": [resource]}}))
        accounts.run("rm -rf /root/s; mkdir /root/s")
        done = accounts.run("ccm apply --debug --diff /root/m.json --session /root/s 2>&1")
    assert line(accounts, "shadow", "u")[1] == HASH
    assert "aaaaaa" not in done.stdout
    found = accounts.run("grep -rlF aaaaaaaaaaaaaaaa /root/seen /root/s /var/lib/ccm || true").stdout
    assert found == ""


def test_a_change_is_undone(accounts):
    accounts.run("useradd -m -G two -s /bin/sh u; groupadd -g 2500 g")
    before = accounts.run("grep -E '^(u|g|one|two|w):' /etc/passwd /etc/group").stdout
    reverse = {"meta": {"reverse": True}}
    accounts.write(
        "/root/undo.json",
        json.dumps(
            {
                "ccm": {
                    "resources": [
                        {"user": [{"u": {"shell": "/bin/bash", "groups": ["one"], "comment": "C", **reverse}}]},
                        {"user": [{"w": {"managehome": True, "groups": ["one"], **reverse}}]},
                        {"group": [{"g": {"ensure": "absent", **reverse}}]},
                    ]
                }
            }
        ),
    )
    accounts.run("ccm apply /root/undo.json")
    assert accounts.run("grep -E '^(u|g|one|two|w):' /etc/passwd /etc/group").stdout != before
    accounts.run("gpasswd -a w two; touch /home/w/of-root")
    done = accounts.run("ccm undo /root/undo.json 2>&1", check=False).stdout
    assert "the home cannot be removed: others have files in it: /home/w/of-root" in done
    accounts.run("rm /home/w/of-root; ccm undo /root/undo.json")
    assert accounts.run("grep -E '^(u|g|one|two|w):' /etc/passwd /etc/group").stdout.split() == before.split()
    assert accounts.run("ls -d /home/w", check=False).stdout == ""


def test_a_full_disk(accounts):
    """What is written is the copies of all files, so on a full disk none is changed."""
    accounts.run("useradd -M u; mkdir -p /run/etc; mount -t tmpfs -o size=6m none /run/etc; cp -a /etc/. /run/etc/")
    accounts.run("mount --bind /run/etc /etc; dd if=/dev/zero of=/etc/fill bs=4k 2> /dev/null || true")
    try:
        before = accounts.run(f"cat {FILES}").stdout
        for kind, name, given in (
            ("user", "u", {"password": HASH}),
            ("user", "u", {"shell": "/bin/bash"}),
            ("user", "w", {}),
            ("group", "g", {}),
        ):
            event = one(accounts, kind, name, **given)
            assert "No space left on device" in event["error"][0]
            assert accounts.run(f"cat {FILES}").stdout == before
        accounts.run("rm /etc/fill")
        assert brought(accounts, "user", "u", password=HASH)
    finally:
        accounts.run("umount /etc /run/etc")


def test_watch_repairs_a_user(accounts):
    accounts.write("/root/w.json", json.dumps({"ccm": {"resources": [{"user": [{"u": {"shell": "/bin/bash"}}]}]}}))
    accounts.run("setsid ccm watch /root/w.json > /root/watch.log 2>&1 < /dev/null & echo $! > /root/watch.pid")
    try:
        accounts.run("until grep -q '^u:.*:/bin/bash$' /etc/passwd; do sleep 0.05; done")
        accounts.run("until grep -q Watching /root/watch.log; do sleep 0.05; done; usermod -s /bin/sh u")
        accounts.run("until grep -q '^u:.*:/bin/bash$' /etc/passwd; do sleep 0.05; done")
    finally:
        accounts.run("kill $(cat /root/watch.pid)")


def test_the_example_of_a_base(accounts):
    accounts.run("useradd -m carl")
    accounts.write("/root/base.yaml", (ROOT / "docs/examples/base/manifest.yaml").read_text(encoding="utf-8"))
    accounts.run("mkdir -p /etc/sudoers.d; ccm apply /root/base.yaml --detailed-exitcodes", check=False)
    again = accounts.run(["ccm", "apply", "/root/base.yaml"]).stdout
    assert "Changed Resources: 0" in again
    assert accounts.run("stat -c '%U %G %a' /var/lib/app /home/alice/.. /home/alice").stdout.startswith("app app 750\n")
    assert accounts.run("id -nG alice").stdout == "alice admins\n"
    accounts.run("rm -rf /var/lib/app /home/alice /etc/sudoers.d/admins")


#: Tasks of ours, and of Ansible, which leave the same bytes.
OURS = f"""
- ccm.core.group: {{name: g, gid: 2500}}
- ccm.core.group: {{name: h, system: true}}
- ccm.core.group: {{name: g, gid: 2501}}
- ccm.core.user: {{name: u, uid: 2200, gid: one, groups: [two], shell: /bin/bash, comment: "A, b", home: /srv/u}}
- ccm.core.user: {{name: v, managehome: true, password: "{HASH}", expiry: "2030-01-31"}}
- ccm.core.user: {{name: w, system: true, shell: /usr/sbin/nologin}}
- ccm.core.user: {{name: u, groups: [three], shell: /bin/sh, gid: "2002"}}
- ccm.core.user: {{name: u, groups: [one], membership: inclusive, expiry: "2031-01-31"}}
- ccm.core.user: {{name: v, password: "{OTHER_HASH}", expiry: absent, comment: ""}}
- ccm.core.user: {{name: other, ensure: absent, managehome: true}}
- ccm.core.group: {{name: h, ensure: absent}}
"""
THEIRS = f"""
- ansible.builtin.group: {{name: g, gid: 2500}}
- ansible.builtin.group: {{name: h, system: true}}
- ansible.builtin.group: {{name: g, gid: 2501}}
- ansible.builtin.user:
    {{name: u, uid: 2200, group: one, groups: [two], shell: /bin/bash, comment: "A, b", home: /srv/u,
    create_home: false}}
- ansible.builtin.user: {{name: v, password: "{HASH}", expires: 1896048000}}
- ansible.builtin.user: {{name: w, system: true, shell: /usr/sbin/nologin, create_home: false}}
- ansible.builtin.user: {{name: u, groups: [three], append: true, shell: /bin/sh, group: "2002", create_home: false}}
- ansible.builtin.user: {{name: u, groups: [one], expires: 1927584000, create_home: false}}
- ansible.builtin.user: {{name: v, password: "{OTHER_HASH}", expires: -1, comment: ""}}
- ansible.builtin.user: {{name: other, state: absent, remove: true}}
- ansible.builtin.group: {{name: h, state: absent}}
"""


def named_tasks(text):
    """Give each task a name."""
    _nothing, *tasks = text.split("\n- ")
    return "\n".join(f"- name: task {number}\n  {task}" for number, task in enumerate(tasks))


def test_the_modules_of_ansible_leave_the_same_bytes(accounts, ansible):
    there, left = ansible.on(accounts), {}
    for name, tasks in (("ours", OURS), ("theirs", THEIRS)):
        ran = there.play(named_tasks(tasks))
        assert (ran.returncode, set(ran.outcomes.values())) == (0, {"changed"}), ran.output
        left[name] = accounts.run(f"tail -n 20 {FILES}; stat -c '%n %U %G %a' /home/v /home/v/.b*").stdout
        accounts.run("tar -C / -xf /root/before.tar; rm -rf /home/v /srv/u")
    assert left["ours"] == left["theirs"]

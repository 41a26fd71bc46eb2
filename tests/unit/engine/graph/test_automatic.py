# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges that follow from what resources provide and want: one case for each rule, and what they do to a run."""

from __future__ import annotations

import grp
import os
import pwd

import pytest
from ccm.engine.graph.graph import AUTO
from ccm.host import accounts
from ccm.lint.check import findings
from ccm.manifest import ordering

from tests.unit.manifest.runs import GRAPH, loaded, ran

#: The files of the packages that are installed where the tests run.
SHIPPED = {
    "web": ["/.", "/etc", "/etc/web", "/etc/web/web.conf", "/lib/systemd/system/webd.service", "/usr/sbin/webd"],
    "tool": ["/usr/bin/tool", "/etc", "/etc/default", "/etc/default/tool"],
    # As nginx in Debian 13: what it needs is in another package.
    "split": ["/usr/sbin/split"],
    "split-common": ["/etc/split", "/etc/split/split.conf", "/lib/systemd/system/split.service"],
}


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    def files_of_packages(names):
        return {name: SHIPPED[name] for name in names if name in SHIPPED}

    monkeypatch.setattr(ordering, "files_of_packages", files_of_packages)


def file(name, ensure="present", **more):
    rest = "".join(f", {key}: {value}" for key, value in more.items())
    return f"- file: {{name: {name}, ensure: {ensure}, content: '', owner: a, group: a, mode: '0644'{rest}}}"


def directory(name, ensure="directory"):
    return f"- file: {{name: {name}, ensure: {ensure}, owner: a, group: a, mode: '0755'}}"


def archive(parent):
    return (
        f"- archive: {{name: /var/a.tar, ensure: present, url: 'http://h/a.tar', extract_parent: {parent}, owner: a, "
        "group: a, creates: /x}"
    )


WEB, NEW = "- package: {name: web, ensure: present}", "- package: {name: new, ensure: present}"
SPLIT, COMMON = "- package: {name: split, ensure: present}", "- package: {name: split-common, ensure: present}"
GUESS = " (a guess by name: it is not installed yet)"
OTHER = " (a guess by name: no package of the manifest has it)"
EDGES = [
    # The nearest managed directory above.
    (file("/a/b/c"), directory("/a/b"), "file#/a/b/c is in /a/b of file#/a/b"),
    (file("/a/b/c"), directory("/a"), "file#/a/b/c is in /a of file#/a"),
    (directory("/a/b"), directory("/a"), "file#/a/b is in /a of file#/a"),
    ("- scaffold: {name: /a/b, ensure: present, source: s}", directory("/a"), "scaffold#/a/b is in /a of file#/a"),
    (archive("/a/b"), directory("/a"), "archive#/var/a.tar is in /a of file#/a"),
    ("- exec: {name: ls, cwd: /a}", directory("/a"), "exec#ls is in /a of file#/a"),
    ("- exec: {name: ls, creates: /a/b}", directory("/a"), "exec#ls is in /a of file#/a"),
    # What packages have.
    (file("/etc/web/web.conf"), WEB, "file#/etc/web/web.conf wants the path /etc/web/web.conf of package#web"),
    (file("/etc/web/new.conf"), WEB, "file#/etc/web/new.conf wants the path /etc/web/new.conf of package#web"),
    ("- service: {name: webd}", WEB, "service#webd wants the unit webd.service of package#web"),
    ("- exec: {name: /usr/sbin/webd -t}", WEB, "exec#/usr/sbin/webd -t wants the path /usr/sbin/webd of package#web"),
    (file("/etc/new/a"), NEW, f"file#/etc/new/a wants the path /etc/new/a of package#new{GUESS}"),
    ("- service: {name: new}", NEW, f"service#new wants the unit new.service of package#new{GUESS}"),
    # Units.
    (
        "- service: {name: webd}",
        file("/etc/systemd/system/webd.service"),
        "service#webd wants the unit webd.service of file#/etc/systemd/system/webd.service",
    ),
    (
        "- service: {name: webd@1}",
        file("/etc/systemd/system/webd@.service.d/a.conf"),
        "service#webd@1 wants the unit webd@.service of file#/etc/systemd/system/webd@.service.d/a.conf",
    ),
    # What archives and scaffolds unpack and render, commands, and sources on the node.
    (file("/opt/x/conf"), archive("/opt/x"), "file#/opt/x/conf is in /opt/x of archive#/var/a.tar"),
    ("- exec: {name: /opt/x/run}", archive("/opt/x"), "exec#/opt/x/run is in /opt/x of archive#/var/a.tar"),
    (
        "- exec: {name: /srv/run}",
        "- scaffold: {name: /srv, ensure: present, source: s}",
        "exec#/srv/run is in /srv of scaffold#/srv",
    ),
    ("- exec: {name: /srv/run}", file("/srv/run"), "exec#/srv/run wants the path /srv/run of file#/srv/run"),
    (
        "- file: {name: /b, ensure: present, source: /a, owner: a, group: a, mode: '0644'}",
        file("/a"),
        "file#/b wants the path /a of file#/a",
    ),
    (
        "- apply: {name: /srv/m.yaml}",
        file("/srv/m.yaml"),
        "apply#/srv/m.yaml wants the path /srv/m.yaml of file#/srv/m.yaml",
    ),
    # Users and groups.
    ("- user: {name: a}", "- group: {name: a}", "user#a wants the group a of group#a"),
    ("- user: {name: a, gid: b}", "- group: {name: b}", "user#a wants the group b of group#b"),
    ("- user: {name: a, groups: [b]}", "- group: {name: b}", "user#a wants the group b of group#b"),
    ("- group: {name: b, members: [a]}", "- user: {name: a, gid: '7'}", "group#b wants the user a of user#a"),
    (file("/x"), "- user: {name: a, gid: '7'}", "file#/x wants the user a of user#a"),
    (file("/x"), "- group: {name: a}", "file#/x wants the group a of group#a"),
    (archive("/x"), "- group: {name: a}", "archive#/var/a.tar wants the group a of group#a"),
    ("- exec: {name: ls, user: a}", "- user: {name: a, gid: '7'}", "exec#ls wants the user a of user#a"),
    ("- user: {name: new, gid: '7'}", NEW, f"user#new wants the user new of package#new{GUESS}"),
    (
        "- exec: {name: ls, group: web}",
        WEB,
        f"exec#ls wants the group web of package#web{OTHER}",
    ),
    # Files and unit are in a package that the manifest does not have, or does.
    (file("/etc/split/a"), SPLIT, f"file#/etc/split/a wants the path /etc/split/a of package#split{OTHER}"),
    ("- service: {name: split}", SPLIT, f"service#split wants the unit split.service of package#split{OTHER}"),
    (
        file("/etc/split/a"),
        f"{COMMON}\n{SPLIT}",
        "file#/etc/split/a wants the path /etc/split/a of package#split-common",
    ),
    (
        "- service: {name: split}",
        f"{COMMON}\n{SPLIT}",
        "service#split wants the unit split.service of package#split-common",
    ),
]


def edges(resources, engine=GRAPH):
    schedule = loaded(resources, engine=engine).schedule
    return [(edge.kind, edge.first, edge.then, edge.reason) for edge in schedule.graph.edges], schedule.dropped


@pytest.mark.parametrize(("needing", "made", "reason"), EDGES)
def test_what_is_made_comes_before_what_needs_it(needing, made, reason):
    assert edges(f"{needing}\n{made}") == ([(AUTO, 1, 0, reason)], [])


@pytest.mark.parametrize(
    ("needing", "made"),
    [
        (file("/a/b", "absent").replace("content: '', ", ""), directory("/a", "absent")),
        ("- user: {name: b, gid: a, ensure: absent}", "- group: {name: a, ensure: absent}"),
        ("- service: {name: webd, ensure: stopped}", "- package: {name: web, ensure: absent}"),
        ("- service: {name: webd, ensure: stopped}", "- package: {name: web, ensure: purged}"),
        (file("/etc/web/web.conf", "absent").replace("content: '', ", ""), "- package: {name: web, ensure: absent}"),
    ],
)
def test_what_is_removed_comes_after_what_needs_it(needing, made):
    [(kind, first, then, reason)], _dropped = edges(f"{made}\n{needing}")
    assert (kind, first, then) == (AUTO, 1, 0)
    assert reason.endswith(", which is removed")


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (file("/a"), file("/ab")),
        (file("/a"), file("/a/b")),  # a file is no directory
        (directory("/a"), file("/b/a/c")),
        (WEB, file("/etc/other")),
        (WEB, file("/etc/default/tool")),
        ("- package: {name: tool, ensure: present}", file("/etc/default/other")),
        ("- package: {name: default, ensure: present}", file("/etc/default")),
        (WEB, "- exec: {name: webd}"),  # a name without a path can be any program
        (directory("/a"), file("/a/b", meta="{autoedge: false}")),
        (directory("/a").replace("}", ", meta: {autoedge: false}}"), file("/a/b")),
    ],
)
def test_what_is_not_related(first, then):
    assert edges(f"{first}\n{then}") == ([], [])


def test_a_file_comes_after_the_nearest_directory_only():
    found, _dropped = edges("\n".join([file("/a/b/c"), directory("/a"), directory("/a/b")]))
    assert [(first, then) for _kind, first, then, _reason in found] == [(1, 2), (2, 0)]


def test_one_that_contradicts_what_the_manifest_says_is_dropped():
    made = directory("/a").replace("}", ", require: ['exec#ls'], meta: {before: ['exec#late']}}")
    resources = (
        f"{file('/a/b', meta=chr(123) + 'before: [exec#ls]}')}\n- exec: {{name: ls}}\n{made}\n- exec: {{name: late}}"
    )
    found, dropped = edges(resources)
    assert AUTO not in {kind for kind, *_rest in found}
    assert [(edge.first, edge.then, edge.reason) for edge in dropped] == [(2, 0, "file#/a/b is in /a of file#/a")]


def test_a_run_keeps_them_and_a_failure_skips_nothing(tmp_path):
    """An automatic edge orders, and is no requirement: it may be a guess."""
    me = f"owner: {os.getuid()}, group: {os.getgid()}"
    inside = f"- file: {{name: {tmp_path}/d/f, ensure: present, content: x, mode: '0644', {me}}}"
    made = f"- file: {{name: {tmp_path}/d, ensure: directory, mode: '0755', {me}}}"
    events, _log = ran(loaded(f"{inside}\n{made}", parallel="2"))
    assert list(events) == [f"{tmp_path}/d", f"{tmp_path}/d/f"]
    assert (tmp_path / "d/f").read_text() == "x"
    (tmp_path / "file").write_text("")
    wrong = inside.replace("/d/f", "/file/f"), made.replace("/d,", "/file,")
    events, _log = ran(loaded("\n".join(wrong), parallel="2"))
    assert [(event.failed, event.skipped) for event in events.values()] == [(True, False), (True, False)]


STAFF = "- group: {name: staff, ensure: absent}"
OTHER_GROUP = "- group: {name: other, ensure: absent}"


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        (f"{STAFF}\n- user: {{name: ann, ensure: absent}}", [(1, 0)]),
        # It gets another primary group before its group goes.
        (f"{STAFF}\n- user: {{name: ann, gid: root}}", [(1, 0)]),
        (f"{STAFF}\n- user: {{name: ann, gid: staff, ensure: absent}}", [(1, 0)]),
        (f"- user: {{name: ann, ensure: absent}}\n- user: {{name: bob, ensure: absent}}\n{STAFF}", [(0, 2), (1, 2)]),
        (f"{OTHER_GROUP}\n{STAFF}\n- user: {{name: ann, ensure: absent}}", [(2, 1)]),
        (f"{OTHER_GROUP}\n- user: {{name: ann, ensure: absent}}", []),
        (f"{STAFF}\n- user: {{name: nobody-knows, ensure: absent}}", []),
        ("- group: {name: staff}\n- user: {name: ann, ensure: absent}", []),
    ],
)
def test_a_group_is_removed_after_the_users_whose_primary_group_it_is_now(resources, expected, monkeypatch):
    users = {name: pwd.struct_passwd((name, "x", 5, gid, "", "/", "")) for name, gid in {"ann": 60, "bob": 60}.items()}
    groups = {name: grp.struct_group((name, "x", gid, [])) for name, gid in {"staff": 60, "other": 61}.items()}
    monkeypatch.setattr(accounts, "user", users.get)
    monkeypatch.setattr(accounts, "group", groups.get)
    found, dropped = edges(resources)
    assert ([(first, then) for _kind, first, then, _reason in found], dropped) == (expected, [])
    for _kind, first, _then, reason in found:
        name = resources.split("\n")[first].partition("name: ")[2].partition(",")[0]
        assert reason == f"user#{name} wants the group staff of group#staff, which is removed"


def order_findings(resources, directory):
    lines = "".join(f"    {line}\n" for line in resources)
    text = f"ccm:\n  resources:\n{lines}"
    return [found for found in findings(text.encode(), "m.yaml", str(directory)) if found.rule == "order"]


@pytest.mark.parametrize(("needing", "made", "reason"), [EDGES[0], EDGES[4], EDGES[13], EDGES[18]])
def test_lint_finds_them_in_the_order_of_the_list(needing, made, reason, tmp_path):
    [found] = order_findings([needing, made], tmp_path)
    assert found.message.endswith(f"which it needs: {reason}")
    assert (found.level, str(found.position)) == ("warning", "m.yaml:3:7")
    assert found.advice == "put it after that one, or set engine: {order: graph}"
    assert order_findings([made, needing], tmp_path) == []


@pytest.mark.parametrize(
    ("later", "count"),
    [
        ("require: ['exec#mint']", 0),
        ("require: ['exec#alias']", 0),
        ("require: ['exec#other']", 1),
        ("content: \"{{ sent('exec#mint').stdout }}\"", 0),
        ("content: \"{{ sent('exec#alias').stdout }}\"", 0),
        ("content: \"{{ sent('exec#other').stdout }}\"", 1),
    ],
)
def test_lint_finds_none_where_the_later_one_names_the_earlier_one(later, count, tmp_path):
    """Moving it, as the advice says, would be refused."""
    mint = "- exec: {name: mint, alias: alias, creates: /token}"
    token = f"- file: {{name: /token, ensure: present, owner: root, group: root, mode: '0600', {later}}}"
    assert len(order_findings(["- exec: {name: other}", mint, token], tmp_path)) == count

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys in whole runs: undo, several at once, watching, drawings of the graph, requests."""

from __future__ import annotations

import json
import os

import pytest
from ccm.engine.graph.automatic import Related, automatic_edges
from ccm.host import files
from ccm.model.facets import Identity
from ccm.resources.ssh_authorized_key.facets import RELATIONS

from tests.patience import wait_until
from tests.unit.undoing import REVERSE

from .keys import key
from .test_posix import resource

LINE = f"ssh-ed25519 {key(1)} a@b\n"
NOTHING = {"exec": [{"true": {"creates": "/"}}]}


@pytest.fixture
def apply(home, ccm, tmp_path):
    """`apply(resources)` applies a manifest in JSON; with words instead of resources it runs this command for it."""
    manifest = tmp_path / "m.json"

    def run(*given, command=("apply",), **others):
        if given:
            manifest.write_text(json.dumps({"ccm": {"resources": list(given), **others}}))
        return ccm(*command, manifest)

    return run


def declared(name="a@b", **values):
    return {"ssh_authorized_key": [{name: {"user": "alice", "key": key(1), **values}}]}


@pytest.mark.parametrize(
    ("before", "values", "changed"),
    [
        ("", {}, LINE),
        (f"no-pty  ssh-ed25519 {key(1)}\tc d\n", {}, LINE),
        (f"ssh-ed25519 {key(2)} a@b\n", {"options": ["no-pty"]}, f"no-pty {LINE}"),
        (f"ssh-ed25519 {key(2)} a@b\nssh-ed25519 {key(1)} c\n", {}, LINE),
        (LINE, {"ensure": "absent"}, ""),
        (f"ssh-ed25519 {key(2)} a@b\n{LINE}", {"ensure": "absent"}, ""),
    ],
)
def test_a_run_without_the_resource_brings_the_lines_back(apply, home, before, values, changed):
    home.write(f"# first\n{before}")
    assert apply(declared(**REVERSE, **values)).status == 0
    assert home.read().decode() == f"# first\n{changed}"
    home.keys.write_text(f"# first\n{changed}# added since\n")
    assert apply(NOTHING).status == 0
    order = f"{before}# added since\n" if changed else f"# added since\n{before}"
    assert home.read().decode() == f"# first\n{order}"
    assert "Nothing to undo" in apply(command=["undo"]).out


def test_the_line_before_the_first_of_two_changes_comes_back(apply, home):
    home.write(f"ssh-ed25519 {key(1)} c d\n")
    for number in (1, 2):
        assert apply(declared(key=key(number), **REVERSE)).status == 0
        assert home.read().decode() == f"ssh-ed25519 {key(number)} a@b\n"
    shown = apply(command=["undo"])
    assert "1 of 1 changes undone" in shown.out
    assert home.read().decode() == f"ssh-ed25519 {key(1)} c d\n"


def test_a_line_that_something_else_changed_is_not_undone(apply, home):
    home.write(f"ssh-ed25519 {key(2)} a@b\n")
    assert apply(declared(**REVERSE)).status == 0
    home.write(f"no-pty {LINE}")
    shown = apply(command=["undo"])
    assert "not undone: something else changed it since" in shown.out
    assert home.read().decode() == f"no-pty {LINE}"
    apply(command=["undo", "--force"])
    assert home.read().decode() == f"ssh-ed25519 {key(2)} a@b\n"


def test_a_key_that_others_could_change_can_be_undone(apply, home):
    home.write(f"ssh-ed25519 {key(2)} a@b\n")
    assert apply(declared(**REVERSE)).status == 0
    home.path.chmod(0o777)
    assert apply(command=["undo"]).status == 0
    assert home.read().decode() == f"ssh-ed25519 {key(2)} a@b\n"


def test_keys_that_are_managed_at_once_lose_none(apply, home, monkeypatch):
    home.write("# first\n")
    write_in, at_once, most = files.write_in, [], []

    def after_others(*arguments, **options):
        at_once.append(1)
        for _turn in range(1000):
            os.sched_yield()
        most.append(len(at_once))
        written = write_in(*arguments, **options)
        at_once.pop()
        return written

    monkeypatch.setattr(files, "write_in", after_others)
    # Without meta they would be managed one after the other: they wait for nothing.
    resources = [declared(f"a{number}", key=key(number), meta={"retry": 1}) for number in range(1, 61)]
    shown = apply(*resources, engine={"order": "graph", "parallel": 8})
    assert (shown.status, "Changed Resources: 60" in shown.out) == (0, True), shown
    names = {line.rpartition(" ")[2] for line in home.read().decode().splitlines()[1:]}
    assert names == {f"a{number}" for number in range(1, 61)}
    assert most == [1] * 60


def test_a_plan_and_a_difference_show_the_lines(apply, home):
    home.write(f"# first\nno-pty {LINE}")
    planned = apply(declared(), command=["plan"])
    changed = apply(command=["apply", "--diff"])
    for shown, lead in ((planned, "        "), (changed, "")):
        lines = shown.out.splitlines()
        at = lines.index(f"{lead}--- {home.keys}")
        assert lines[at + 1 : at + 5] == [
            f"{lead}+++ {home.keys}",
            f"{lead}@@ -1 +1 @@",
            f"{lead}-no-pty {LINE[:-1]}",
            f"{lead}+{LINE[:-1]}",
        ]
    assert "ssh_authorized_key#a@b: would update (options)" in planned.out


@pytest.mark.starts_processes
def test_references_name_the_type(apply, home):
    after = {"exec": [{"true": {"require": ["ssh_authorized_key#a@b"]}}]}
    shown = apply(declared(), after)
    assert (shown.status, "Changed Resources: 2" in shown.out) == (0, True), shown


def test_a_user_comes_before_the_keys_and_goes_after_them(home):
    wants = RELATIONS.wants(resource().properties)
    for is_absent, expected in ((False, (0, 1)), (True, (1, 0))):
        related = [Related([Identity("user", "alice")], is_absent=is_absent), Related(wants=wants)]
        [edge] = automatic_edges(related, ["user#alice", "ssh_authorized_key#a@b"])
        assert (edge.first, edge.then) == expected


def test_the_file_in_the_home_of_the_moment_is_watched(home):
    assert RELATIONS.watches(resource().properties) == [str(home.keys)]
    assert RELATIONS.watches(resource(user="bob").properties) == []


def test_the_command_has_flags_for_all_properties(ccm, home):
    words = ["ensure", "ssh_authorized_key", "a@b", "--user", "alice", "--key", key(1), "--type", "ed25519"]
    assert ccm(*words, "--options", "no-pty", "--options", 'from="::1"').status == 0
    assert home.read().decode() == f'no-pty,from="::1" {LINE}'
    assert ccm("ensure", "ssh_authorized_key", "a@b", "absent", "--user", "alice").status == 0
    assert home.read() == b""


def test_a_request_manages_a_key(ccm, home):
    properties = {"name": "a@b", "user": "alice", "key": key(1)}
    protocol = "io.choria.ccm.v1.resource.ensure.request"
    request = {"protocol": protocol, "type": "ssh_authorized_key", "properties": properties}
    answer = json.loads(ccm("ensure", "api", "pipe", stdin=json.dumps(request)).out)
    assert answer["state"]["status"]["metadata"]["target"] == str(home.keys)
    assert home.read().decode() == LINE


@pytest.mark.starts_processes
def test_a_key_that_comes_back_is_removed_as_soon_as_it_does(watching, me, tmp_path):
    target = tmp_path / "keys"
    target.write_text("# mine\n")
    watching.write({"ssh_authorized_key": [{"a@b": {"ensure": "absent", "user": me[0], "target": str(target)}}]})
    with watching.started():
        with target.open("a") as file:
            file.write(LINE)
        wait_until(lambda: watching.count("ssh_authorized_key#a@b changed") == 1)
        assert target.read_text() == "# mine\n"

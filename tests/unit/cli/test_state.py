# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm state`: list, show, forget, move and prune."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time

import pytest
from ccm.engine.state.lines import VERSION
from ccm.model.errors import StoreError

from tests.patience import wait_until
from tests.unit.layout import CCM
from tests.unit.stored import journal_of, write_words

COMMANDS = (("list",), ("list", "--json"), ("show", "a.yaml"), ("forget", "a.yaml"), ("move", "a.yaml", "b.yaml"))
COMMANDS += (("prune",),)
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z"
UNKNOWN = "  see what is kept: ccm state list\n"


@pytest.fixture
def store(tmp_path):
    """The directory of the state."""
    return tmp_path / "home/state"


@pytest.fixture
def apply(ccm, tmp_path):
    """Apply a manifest of these resources, one on each line, after writing it to a file."""

    def run(name="a.yaml", *resources, head=""):
        lines = "".join(f"    - {resource}\n" for resource in resources or ("exec: {name: 'true'}",))
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"ccm:\n{head}  resources:\n{lines}", encoding="utf-8")
        return ccm("apply", path)

    return run


#: The second one subscribes to the first one, and is not reached.
OWED = (
    "exec: {name: 'true'}",
    "exec: {name: 'false'}",
    "exec: {name: echo, refreshonly: true, subscribe: ['exec#true'], require: ['exec#false']}",
)


@pytest.fixture
def entry(store):
    """The directory of the only manifest of which state is kept."""

    def find():
        (found,) = (store / "manifests").iterdir()
        return found

    return find


def without_times(text):
    return re.sub(TIME, "TIME", text)


def refused(ran, message, advice=""):
    """Whether a call ended with exactly this error."""
    lines = f"ccm: error: {message}\n" + (f"  {advice}\n" if advice else "")
    return (ran.status, ran.out, ran.err) == (1, "", lines)


@pytest.mark.starts_processes
@pytest.mark.parametrize("each", ["certain", "doubtful"])
def test_the_same_refresh_is_owed_once(ccm, apply, tmp_path, me, each):
    """However many runs change the cause while its subscriber does not run, or the manifest that may have one."""
    (tmp_path / "child.yaml").write_text("ccm: {resources: [{exec: {name: 'true'}}]}", encoding="utf-8")
    child = "apply: {name: child.yaml, control: {if: '1 > 2'}}"
    for content in "abc":
        if each == "certain":
            owner = f"owner: '{me[0]}', group: '{me[1]}', mode: '0600'"
            apply("a.yaml", f"file: {{name: {tmp_path}/f, ensure: present, content: {content}, {owner}}}", child)
        else:
            subscriber = "exec: {name: echo, refreshonly: true, subscribe: ['exec#false'], require: ['exec#false']}"
            apply("a.yaml", "exec: {name: 'false'}", subscriber, child)
    owed = json.loads(ccm("state", "show", "a.yaml", "--json").out)["owed"]
    subscribers = ["apply#child.yaml/*"] if each == "certain" else ["apply#child.yaml/*", "exec#echo"]
    assert sorted(refresh["resource"] for refresh in owed) == subscribers
    assert [refresh["doubtful"] for refresh in owed] == [each == "doubtful"] * len(owed)


@pytest.mark.starts_processes
def test_the_list_counts_resources_and_refreshes(ccm, apply, tmp_path):
    apply("longer.yaml", *OWED)
    apply("a.yaml", head="  engine: {state: web}\n")
    apply("b.yaml", "exec: {name: 'true'}", "exec: {name: ':', provider: shell}")
    (tmp_path / "b.yaml").unlink()
    ran = ccm("state", "list")
    assert (ran.status, ran.err) == (0, "")
    rows = [re.split(" {2,}", without_times(line)) for line in ran.out.splitlines()]
    assert rows == [
        [f"{tmp_path}/b.yaml", "TIME", "2 resources", "0 refreshes owed", "gone"],
        [f"{tmp_path}/longer.yaml", "TIME", "1 resource", "1 refresh owed"],
        ["name:web", "TIME", "1 resource", "0 refreshes owed"],
    ]
    assert len({re.search(r"  \d", line).start() for line in ran.out.splitlines()}) == 1, "columns are aligned"


@pytest.mark.starts_processes
def test_the_list_in_json(ccm, apply, entry, store, tmp_path):
    apply("a.yaml", *OWED)
    (tmp_path / "a.yaml").unlink()
    shown = json.loads(ccm("state", "list", "--json").out)
    (found,) = shown.pop("manifests")
    assert shown == {"directory": str(store)}
    assert re.fullmatch(TIME, found.pop("written"))
    assert found == {
        "manifest": f"{tmp_path}/a.yaml",
        "directory": str(entry()),
        "resources": 1,
        "owed": 1,
        "gone": True,
        "unreadable_lines": 0,
        "lines_are_missing": False,
        "error": "",
    }


def test_where_nothing_is_kept_the_list_says_so(ccm, store, tmp_path):
    nothing = f"No state is kept in {store}\n"
    assert (ccm("state", "list").status, ccm("state", "list").out) == (0, nothing)
    assert not store.exists(), "to read a store does not make it"
    store.mkdir(mode=0o700, parents=True)
    assert ccm("state", "list").out == nothing
    (store / "manifests" / ("a" * 32)).mkdir(mode=0o700, parents=True)
    (store / "manifests" / ("a" * 32) / "lock").touch()
    (store / "manifests/notes").touch()
    assert ccm("state", "list").out == nothing
    assert json.loads(ccm("state", "list", "--json").out) == {"directory": str(store), "manifests": []}
    assert ccm("state", "list", "--state", "x").out == f"No state is kept in {tmp_path}/x\n"


@pytest.mark.starts_processes
def test_a_group_takes_the_flag_before_its_commands(ccm, apply, store):
    apply()
    os.rename(store, "moved")
    assert ccm("state", "--state", "moved", "list").out.count("1 resource ") == 1
    assert ccm("state", "list").out.startswith("No state is kept in ")


@pytest.mark.starts_processes
def test_a_manifest_is_shown(ccm, apply, entry, tmp_path, me):
    (tmp_path / "f").write_text("x")
    (tmp_path / "f").chmod(0o600)
    file = f"file: {{name: {tmp_path}/f, ensure: present, content: x, owner: {me[0]}, group: {me[1]}, mode: '0600'}}"
    apply("a.yaml", file, *OWED)
    ran = ccm("state", "show", "a.yaml")
    assert (ran.status, ran.err) == (0, "")
    width = len(f"file#{tmp_path}/f")
    assert without_times(ran.out) == (
        f"State of {tmp_path}/a.yaml\n\n"
        f"            Directory: {entry()}\n"
        "              Written: TIME\n"
        "\nRefreshes Owed\n\n"
        "  exec#echo since TIME because of exec#true\n"
        "\nResources\n\n"
        f"  file#{tmp_path}/f  converged\n"
        f"  {'exec#true'.ljust(width)}  changed: manifest\n"
    )


@pytest.mark.starts_processes
def test_a_manifest_is_shown_in_json(ccm, apply, entry, tmp_path):
    apply("a.yaml", *OWED)
    shown = json.loads(ccm("state", "show", "a.yaml", "--json").out)
    (owed,) = shown.pop("owed")
    assert re.fullmatch(TIME, owed.pop("since"))
    assert owed == {"resource": "exec#echo", "cause": "exec#true", "doubtful": False}
    (resource,) = shown.pop("resources")
    assert [len(resource.pop(name)) for name in ("wanted", "reached", "found")] == [16, 16, 16]
    assert resource == {"resource": "exec#true", "cause": "manifest"}
    assert re.fullmatch(TIME, shown.pop("written"))
    assert shown == {
        "manifest": f"{tmp_path}/a.yaml",
        "directory": str(entry()),
        "gone": False,
        "unreadable_lines": 0,
        "lines_are_missing": False,
        "undo": [],
        "lost": [],
    }


def test_a_resource_that_did_not_change_has_no_cause(ccm, apply):
    apply("a.yaml", "exec: {name: 'true', creates: /}")
    (resource,) = json.loads(ccm("state", "show", "a.yaml", "--json").out)["resources"]
    assert sorted(resource) == ["reached", "resource", "wanted"]
    assert ccm("state", "show", "a.yaml").out.endswith("Resources\n\n  exec#true  converged\n")


@pytest.mark.starts_processes
def test_a_resource_can_be_there_twice(ccm, apply):
    twice = ("exec: {name: go, command: 'false'}", "exec: {name: go, command: 'true'}")
    assert [apply("a.yaml", *order).err for order in (twice, twice[::-1])] == ["", ""]
    assert ccm("state", "show", "a.yaml").out.endswith("Resources\n\n  exec#go  failed\n")


@pytest.mark.starts_processes
def test_the_outcome_of_the_last_run_is_shown(ccm, apply, tmp_path):
    flags = f"{{name: 'test ! -e bad', cwd: {tmp_path}, control: {{unless: 'Facts.skip == \"yes\"'}}}}"

    def shown():
        (resource,) = json.loads(ccm("state", "show", "a.yaml", "--json").out)["resources"]
        return resource["cause"], resource.get("outcome")

    apply("a.yaml", f"exec: {flags}")
    assert shown() == ("manifest", None)
    (tmp_path / "bad").touch()
    apply("a.yaml", f"exec: {flags}")
    assert shown() == ("manifest", "failed")
    ccm("apply", "a.yaml", "--fact", "skip=yes")
    assert shown() == ("manifest", "skipped")
    (tmp_path / "bad").unlink()
    apply("a.yaml", f"exec: {flags}")
    assert shown() == ("never converges", None)


@pytest.mark.starts_processes
def test_a_cause_that_failed_is_in_doubt(ccm, apply):
    apply("a.yaml", "exec: {name: 'false'}", "exec: {name: echo, refreshonly: true, subscribe: ['exec#false']}")
    assert " because of exec#false, which failed and may have changed nothing\n" in ccm("state", "show", "a.yaml").out
    assert json.loads(ccm("state", "show", "a.yaml", "--json").out)["owed"][0]["doubtful"] is True


@pytest.mark.starts_processes
@pytest.mark.parametrize("path", ["a.yaml", "./a.yaml", "link.yaml", "d/../a.yaml"])
def test_a_path_means_the_file_that_it_leads_to(ccm, apply, tmp_path, path):
    apply()
    (tmp_path / "d").mkdir()
    (tmp_path / "link.yaml").symlink_to("a.yaml")
    assert ccm("state", "show", path).out.startswith(f"State of {tmp_path}/a.yaml\n")


@pytest.mark.starts_processes
def test_a_manifest_that_is_gone_is_found(ccm, apply, tmp_path):
    apply("d/a.yaml")
    shutil.rmtree(tmp_path / "d")
    assert "             Manifest: gone\n" in ccm("state", "show", "d/a.yaml").out
    (tmp_path / "other").mkdir()
    (tmp_path / "d").symlink_to("other")
    for path in ("d/a.yaml", tmp_path / "d/a.yaml"):
        assert ccm("state", "show", path).out.startswith(f"State of {tmp_path}/d/a.yaml\n")


@pytest.mark.starts_processes
def test_an_identity_of_the_list_means_itself_where_a_link_is_there_now(ccm, apply, tmp_path):
    apply("a.yaml")
    apply("b.yaml")
    (tmp_path / "a.yaml").unlink()
    (tmp_path / "a.yaml").symlink_to("b.yaml")
    assert ccm("state", "forget", tmp_path / "a.yaml").out == f"Forgot the state of {tmp_path}/a.yaml\n"
    assert ccm("state", "forget", "a.yaml").out == f"Forgot the state of {tmp_path}/b.yaml\n"


@pytest.mark.starts_processes
def test_names_and_addresses_are_no_paths(ccm, apply, store):
    apply("a.yaml", head="  engine: {state: web}\n")
    assert ccm("state", "show", "name:web").out.startswith("State of name:web\n")
    assert refused(ccm("state", "show", "name:x"), "no state is kept of name:x", UNKNOWN.strip())
    address = "https://me:hunter2@example.net/a.tgz"
    ran = ccm("state", "show", address)
    assert ran.status == 1
    assert "hunter2" not in ran.err
    assert ccm("state", "move", "name:web", address).status == 0
    assert "hunter2" not in ccm("state", "list").out
    shown = ccm("state", "show", address).out
    identity = shown.splitlines()[0].removeprefix("State of ")
    assert identity.endswith("@example.net/a.tgz")
    assert ccm("state", "show", identity).out == shown


@pytest.mark.starts_processes
@pytest.mark.parametrize("words", [("show", "x.yaml"), ("forget", "x.yaml"), ("move", "x.yaml", "y.yaml")])
def test_an_unknown_manifest_is_refused(ccm, apply, store, tmp_path, words):
    message = f"no state is kept of {tmp_path}/x.yaml"
    assert refused(ccm("state", *words), message, UNKNOWN.strip())
    assert not store.exists()
    apply("a.yaml")
    assert refused(ccm("state", *words), message, UNKNOWN.strip())
    assert len(list((store / "manifests").iterdir())) == 1


@pytest.mark.parametrize("words", [(), ("show",), ("forget",), ("move",), ("move", "a.yaml"), ("move", *"abc")])
def test_missing_words_are_a_wrong_usage(ccm, words):
    ran = ccm("state", *words)
    assert ran.status == 1
    assert ran.err.startswith("error: ")
    assert "\nusage: ccm state" in ran.err


@pytest.mark.starts_processes
def test_manifests_are_forgotten(ccm, apply, store, tmp_path):
    for name in ("a.yaml", "b.yaml", "c.yaml"):
        apply(name)
    (tmp_path / "b.yaml").unlink()
    ran = ccm("state", "forget", "a.yaml", "b.yaml", "./a.yaml")
    lines = f"Forgot the state of {tmp_path}/a.yaml\nForgot the state of {tmp_path}/b.yaml\n"
    assert (ran.status, ran.out, ran.err) == (0, lines, "")
    assert len(list((store / "manifests").iterdir())) == 1
    assert ccm("state", "list").out.startswith(f"{tmp_path}/c.yaml ")


@pytest.mark.starts_processes
def test_nothing_is_forgotten_when_one_is_unknown(ccm, apply, tmp_path):
    apply()
    ran = ccm("state", "forget", "a.yaml", "x.yaml")
    assert refused(ran, f"no state is kept of {tmp_path}/x.yaml", UNKNOWN.strip())
    assert ccm("state", "show", "a.yaml").status == 0


@pytest.mark.starts_processes
def test_a_forgotten_refresh_is_not_made(ccm, apply, tmp_path):
    apply("a.yaml", *OWED)
    ccm("state", "forget", "a.yaml")
    after = "exec: {name: echo, refreshonly: true, subscribe: ['exec#true']}"
    assert "owed" not in apply("a.yaml", "exec: {name: 'true', creates: /}", after).out


@pytest.mark.starts_processes
def test_a_moved_manifest_keeps_its_state(ccm, apply, store, tmp_path):
    apply("a.yaml", *OWED)
    os.rename("a.yaml", "b.yaml")
    ran = ccm("state", "move", "a.yaml", "b.yaml")
    assert (ran.status, ran.out, ran.err) == (0, f"Moved the state of {tmp_path}/a.yaml to {tmp_path}/b.yaml\n", "")
    assert len(list((store / "manifests").iterdir())) == 1
    after = "exec: {name: echo, refreshonly: true, subscribe: ['exec#true']}"
    assert "refreshed: owed since " in apply("b.yaml", "exec: {name: 'true', creates: /}", after).out


@pytest.mark.starts_processes
def test_a_manifest_can_be_moved_to_where_a_link_leads(ccm, apply, tmp_path):
    apply("a.yaml")
    os.rename("a.yaml", "b.yaml")
    os.symlink("b.yaml", "a.yaml")
    assert ccm("state", "move", tmp_path / "a.yaml", "b.yaml").status == 0
    assert ccm("state", "list").out.startswith(f"{tmp_path}/b.yaml ")


@pytest.mark.starts_processes
def test_moves_that_would_lose_something_are_refused(ccm, apply, tmp_path):
    apply("a.yaml", *OWED)
    apply("b.yaml")
    before = ccm("state", "list").out
    advice = f"remove it first with: ccm state forget {tmp_path}/b.yaml"
    assert refused(ccm("state", "move", "a.yaml", "b.yaml"), f"state is kept of {tmp_path}/b.yaml already", advice)
    same = f"{tmp_path}/a.yaml cannot be moved to itself"
    assert refused(ccm("state", "move", "a.yaml", "./a.yaml"), same, "name another manifest to move it to")
    (tmp_path / "d").mkdir()
    refusal = ccm("state", "move", "a.yaml", "d")
    assert refused(refusal, f"{tmp_path}/d is a directory", "name the file of the manifest")
    assert ccm("state", "list").out == before


@pytest.mark.starts_processes
def test_only_manifests_that_are_gone_are_dropped(ccm, apply, tmp_path):
    apply("a.yaml")
    apply("b.yaml")
    apply("n.yaml", head="  engine: {state: web}\n")
    for name in ("a.yaml", "n.yaml"):
        (tmp_path / name).unlink()
    ran = ccm("state", "prune")
    assert (ran.status, ran.out, ran.err) == (0, "Nothing to drop\n", "")
    ran = ccm("state", "prune", "--days", "0")
    line = f"Dropped the state of {tmp_path}/a.yaml, last written TIME\n"
    assert (ran.status, without_times(ran.out), ran.err) == (0, line, "")
    assert [line.split()[0] for line in ccm("state", "list").out.splitlines()] == [f"{tmp_path}/b.yaml", "name:web"]
    assert ccm("state", "prune", "--days", "0").out == "Nothing to drop\n"


@pytest.mark.starts_processes
def test_what_was_not_written_for_half_a_year_is_dropped(ccm, apply, tmp_path, monkeypatch):
    apply()
    (tmp_path / "a.yaml").unlink()
    now, day = os.stat("home/state").st_mtime, 24 * 60 * 60
    monkeypatch.setattr("ccm.cli.state.time.time", lambda: now + 180 * day - 60)
    assert ccm("state", "prune").out == "Nothing to drop\n"
    monkeypatch.setattr("ccm.cli.state.time.time", lambda: now + 180 * day + 60)
    assert ccm("state", "prune").out.startswith(f"Dropped the state of {tmp_path}/a.yaml, ")


@pytest.mark.starts_processes
def test_a_new_manifest_drops_what_is_not_used_any_more(ccm, apply, tmp_path, monkeypatch):
    for name in ("gone.yaml", "there.yaml"):
        apply(name)
    (tmp_path / "gone.yaml").unlink()
    apply("first.yaml")
    assert "gone.yaml" in ccm("state", "list").out
    now = time.time() + 181 * 86400
    monkeypatch.setattr("ccm.engine.state.manifests.time.time", lambda: now)
    assert "Dropped" not in apply("first.yaml", "exec: {name: echo}").out
    dropped = f" INFO  Dropped the state of a manifest that is gone manifest={tmp_path}/gone.yaml\n"
    assert dropped in apply("second.yaml").out
    listed = ccm("state", "list").out
    assert "gone.yaml" not in listed
    assert "there.yaml" in listed


@pytest.mark.starts_processes
def test_what_cannot_be_dropped_ends_no_run(ccm, apply, monkeypatch):
    def refuse(*_given):
        raise StoreError("not now")

    monkeypatch.setattr("ccm.engine.state.manifests.prune", refuse)
    done = apply("a.yaml")
    assert (done.status, "not now" in done.out + done.err) == (0, False)


@pytest.mark.parametrize(
    ("days", "message"), [("-1", "--days must be at least 0"), ("x", "expected a whole number got 'x'")]
)
def test_numbers_of_days_are_checked(ccm, days, message):
    assert refused(ccm("state", "prune", f"--days={days}"), message)


@pytest.mark.starts_processes
def test_a_very_large_number_of_days_drops_nothing(ccm, apply, tmp_path):
    apply()
    (tmp_path / "a.yaml").unlink()
    assert ccm("state", "prune", "--days", "9" * 18).out == "Nothing to drop\n"


#: Contents of a file of state that no version wrote.
DAMAGED = [b"", b"x", b"ccm-state\n", b"ccm-state\t1\tx\n", "ccm-state\t\u00b2\tx\t0\nend\n".encode()]
DAMAGED += [
    b"ccm-state\t3\tx\n",
    b"ccm-state\t1\tx\t0\nwhat\n",
    b"ccm-state\t1\tx\t0\nmanifest\tsomething else\nend\n",
    b"\xff\n",
]


@pytest.mark.starts_processes
@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_file_does_not_end_the_list(ccm, apply, entry, tmp_path, content):
    apply("a.yaml")
    damaged = entry() / "state"
    damaged.write_bytes(content)
    apply("b.yaml")
    (tmp_path / "a.yaml").unlink()
    ran = ccm("state", "list")
    assert (ran.status, ran.err) == (0, "")
    first, second = ran.out.splitlines()
    assert first.startswith(f"{tmp_path}/b.yaml ")
    assert second == f"cannot be read: {damaged} is damaged"
    shown = {each["directory"]: each["error"] for each in json.loads(ccm("state", "list", "--json").out)["manifests"]}
    assert shown.pop(str(damaged.parent)) == f"{damaged} is damaged"
    assert list(shown.values()) == [""]
    advice = "the next run puts it aside; ccm state forget removes it"
    for words in (("show", "a.yaml"), ("move", "a.yaml", "c.yaml")):
        assert refused(ccm("state", *words), f"{damaged} is damaged", advice)
    assert ccm("state", "prune", "--days", "0").out == "Nothing to drop\n"
    assert damaged.read_bytes() == content
    assert ccm("state", "forget", "a.yaml").status == 0
    assert not damaged.parent.exists()


@pytest.mark.starts_processes
def test_the_state_of_a_later_version_is_not_read(ccm, apply, entry, tmp_path):
    apply()
    file = entry() / "state"
    file.write_bytes(f"ccm-state\t{VERSION + 1}\tx\n".encode())
    message = f"{file} was written by a later version of ccm (format {VERSION + 1}, this one knows {VERSION})"
    assert ccm("state", "list").out == f"cannot be read: {message}\n"
    assert refused(ccm("state", "show", "a.yaml"), message)
    assert refused(ccm("state", "move", "a.yaml", "b.yaml"), message)
    assert ccm("state", "forget", "a.yaml").status == 0


@pytest.mark.starts_processes
def test_lines_that_are_missing_are_shown(ccm, apply, entry):
    apply()
    state = entry() / "state"
    lines = state.read_bytes().splitlines(keepends=True)
    state.write_bytes(b"".join(lines[:-1]))
    assert ccm("state", "list").out.endswith("  lines are missing\n")
    assert " Damage: lines are missing\n" in ccm("state", "show", "a.yaml").out
    assert json.loads(ccm("state", "show", "a.yaml", "--json").out)["lines_are_missing"] is True


@pytest.mark.starts_processes
def test_what_a_first_run_left_that_did_not_end(ccm, apply, entry, tmp_path):
    apply("a.yaml", *OWED)
    directory = entry()
    (directory / "state").unlink()
    owe = ["owe", "i", "exec#b", "exec#a", "2026-01-02T03:04:05Z"]
    write_words(directory / "journal", journal_of(f"{tmp_path}/a.yaml", owe, owe))
    os.truncate(directory / "journal", (directory / "journal").stat().st_size - 9)
    row = f"{tmp_path}/a.yaml  no run ended  0 resources  1 refresh owed"
    assert ccm("state", "list").out == f"{row}  1 line cannot be read\n"
    shown = ccm("state", "show", "a.yaml").out
    assert shown.startswith(f"State of {tmp_path}/a.yaml\n")
    damage = "              Written: no run ended\n               Damage: 1 line cannot be read\n"
    assert f"{damage}\nRefreshes Owed\n\n  exec#b since " in shown
    assert json.loads(ccm("state", "show", "a.yaml", "--json").out)["unreadable_lines"] == 1
    (tmp_path / "a.yaml").unlink()
    assert ccm("state", "prune", "--days", "0").out == "Nothing to drop\n"
    assert ccm("state", "move", "a.yaml", "b.yaml").status == 0
    assert ccm("state", "list").out.startswith(f"{tmp_path}/b.yaml ")


@pytest.mark.starts_processes
@pytest.mark.parametrize("words", COMMANDS)
def test_a_store_that_is_a_file_or_a_link_is_refused(ccm, apply, store, tmp_path, words):
    apply()
    os.rename(store, tmp_path / "elsewhere")
    advice = "name another directory with --state"
    store.write_text("x")
    assert refused(ccm("state", *words), f"{store} is not a directory", advice)
    store.unlink()
    store.symlink_to(tmp_path / "elsewhere")
    assert refused(ccm("state", *words), f"{store} is not a directory", advice)
    assert ccm("state", *words, "--state", "a.yaml/x").err == f"ccm: error: {tmp_path}/a.yaml/x: not a directory\n"
    (tmp_path / "nul").write_text("a\0b\n")
    assert ccm("state", *words, "--state", "@nul").err == f"ccm: error: {tmp_path}/a\\x00b: invalid argument\n"


@pytest.mark.starts_processes
@pytest.mark.parametrize("words", COMMANDS)
def test_a_store_that_others_can_change_is_refused(ccm, apply, store, words):
    apply()
    store.chmod(0o770)
    advice = "remove their permission to write"
    assert refused(ccm("state", *words), f"{store} can be changed by other users", advice)
    store.chmod(0o700)
    (store / "manifests").chmod(0o702)
    assert refused(ccm("state", *words), f"{store}/manifests can be changed by other users", advice)


@pytest.mark.starts_processes
@pytest.mark.needs("root")
@pytest.mark.parametrize("words", COMMANDS)
def test_a_store_of_another_user_is_refused(ccm, apply, store, words):
    apply()
    os.chown(store, 65534, 65534)
    advice = "name another directory with --state"
    assert refused(ccm("state", *words), f"{store} belongs to another user", advice)


@pytest.mark.starts_processes
@pytest.mark.needs("root")
def test_one_file_of_another_user_does_not_end_the_list(ccm, apply, entry, tmp_path):
    apply("a.yaml")
    file = entry() / "state"
    os.chown(file, 65534, 65534)
    apply("b.yaml")
    assert ccm("state", "list").out.splitlines()[1:] == [f"cannot be read: {file} belongs to another user"]
    assert refused(ccm("state", "show", "a.yaml"), f"{file} belongs to another user")
    os.chown(file, 0, 0)
    os.chown(file.parent, 65534, 65534)
    message = f"{file.parent} belongs to another user"
    assert ccm("state", "list").out.splitlines()[1:] == [f"cannot be read: {message}"]
    assert refused(ccm("state", "forget", "a.yaml"), message, "name another directory with --state")
    assert file.exists()


@pytest.mark.parametrize("words", COMMANDS)
def test_a_store_that_cannot_be_read_is_refused(ccm, store, as_unprivileged_user, words):
    store.parent.mkdir()
    store.parent.chmod(0o777)
    as_unprivileged_user()
    store.mkdir(mode=0)
    assert refused(ccm("state", *words), f"{store}: permission denied")


@pytest.mark.starts_processes
def test_control_characters_in_names_are_escaped(ccm, apply, entry):
    apply("a\x1b[1m\n.yaml", 'exec: {name: "echo \\x1b[2m", provider: shell}')
    for words in (("list",), ("show", "a\x1b[1m\n.yaml"), ("forget", "a\x1b[1m\n.yaml")):
        ran = ccm("state", *words)
        assert ran.status == 0
        assert "\x1b" not in ran.out
        assert "a\\x1b[1m\\n.yaml" in ran.out
        assert ("echo \\x1b[2m" in ran.out) == (words[0] == "show")


@pytest.mark.starts_processes
def test_columns_are_aligned_as_names_are_shown(ccm, apply):
    apply("a\x1b.yaml")
    apply("b.yaml")
    first, second = ccm("state", "list").out.splitlines()
    assert re.search(rf" {TIME} ", first).start() == re.search(rf" {TIME} ", second).start()


@pytest.mark.starts_processes
def test_secrets_are_not_shown(ccm, apply):
    apply("a.yaml", "exec: {name: echo --password=hunter2}")
    for words in (("show", "a.yaml"), ("show", "a.yaml", "--json")):
        assert "hunter2" not in ccm("state", *words).out
        assert "--password=REDACTED" in ccm("state", *words).out


def test_a_path_with_nul_is_refused(ccm, apply, tmp_path):
    (tmp_path / "nul").write_text("a\0b\n")
    assert refused(ccm("state", "show", "@nul"), "a\\x00b: invalid argument")


@pytest.mark.starts_processes
def test_nothing_is_owed_to_an_applied_manifest_that_subscribes_to_none_of_it(ccm, tmp_path):
    child = {
        "resources": [{"exec": [{"inner": {"refreshonly": True, "command": "true", "subscribe": ["exec#outer"]}}]}]
    }
    top = [
        {"exec": [{"outer": {"command": "true"}}]},
        {"apply": [{"c.yaml": {}}]},
        {"exec": [{"after": {"command": "true"}}]},
    ]
    (tmp_path / "c.yaml").write_text(json.dumps({"ccm": child}))
    (tmp_path / "p.yaml").write_text(json.dumps({"ccm": {"resources": top}}))
    for _run in range(2):
        assert ccm("apply", "p.yaml").out.count("exec#inner refreshed") == 1
        assert "  0 refreshes owed\n" in ccm("state", "list").out


@pytest.mark.starts_processes
def test_what_was_sent_before_a_kill_can_be_listed_and_forgotten(ccm, tmp_path):
    sender = {"mint": {"command": "echo SECRET", "meta": {"send": {"sensitive": True}}}}
    (tmp_path / "k.yaml").write_text(
        json.dumps({"ccm": {"resources": [{"exec": [sender, {"slow": {"command": "sleep 1000"}}]}]}})
    )
    process = subprocess.Popen([*CCM, "apply", "k.yaml"], stdout=subprocess.DEVNULL)
    store = tmp_path / "home/state/manifests"
    wait_until(lambda: list(store.glob("*/sent-*")) or process.poll() is not None)
    process.kill()
    process.wait()
    assert f"{tmp_path}/k.yaml" in ccm("state", "list").out
    assert ccm("state", "forget", "k.yaml").status == 0
    assert list(store.glob("*/sent-*")) == []

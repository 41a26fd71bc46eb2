# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm watch` with manifests that apply others."""

from __future__ import annotations

import json
import time

import pytest

from tests.patience import wait_until
from tests.unit.watching import content, rename_over

pytestmark = pytest.mark.starts_processes


def run_log(watching, name, log="log", after="", **more):
    """Return a command that adds a line to a file, and then runs what comes `after`."""
    return watching.exec(name, f"sh -c 'echo {name} >> {watching.directory / log}{after}'", **more)


def test_what_applied_manifests_manage_is_watched(watching, tmp_path):
    watching.write(watching.file("inner"), name="child.yaml")
    watching.write(
        {"apply": [{"child.yaml": {}}]},
        watching.appending("note", "log", refreshonly=True, subscribe=["apply#child.yaml"]),
    )
    with watching.started():
        (tmp_path / "inner").unlink()
        wait_until(content(tmp_path / "inner"))
        wait_until(content(tmp_path / "log", "note\nnote\n"))
        watching.write(watching.file("inner", "new\n"), name="child.yaml")
        wait_until(content(tmp_path / "inner", "new\n"))


def test_what_leaves_an_applied_manifest_is_undone(watching, tmp_path):
    watching.write(watching.file("one", meta={"reverse": True}), watching.file("two"), name="child.yaml")
    watching.write({"apply": [{"child.yaml": {}}]})
    with watching.started():
        wait_until(content(tmp_path / "one"))
        watching.settle()
        watching.write(watching.file("two"), name="child.yaml")
        wait_until(lambda: not (tmp_path / "one").exists())


@pytest.mark.parametrize("is_refreshonly", [True, False])
def test_files_and_commands_that_are_watched_notify_in_applied_manifests(watching, tmp_path, is_refreshonly):
    files = {"watch_files": [str(tmp_path / "trigger")]}
    command = {"watch_command": f"sh -c 'tail -n +1 -F {tmp_path}/lines 2> /dev/null'"}
    (tmp_path / "lines").touch()
    log = ["files", "command", "other"] if not is_refreshonly else []

    def appear(name):
        log.append(name)
        wait_until(content(tmp_path / "log", "".join(f"{each}\n" for each in log)))

    watching.write(
        watching.appending("files", "log", meta=files, refreshonly=is_refreshonly),
        watching.appending("command", "log", meta=command, refreshonly=is_refreshonly),
        watching.appending("other", "log", refreshonly=is_refreshonly),
        name="child.yaml",
    )
    watching.write({"apply": [{"child.yaml": {}}]})
    with watching.started():
        wait_until(lambda: watching.children() == 1)
        watching.settle()
        rename_over(tmp_path / "trigger")
        appear("files")
        with open(tmp_path / "lines", "a") as lines:
            lines.write("line\n")
        appear("command")
        watching.write(watching.file("inner"), name="child.yaml")
        wait_until(content(tmp_path / "inner"))
        wait_until(lambda: watching.children() == 0)


def test_a_command_of_an_applied_manifest_does_not_run_again_for_others(watching, tmp_path):
    watching.write(watching.file("inner"), watching.appending("note", "log"), name="child.yaml")
    watching.write({"apply": [{"child.yaml": {}}]})
    with watching.started():
        for _time in range(2):
            (tmp_path / "inner").unlink()
            wait_until(content(tmp_path / "inner"))
        watching.write({"apply": [{"child.yaml": {}}]}, watching.file("new"))
        wait_until(content(tmp_path / "new"))
        (tmp_path / "inner").unlink()
        wait_until(content(tmp_path / "inner"))
        watching.settle()
        assert (tmp_path / "log").read_text() == "note\n"
        note = watching.exec("note", f"sh -c 'echo other >> {tmp_path}/log'")
        watching.write(watching.file("inner", "new"), note, name="child.yaml")
        wait_until(content(tmp_path / "log", "note\nother\n"))
        wait_until(content(tmp_path / "inner", "new"))


def test_a_command_of_an_applied_manifest_that_failed_runs_again(watching, tmp_path):
    command = f"sh -c 'test -e {tmp_path}/there && echo ran >> {tmp_path}/log'"
    watching.write(watching.exec("note", command), watching.file("inner"), name="child.yaml")
    watching.write({"apply": [{"child.yaml": {}}]})
    with watching.started():
        (tmp_path / "there").touch()
        wait_until(content(tmp_path / "log", "ran\n"))
        (tmp_path / "inner").unlink()
        wait_until(content(tmp_path / "inner"))
        watching.settle()
        assert (tmp_path / "log").read_text() == "ran\n"


@pytest.mark.parametrize("words", [(), ("--no-state",)])
def test_what_a_command_of_an_applied_manifest_sent_is_still_there(watching, tmp_path, words):
    watching.write(
        watching.exec("word", "echo text"),
        watching.file("inner", "{{ sent('exec#word').stdout }}"),
        name="child.yaml",
    )
    watching.write({"apply": [{"child.yaml": {}}]})
    with watching.started(*words):
        for _time in range(2):
            wait_until(content(tmp_path / "inner", "text"))
            (tmp_path / "inner").unlink()
        wait_until(content(tmp_path / "inner", "text"))


def test_what_changes_in_an_applied_manifest_while_it_is_applied_is_repaired(watching, tmp_path):
    watching.write(
        watching.file("inner"), watching.exec("spoil", f"sh -c 'rm {tmp_path}/inner; sleep 0.1'"), name="child.yaml"
    )
    watching.write({"apply": [{"child.yaml": {}}]})
    with watching.started():
        wait_until(content(tmp_path / "inner"))
        watching.settle()
        assert content(tmp_path / "inner")()
    assert watching.count("exec#spoil changed") == 1


def test_other_data_run_no_commands_that_are_the_same(watching, tmp_path):
    (tmp_path / "data.yaml").write_text("data: {word: one}\n")
    watching.write(
        watching.appending("same", "log"),
        watching.exec("other", f"sh -c 'echo {{{{ Data.word }}}} >> {tmp_path}/log'"),
        name="child.yaml",
    )
    watching.write({"apply": [{"child.yaml": {}}]})
    with watching.started("--hiera", tmp_path / "data.yaml"):
        wait_until(content(tmp_path / "log", "same\none\n"))
        watching.settle()
        (tmp_path / "data.yaml").write_text("data: {word: two}\n")
        wait_until(content(tmp_path / "log", "same\none\ntwo\n"))
        watching.settle()
        assert content(tmp_path / "log", "same\none\ntwo\n")()


def test_commands_of_the_same_name_in_several_manifests_are_not_mixed_up(watching, tmp_path):
    command = f"sh -c 'echo {{{{ Data.app }}}} >> {tmp_path}/log; test -e {tmp_path}/{{{{ Data.app }}}}'"
    watching.write(watching.exec("register", command), name="common.yaml", data={"app": "none"})
    for app in ("web", "db"):
        common = {"apply": [{"common.yaml": {"data": {"app": app}}}]}
        watching.write(common, name=f"{app}.yaml")
    # `data` is beside `ccm`.
    text = json.loads((tmp_path / "common.yaml").read_text())
    text["data"] = text["ccm"].pop("data")
    (tmp_path / "common.yaml").write_text(json.dumps(text))
    watching.write({"apply": [{"web.yaml": {}}]}, {"apply": [{"db.yaml": {}}]})
    (tmp_path / "db").touch()
    with watching.started():
        wait_until(lambda: watching.count("exec#register failed") >= 1)
        (tmp_path / "web").touch()
        wait_until(lambda: watching.count("apply#web.yaml changed") >= 1)
        watching.settle()
    assert (tmp_path / "log").read_text().count("db") == 1
    assert (tmp_path / "log").read_text().count("web") >= 2


@pytest.mark.parametrize("where", ["above", "beside", "below"])
def test_resources_of_applied_manifests_are_notified_by_those_of_others(watching, tmp_path, where):
    below = watching.appending("below", "log", refreshonly=True, subscribe=[f"file#{tmp_path}/one"])
    watching.write(below, name="child.yaml")
    one = watching.file("one")
    if where == "beside":
        watching.write(one, name="other.yaml")
        one = {"apply": [{"other.yaml": {}}]}
    child = {"apply": [{"child.yaml": {}}]}
    if where == "below":
        watching.write(child, name="middle.yaml")
        child = {"apply": [{"middle.yaml": {}}]}
    watching.write(one, child)
    with watching.started():
        wait_until(content(tmp_path / "log", "below\n"))
        watching.settle()
        (tmp_path / "one").unlink()
        wait_until(content(tmp_path / "log", "below\nbelow\n"))
        watching.settle()
    assert (tmp_path / "log").read_text() == "below\nbelow\n"


def test_settings_of_resources_of_applied_manifests_are_heeded(watching, tmp_path):
    watching.write(
        watching.file("alert", meta={"watch": "alert"}),
        watching.file("off", meta={"watch": "false"}),
        watching.file("later", meta={"grace": "2s"}),
        watching.file("now"),
        name="child.yaml",
    )
    watching.write({"apply": [{"child.yaml": {}}]})
    with watching.started():
        for name in ("alert", "off", "later", "now"):
            wait_until(content(tmp_path / name))
        watching.settle()
        for name in ("alert", "off"):
            (tmp_path / name).write_text("other")
        (tmp_path / "now").unlink()
        wait_until(content(tmp_path / "now"))
        wait_until(lambda: watching.count("noop=Would have") >= 1)
        # A change of another resource has the whole manifest checked.
        watching.settle()
        begin = time.monotonic()
        (tmp_path / "later").unlink()
        wait_until(content(tmp_path / "later"))
        assert time.monotonic() - begin > 1.5
    assert [(tmp_path / name).read_text() for name in ("alert", "off")] == ["other", "other"]


def test_a_command_that_sends_runs_once_without_a_state(watching, tmp_path):
    watching.write(
        watching.exec("number", f"sh -c 'echo run >> {tmp_path}/log; date +%N'"),
        watching.file("one", "{{ sent('exec#number').stdout }}"),
        watching.file("two"),
        name="child.yaml",
    )
    watching.write({"apply": [{"child.yaml": {}}]})
    with watching.started("--no-state"):
        wait_until(content(tmp_path / "two"))
        (tmp_path / "two").unlink()
        wait_until(content(tmp_path / "two"))
        (tmp_path / "one").unlink()
        wait_until((tmp_path / "one").exists)
        watching.settle()
    assert (tmp_path / "log").read_text() == "run\n"


def test_what_requires_a_resource_of_an_applied_manifest_is_managed_after_it(watching, tmp_path):
    (tmp_path / "d").write_text("no directory")
    watching.write(watching.file("d/one"), name="child.yaml")
    watching.write(
        {"apply": [{"child.yaml": {}}]}, watching.appending("after", "log", require=[f"file#{tmp_path}/d/one"])
    )
    with watching.started():
        (tmp_path / "d").unlink()
        (tmp_path / "d").mkdir()
        wait_until(content(tmp_path / "log", "after\n"))


def test_the_template_of_resources_of_an_applied_manifest_is_watched(watching, tmp_path):
    def template(text):
        owner = ", ".join(f"{name}: '{value}'" for name, value in watching.owner.items())
        (tmp_path / "new").write_text(f"- file: [{{{tmp_path}/one: {{ensure: present, content: {text}, {owner}}}}}]\n")
        (tmp_path / "new").rename(tmp_path / "child.jet")

    template("first")
    (tmp_path / "child.yaml").write_text("ccm: {resources_jet_file: child.jet}\n")
    watching.write({"apply": [{"child.yaml": {}}]})
    with watching.started():
        wait_until(content(tmp_path / "one", "first"))
        watching.settle()
        template("second")
        wait_until(content(tmp_path / "one", "second"))


@pytest.mark.parametrize("words", [(), ("--no-state",)])
@pytest.mark.parametrize("is_below", [True, False])
def test_a_refresh_that_failed_is_made_up_for(watching, tmp_path, words, is_below):
    command = run_log(watching, "try", after=f"; test -e {tmp_path}/ok", refreshonly=True)
    command["exec"][0]["try"]["subscribe"] = [f"file#{tmp_path}/one"]
    watching.write(watching.file("one"), command, name="child.yaml" if is_below else "m.yaml")
    if is_below:
        watching.write({"apply": [{"child.yaml": {}}]})
    with watching.started(*words):
        wait_until(lambda: watching.count("exec#try failed") >= 1)
        (tmp_path / "ok").touch()
        wait_until(lambda: watching.count("exec#try refreshed") == 1)
        watching.settle()
        count = (tmp_path / "log").read_text().count("try")
        assert count == watching.count("exec#try failed") + 1
        watching.rest()
        assert (tmp_path / "log").read_text().count("try") == count


def test_what_notifies_a_command_can_be_replaced(watching, tmp_path):
    def write(number, **more):
        meta = {
            "watch_files": [str(tmp_path / f"trigger{number}")],
            "watch_command": f"sh -c 'tail -n +1 -F {tmp_path}/lines{number} 2> /dev/null'",
        }
        watching.write(
            watching.file("one"),
            watching.appending("note", "log", refreshonly=True, meta=meta, **more),
            name="child.yaml",
        )

    def lines():
        return (tmp_path / "log").read_text().count("\n")

    for number in (1, 2):
        (tmp_path / f"lines{number}").touch()
    write(1, subscribe=[f"file#{tmp_path}/one"])
    watching.write({"apply": [{"child.yaml": {}}]})
    with watching.started():
        wait_until(content(tmp_path / "log", "note\n"))
        watching.settle()
        write(2)
        wait_until(lambda: watching.children() == 1)
        watching.settle()
        before = lines()
        (tmp_path / "trigger1").touch()
        (tmp_path / "one").unlink()
        wait_until(content(tmp_path / "one"))
        with open(tmp_path / "lines1", "a") as file:
            file.write("line\n")
        watching.settle()
        assert lines() == before
        rename_over(tmp_path / "trigger2")
        wait_until(lambda: lines() == before + 1)
        with open(tmp_path / "lines2", "a") as file:
            file.write("line\n")
        wait_until(lambda: lines() == before + 2)
        wait_until(lambda: watching.children() == 1)


@pytest.mark.parametrize("is_below", [True, False])
def test_commands_that_differ_in_a_secret_are_different(watching, tmp_path, is_below):
    (tmp_path / "trigger").touch()
    commands = [
        {"exec": [{f"sh -c 'echo {word} >> {tmp_path}/log' --password={word}": {}}]} for word in ("hidden1", "hidden2")
    ]
    commands[0]["exec"][0][next(iter(commands[0]["exec"][0]))] = {"meta": {"watch_files": [str(tmp_path / "trigger")]}}
    watching.write(watching.file("one"), *commands, name="child.yaml" if is_below else "m.yaml")
    if is_below:
        watching.write({"apply": [{"child.yaml": {}}]})
    with watching.started():
        wait_until(content(tmp_path / "log", "hidden1\nhidden2\n"))
        for _time in range(2):
            (tmp_path / "one").unlink()
            wait_until(content(tmp_path / "one"))
        watching.settle()
        assert content(tmp_path / "log", "hidden1\nhidden2\n")()
        rename_over(tmp_path / "trigger")
        wait_until(content(tmp_path / "log", "hidden1\nhidden2\nhidden1\n"))


@pytest.mark.parametrize("is_below", [True, False])
def test_a_command_whose_health_check_fails_runs_again(watching, tmp_path, is_below):
    check = {"command": f"sh -c 'test $(wc -l < {tmp_path}/log) -ge 2'", "format": "nagios"}
    command = watching.appending("note", "log", health_checks=[check])
    watching.write(command, name="child.yaml" if is_below else "m.yaml")
    if is_below:
        watching.write({"apply": [{"child.yaml": {}}]})
    with watching.started():
        wait_until(content(tmp_path / "log", "note\nnote\n"))
        watching.rest()
        assert content(tmp_path / "log", "note\nnote\n")()


def test_settings_of_applied_manifests_below_are_heeded(watching, tmp_path):
    for name in ("alert", "off"):
        watching.write(watching.file(name), name=f"{name}.yaml")
    watching.write(
        {"apply": [{"alert.yaml": {"meta": {"watch": "alert"}}}]},
        {"apply": [{"off.yaml": {"meta": {"watch": "false"}}}]},
        watching.file("one"),
        name="child.yaml",
    )
    watching.write({"apply": [{"child.yaml": {}}]})
    with watching.started():
        wait_until(content(tmp_path / "one"))
        watching.settle()
        for name in ("alert", "off"):
            (tmp_path / name).unlink()
        wait_until(lambda: watching.count("noop=Would have created") >= 1)
        (tmp_path / "one").unlink()
        wait_until(content(tmp_path / "one"))
        watching.settle()
    assert [(tmp_path / name).exists() for name in ("alert", "off")] == [False, False]


def test_what_is_not_watched_is_refreshed_and_not_repaired(watching, tmp_path):
    command = f"sh -c 'touch {tmp_path}/made; echo ran >> {tmp_path}/log'"
    watching.write(
        watching.exec(
            "make",
            command,
            creates=str(tmp_path / "made"),
            subscribe=[f"file#{tmp_path}/top"],
            meta={"watch": "false"},
        ),
        watching.file("one"),
        name="child.yaml",
    )
    watching.write(watching.file("top"), {"apply": [{"child.yaml": {}}]})
    with watching.started():
        wait_until(content(tmp_path / "one"))
        watching.settle()
        before = (tmp_path / "log").read_text()
        (tmp_path / "made").unlink()
        (tmp_path / "one").unlink()
        wait_until(content(tmp_path / "one"))
        watching.settle()
        assert (tmp_path / "log").read_text() == before
        (tmp_path / "top").unlink()
        wait_until(content(tmp_path / "log", before + "ran\n"))


def test_what_is_only_reported_is_not_settled(watching, tmp_path):
    watching.write(watching.exec("never", "true"), watching.file("one"), name="child.yaml")
    watching.write({"apply": [{"child.yaml": {"noop": True}}]})
    (tmp_path / "one").write_text("other")
    with watching.started():
        wait_until(lambda: watching.count("exec#never changed") >= 1)
        (tmp_path / "one").unlink()
        wait_until(lambda: watching.count("exec#never changed") >= 2)
        watching.settle()
    assert watching.count("exec#never stable") == 0


@pytest.mark.starts_processes
def test_a_refresh_that_failed_in_an_applied_manifest_is_made_up_for(watching, tmp_path):
    note = watching.exec(
        "note",
        f"sh -c 'test -e {tmp_path}/allowed && touch {tmp_path}/noted'",
        refreshonly=True,
        subscribe=[f"file#{tmp_path}/inner"],
    )
    (tmp_path / "inner").write_text("text\n")
    (tmp_path / "inner").chmod(0o644)
    watching.write(watching.file("inner"), note, name="child.yaml")
    watching.write({"apply": [{"child.yaml": {}}]})
    with watching.started():
        (tmp_path / "inner").write_text("other")
        wait_until(lambda: watching.count("exec#note failed") >= 1)
        (tmp_path / "allowed").touch()
        wait_until((tmp_path / "noted").exists)

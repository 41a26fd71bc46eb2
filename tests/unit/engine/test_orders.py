# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between the orders of resources: each row of the table in docs/architecture.md, through the command."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess

import pytest

from tests.patience import PATIENCE, wait_until
from tests.unit.layout import CCM, ROOT
from tests.unit.processes import is_asleep
from tests.unit.watching import content

from .probes import outcomes_in

TITLE = "## Differences between the orders"
LIST, GRAPH = {}, {"order": "graph"}
AT_ONCE = {"order": "graph", "parallel": 2}
ORDERS = pytest.mark.parametrize("order", ["list", "graph", "watch"])
ENGINES = {"list": LIST, "graph": GRAPH, "watch": LIST}
OF_BOTH = pytest.mark.parametrize("engine", [LIST, GRAPH], ids=["list", "graph"])


def rows():
    """Return the rows of the table, each as a list of its cells."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    section = text.partition(f"{TITLE}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_each_row_of_the_table_names_its_tests_and_each_test_is_named():
    named = {cells[0]: re.findall(r"`(test_\w+)`", cells[-1]) for cells in rows()}
    assert named, TITLE
    assert [what for what, names in named.items() if not names] == []
    here = {name for name in globals() if name.startswith("test_")}
    here.remove("test_each_row_of_the_table_names_its_tests_and_each_test_is_named")
    assert {name for names in named.values() for name in names} == here
    assert {len(cells) for cells in rows()} == {5}


@pytest.fixture
def apply(ccm, watching):
    """Apply a manifest of these resources in this process; the result of the command."""

    def run(*resources, engine=LIST, status=0, words=(), **more):
        write(watching, *resources, engine=engine, **more)
        done = ccm("apply", "m.yaml", "--no-report", "--state", watching.environment["CCM_STATE"], *words)
        assert done.status == status, done.err
        return done.out + done.err

    return run


def write(watching, *resources, engine=LIST, **more):
    watching.write(*resources, **({"engine": engine} if engine else {}), **more)


def until(path):
    """Return a part of a shell command that waits for a file."""
    return f"until test -e {path}; do sleep 0.01; done"


def events(text):
    """Return the outcomes of the resources in a log, in their order."""
    return re.findall(r"(?:exec|file|apply)#(\S+) (changed|refreshed|stable|failed|skipped)", text)


# Ctrl-C, and what is undone after it.


@contextlib.contextmanager
def interrupted(watching, order, number=signal.SIGINT):
    """Run m.yaml in another process, give it a signal once a command has begun, and yield it."""
    words = ["watch"] if order == "watch" else ["apply"]
    with open(watching.directory / "out", "w") as out:
        process = subprocess.Popen(
            [*CCM, *words, str(watching.directory / "m.yaml")],
            cwd=watching.directory,
            env=watching.environment,
            stdout=out,
            stderr=out,
            stdin=subprocess.DEVNULL,
        )
    try:
        wait_until((watching.directory / "began").exists)
        wait_until(lambda: is_asleep(process.pid))
        process.send_signal(number)
        yield process
    finally:
        (watching.directory / "go").touch()
        process.kill()
        process.wait()


def waiting(watching):
    """Return a command that says that it began, waits for the file `go`, and says that it ended."""
    directory = watching.directory
    return watching.exec("slow", f"sh -c 'touch {directory}/began; {until(directory / 'go')}; touch {directory}/ended'")


@pytest.mark.starts_processes
@ORDERS
def test_ctrl_c(watching, tmp_path, order):
    write(watching, watching.file("one"), waiting(watching), watching.file("never"), engine=ENGINES[order])
    with interrupted(watching, order) as process:
        if order != "list":
            wait_until(lambda: "waiting for what runs" in watching.out())
            assert process.poll() is None
            (tmp_path / "go").touch()
        assert process.wait(PATIENCE) == 130
        assert (tmp_path / "ended").exists() == (order != "list")
    assert not (tmp_path / "never").exists()
    ran = [("one", "changed")] if order == "list" else [("one", "changed"), ("slow", "changed")]
    assert [(name.rpartition("/")[2], outcome) for name, outcome in events(watching.out())] == ran
    assert watching.count("ccm: error: interrupted") == (order != "watch")
    assert watching.count("Total Resources: 2") == (order == "graph")


@pytest.mark.starts_processes
@pytest.mark.parametrize("order", ["graph", "watch"])
def test_the_second_ctrl_c_ends_commands(watching, order):
    write(watching, waiting(watching), watching.file("never"), engine=ENGINES[order])
    with interrupted(watching, order) as process:
        wait_until(lambda: "waiting for what runs" in watching.out())
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
    assert events(watching.out()) == [("slow", "failed")]
    assert "ending commands" in watching.out()


@pytest.mark.starts_processes
def test_sigterm_ends_watch_as_ctrl_c_does(watching, tmp_path):
    write(watching, waiting(watching), watching.file("never"))
    with interrupted(watching, "watch", signal.SIGTERM) as process:
        wait_until(lambda: "waiting for what runs" in watching.out())
        (tmp_path / "go").touch()
        assert process.wait(PATIENCE) == 0
    assert events(watching.out()) == [("slow", "changed")]


@pytest.mark.starts_processes
@ORDERS
def test_nothing_is_undone_by_a_run_that_was_interrupted(ccm, apply, watching, tmp_path, order):
    apply(watching.file("gone", meta={"reverse": True}), watching.file("one"))
    write(watching, watching.file("one"), waiting(watching), engine=ENGINES[order])
    with interrupted(watching, order) as process:
        (tmp_path / "go").touch()
        assert process.wait(PATIENCE) == 130
    assert (tmp_path / "gone").exists()
    state = ("--state", watching.environment["CCM_STATE"])
    assert ccm("apply", "m.yaml", *state, *(["--until-converged", "1ms"] if order == "watch" else [])).status == 0
    assert not (tmp_path / "gone").exists()


@pytest.mark.starts_processes
@OF_BOTH
def test_nothing_is_undone_by_a_run_that_fail_on_error_ended(apply, watching, tmp_path, engine):
    apply(watching.file("gone", meta={"reverse": True}), watching.file("one"), engine=engine)
    for command, is_left in (("false", True), ("true", False)):
        apply(watching.exec("last", command), engine=engine, fail_on_error=True)
        assert (tmp_path / "gone").exists() == is_left


@pytest.mark.starts_processes
@OF_BOTH
def test_nothing_is_undone_by_a_watch_whose_first_run_fail_on_error_ended(apply, watching, tmp_path, engine):
    apply(watching.file("gone", meta={"reverse": True}), watching.file("one"), engine=engine)
    write(watching, watching.exec("last", "false"), engine=engine, fail_on_error=True)
    with watching.started():
        wait_until(lambda: watching.count("exec#last failed") >= 2)
        assert (tmp_path / "gone").exists()


# A failure.


@pytest.mark.starts_processes
def test_fail_on_error_in_the_order_of_the_list(apply, watching, tmp_path):
    output = apply(watching.exec("a", "false"), watching.file("never"), fail_on_error=True)
    assert events(output) == [("a", "failed")]
    assert output.count("Terminating manifest execution due to failed resource") == 1
    assert not (tmp_path / "never").exists()


@pytest.mark.starts_processes
def test_fail_on_error_in_graph_order(apply, watching, tmp_path):
    """What runs is finished: here it ends after the session has the beginning of the run and the failure."""
    (tmp_path / "session").mkdir()
    recorded = f"test $(ls {tmp_path}/session | wc -l) -ge 2"
    failing = watching.exec("a", f"sh -c '{until(tmp_path / 'began')}; false'")
    running = watching.exec("b", f"sh -c 'touch {tmp_path}/began; until {recorded}; do sleep 0.01; done'")
    resources = (failing, running, watching.file("never"))
    output = apply(*resources, engine=AT_ONCE, fail_on_error=True, words=("--session", "session"))
    found = {name.rpartition("/")[2]: outcome for name, outcome in events(output)}
    assert found == {"a": "failed", "b": "changed", "never": "skipped"}
    assert output.count("Terminating manifest execution due to failed resource") == 1
    assert not (tmp_path / "never").exists()


@pytest.mark.starts_processes
def test_fail_on_error_in_watch(watching, tmp_path):
    write(watching, watching.exec("a", f"test -e {tmp_path}/ok"), watching.file("late"), fail_on_error=True)
    with watching.started():
        wait_until(lambda: watching.count("exec#a failed") >= 2)
        assert not (tmp_path / "late").exists()
        (tmp_path / "ok").touch()
        wait_until(content(tmp_path / "late"))


@pytest.mark.starts_processes
@OF_BOTH
def test_a_failure_is_managed_again_by_the_next_run(apply, watching, tmp_path, engine):
    resources = (watching.exec("a", f"test -e {tmp_path}/ok"), watching.file("one", require=["exec#a"]))
    assert [outcome for _name, outcome in events(apply(*resources, engine=engine))] == ["failed", "skipped"]
    (tmp_path / "ok").touch()
    assert [outcome for _name, outcome in events(apply(*resources, engine=engine))] == ["changed", "changed"]


@pytest.mark.starts_processes
def test_watch_manages_a_failure_again(watching, tmp_path):
    write(watching, watching.exec("a", f"test -e {tmp_path}/ok"), watching.file("one", require=["exec#a"]))
    with watching.started():
        wait_until(lambda: watching.count("exec#a failed") >= 2)
        (tmp_path / "ok").touch()
        wait_until(content(tmp_path / "one"))


@pytest.mark.starts_processes
def test_tries_hold_up_the_list(apply, watching, tmp_path):
    resources = (
        watching.exec("a", f"test -e {tmp_path}/b", meta={"retry": 2, "delay": "1ms"}),
        watching.exec("b", f"touch {tmp_path}/b"),
    )
    output = apply(*resources)
    assert (events(output), output.count("Trying again")) == ([("a", "failed"), ("b", "changed")], 2)


@pytest.mark.starts_processes
def test_tries_hold_one_of_the_resources_that_run_at_once(apply, watching, tmp_path):
    resources = (
        watching.exec("a", f"test -e {tmp_path}/b", meta={"retry": -1, "delay": "1ms"}),
        watching.exec("b", f"sh -c '{until(tmp_path / 'begun')}; touch {tmp_path}/b'"),
    )
    (tmp_path / "begun").touch()
    assert sorted(events(apply(*resources, engine=AT_ONCE))) == [("a", "changed"), ("b", "changed")]


@pytest.mark.starts_processes
def test_watch_manages_others_between_two_tries(watching, tmp_path):
    write(watching, watching.exec("a", "false", meta={"retry": -1, "delay": "1h"}), watching.file("one"))
    with watching.started():
        wait_until(content(tmp_path / "one"))
        assert (watching.count("exec#a failed"), watching.count("Trying again")) == (1, 0)


# References and names.


@pytest.mark.starts_processes
def test_a_missing_reference_in_the_order_of_the_list(apply, watching):
    """It fails its resource in the run, as recorded; references that the original does not know are refused."""
    given = {"refreshonly": True, "subscribe": ["exec#none"]}
    output = apply(watching.exec("a", "true", require=["exec#none"]), watching.exec("b", "true", **given))
    assert output.count("errors=no events found for exec#none") == 2
    assert events(output) == [("a", "failed"), ("b", "failed")]
    receiver = watching.file("a", "{{ sent('exec#none').stdout }}")
    for refused in (receiver, *(watching.file("a", meta={word: ["exec#none"]}) for word in ("before", "notify"))):
        output = apply(refused, status=1)
        assert re.search(r"there is no such resource in this manifest: exec#none\n  at m.yaml:1:\d+ ", output), output


def test_a_missing_reference_is_refused_in_graph_order(apply, watching, tmp_path):
    output = apply(watching.file("a"), watching.file("b", require=["exec#none"]), engine=GRAPH, status=1)
    assert re.search(r"there is no such resource in this manifest: exec#none\n  at m.yaml:1:\d+ ", output)
    assert not (tmp_path / "a").exists()


@pytest.mark.starts_processes
def test_a_missing_reference_in_watch_is_as_in_the_order_of_its_manifest(watching, tmp_path):
    resources = (watching.file("a"), watching.file("b", require=["exec#none"]))
    write(watching, *resources)
    with watching.started():
        assert watching.count("no events found for exec#none") >= 1
    (tmp_path / "a").unlink()
    write(watching, *resources, engine=GRAPH)
    with watching.started():
        assert watching.process.wait(PATIENCE) == 1
    assert "there is no such resource in this manifest: exec#none" in watching.out()
    assert not (tmp_path / "a").exists()


@pytest.mark.starts_processes
def test_the_order_of_the_list_refuses_to_wait_for_a_later_resource(apply, watching, tmp_path):
    later, first = watching.exec("b", "true"), f"file#{tmp_path}/a"
    assert "errors=no events found for exec#b" in apply(watching.file("a", require=["exec#b"]), later)
    given = {"refreshonly": True, "subscribe": ["exec#b"]}
    assert "errors=no events found for exec#b" in apply(watching.exec("c", "true", **given), later)
    for meta in ({"before": [first]}, {"notify": [first]}):
        output = apply(watching.file("a"), watching.exec("b", "true", meta=meta), status=1)
        assert re.search(r"this resource comes earlier in the list: file#.*\n  at m.yaml:1:\d+ ", output), output
    output = apply(watching.file("a", "{{ sent('exec#b').stdout }}"), later, status=1)
    assert re.search(r"this resource comes later in the list: exec#b\n  at m.yaml:1:\d+ ", output), output


@pytest.mark.starts_processes
@pytest.mark.parametrize("by", ["require", "subscribe", "before", "notify", "sent"])
def test_graph_order_waits_for_a_later_resource(apply, watching, tmp_path, by):
    given = {by: ["exec#b"]} if by in ("require", "subscribe") else {}
    command = "echo {{ sent('exec#b').stdout }}" if by == "sent" else "true"
    meta = {by: ["exec#a"]} if by in ("before", "notify") else {}
    output = apply(watching.exec("a", command, **given), watching.exec("b", "echo b", meta=meta), engine=GRAPH)
    assert [name for name, _outcome in events(output)] == ["b", "a"]


def test_a_circle_is_refused_in_graph_order(apply, watching, tmp_path):
    one, two = (watching.file(name, require=[f"file#{tmp_path}/{other}"]) for name, other in ("ab", "ba"))
    output = apply(one, two, engine=GRAPH, status=1)
    assert "the resources depend on each other in a circle: " in output
    assert not (tmp_path / "a").exists()
    output = apply(one, two)
    assert [outcome for _name, outcome in events(output)] == ["failed", "skipped"]


@OF_BOTH
def test_what_notifies_a_resource_of_an_applied_manifest(apply, watching, tmp_path, engine):
    watching.write(watching.file("inner"), name="child.yaml")
    outer = watching.file("outer", meta={"before": [f"file#{tmp_path}/inner"]})
    output = apply({"apply": [{"child.yaml": {}}]}, outer, engine=engine, status=0 if engine else 1)
    if engine:
        assert [name.rpartition("/")[2] for name, _outcome in events(output)] == ["outer", "inner", "child.yaml"]
    else:
        assert "there is no such resource in this manifest" in output


@OF_BOTH
def test_automatic_edges(apply, watching, tmp_path, engine):
    directory = {"ensure": "directory", **watching.owner, "mode": "0755"}
    output = apply(watching.file("d/one"), {"file": [{str(tmp_path / "d"): directory}]}, engine=engine)
    found = [(name.rpartition("/")[2], outcome) for name, outcome in events(output)]
    assert found == [("d", "changed"), ("one", "changed")] if engine else [("one", "failed"), ("d", "changed")]


@pytest.mark.starts_processes
def test_one_name_twice_in_the_order_of_the_list(apply, watching):
    """Each is managed, and the last event counts for what requires the name."""
    twice = [watching.exec("a", command) for command in ("true", "false")]
    after = watching.exec("b", "true", require=["exec#a"])
    output = apply(*twice, after)
    assert events(output) == [("a", "changed"), ("a", "failed"), ("b", "skipped")]


@pytest.mark.starts_processes
def test_one_name_twice_in_graph_order(apply, watching):
    same = [watching.exec("a", "true") for _time in range(2)]
    assert events(apply(*same, engine=GRAPH)) == [("a", "changed")]
    output = apply(same[0], watching.exec("a", "false"), engine=GRAPH, status=1)
    assert re.search(r"is declared twice, with different properties\n  at m.yaml:1:\d+ ", output)


@pytest.mark.starts_processes
@OF_BOTH
def test_one_name_twice_in_watch_is_as_in_the_order_of_its_manifest(watching, engine):
    write(watching, *(watching.exec("a", "true") for _time in range(2)), engine=engine)
    with watching.started():
        watching.settle()
        assert watching.count("exec#a changed") == (1 if engine else 2)


# What changed before.


def test_subscribe_looks_at_the_last_event_in_the_order_of_the_list(probes):
    """One that changed, and was then found as it should be, did not change."""
    probes.write(probes.probe("a"), probes.probe("a", alone=True), probes.probe("b", subscribe=["a"]))
    (probes.directory / "b").write_text("new", encoding="utf-8")
    output = probes.short(probes.ccm("apply", "m.yaml", "--no-report", "--no-state").out)
    assert re.findall(r"probe#(\w) (\w+)", output) == [("a", "changed"), ("a", "stable"), ("b", "stable")]


def test_subscribe_looks_at_the_only_event_in_graph_order(probes):
    probes.engine = GRAPH
    probes.write(probes.probe("b", subscribe=["a"]), probes.probe("a"), probes.probe("a"))
    (probes.directory / "b").write_text("new", encoding="utf-8")
    output = probes.short(probes.ccm("apply", "m.yaml", "--no-report", "--no-state").out)
    assert re.findall(r"probe#(\w) (\w+)", output) == [("a", "changed"), ("b", "refreshed")]


@pytest.mark.starts_processes
def test_subscribe_looks_at_one_step_in_watch(watching, tmp_path):
    """What changed before is not a reason for ever: the command is checked again and again, and refreshed once."""
    subscriber = watching.exec(
        "it",
        "true",
        refreshonly=True,
        subscribe=[f"file#{tmp_path}/one"],
        unless=f"sh -c 'echo checked >> {tmp_path}/log; false'",
        meta={"poll": "50ms"},
    )
    write(watching, watching.file("one", meta={"watch": "false"}), subscriber)
    with watching.started():
        wait_until(lambda: watching.count("exec#it refreshed") == 1)
        wait_until(lambda: (tmp_path / "log").read_text().count("checked") > 3)
    assert watching.count("exec#it refreshed") == 1


@pytest.mark.parametrize("engine", [LIST, GRAPH], ids=["list", "graph"])
def test_a_refresh_that_failed_is_made_by_the_next_run(probes, engine):
    probes.engine = engine
    probes.write(probes.probe("a"), probes.probe("b", subscribe=["a"]))
    probes.plan(b="fail")
    assert probes.outcomes() == {"a": "changed", "b": "failed"}
    output = probes.apply()
    assert "refreshed: owed since" in output
    assert outcomes_in(output)["a"] == "stable"


@pytest.mark.starts_processes
def test_a_refresh_that_failed_is_made_in_a_later_step_of_watch(watching, tmp_path):
    command = f"sh -c 'test -e {tmp_path}/ok'"
    write(
        watching,
        watching.file("one"),
        watching.exec("it", command, refreshonly=True, subscribe=[f"file#{tmp_path}/one"]),
    )
    with watching.started():
        (tmp_path / "ok").touch()
        wait_until(lambda: watching.count("exec#it refreshed") == 1)


@pytest.mark.starts_processes
@OF_BOTH
def test_a_command_without_a_condition_runs_in_each_run(apply, watching, engine):
    for _run in range(2):
        assert events(apply(watching.exec("a", "true"), engine=engine)) == [("a", "changed")]


@pytest.mark.starts_processes
@pytest.mark.parametrize("where", ["top", "child"])
def test_a_command_without_a_condition_runs_once_in_watch(watching, tmp_path, where):
    """Also where the whole manifest that has it is checked again."""
    trigger = {"watch_files": [str(tmp_path / "trigger")]}
    resources = (watching.file("one"), watching.appending("a", "log", meta=trigger))
    if where == "child":
        watching.write(*resources, name="child.yaml")
        resources = ({"apply": [{"child.yaml": {}}]},)
    write(watching, *resources)
    with watching.started():
        (tmp_path / "one").unlink()
        wait_until(content(tmp_path / "one"))
        watching.settle()
        assert (tmp_path / "log").read_text() == "a\n"
        (tmp_path / "trigger").touch()
        wait_until(content(tmp_path / "log", "a\na\n"))


# Several at once.


def test_parallel_is_refused_in_the_order_of_the_list(apply, watching):
    output = apply(watching.file("a"), engine={"parallel": 2}, status=1)
    assert re.search(r"parallel needs order: graph\n  at m.yaml:1:\d+\n", output), output


@pytest.mark.starts_processes
def test_parallel_in_graph_order(apply, watching, tmp_path):
    """Each waits for the other one, and the events come as they end."""
    resources = (
        watching.exec("a", f"sh -c 'touch {tmp_path}/a; {until(tmp_path / 'b')}; {until(tmp_path / 'c')}'"),
        watching.exec("b", f"sh -c 'touch {tmp_path}/b; {until(tmp_path / 'a')}'"),
        watching.exec("c", f"touch {tmp_path}/c", require=["exec#b"]),
    )
    names = [name for name, _outcome in events(apply(*resources, engine=AT_ONCE))]
    # The commands a and c end at about the same time.
    assert (names[0], sorted(names)) == ("b", ["a", "b", "c"])


@pytest.mark.starts_processes
def test_parallel_in_watch(watching, tmp_path):
    """What is due and does not depend on each other is repaired at once, with graph order."""
    names = ("a", "b")
    waits = {name: f"sh -c 'touch {tmp_path}/{name}; {until(tmp_path / other)}'" for name, other in ("ab", "ba")}
    subscribers = (
        watching.exec(name, waits[name], refreshonly=True, subscribe=[f"file#{tmp_path}/one"]) for name in names
    )
    write(watching, watching.file("one"), *subscribers, engine=AT_ONCE)
    with watching.started():
        wait_until(lambda: all(watching.count(f"exec#{name} refreshed") == 1 for name in names))
        watching.settle()
        for name in names:
            (tmp_path / name).unlink()
        (tmp_path / "one").unlink()
        wait_until(lambda: all(watching.count(f"exec#{name} refreshed") == 2 for name in names))


def test_groups_are_neighbours_in_the_order_of_the_list(probes):
    probes.write(probes.probe("a"), probes.probe("b"), probes.probe("x", alone=True), probes.probe("c"))
    probes.apply()
    assert probes.calls("write") == ["write a b", "write x", "write c"]


def test_groups_may_start_at_the_same_time_in_graph_order(probes):
    probes.engine = GRAPH
    probes.write(probes.probe("a"), probes.probe("x", alone=True), probes.probe("c"), probes.probe("b", require=["x"]))
    probes.apply()
    assert probes.calls("write") == ["write a c", "write x", "write b"]


@pytest.mark.starts_processes
@pytest.mark.parametrize("engine", [LIST, GRAPH, AT_ONCE], ids=["list", "graph", "at once"])
def test_groups_in_watch_are_of_what_is_repaired_at_once(probes, engine):
    """The first run has the groups of its order; after it each is alone, unless several are repaired at once."""
    probes.engine = engine
    names = [str(probes.directory / name) for name in "ab"]
    spoil = {"exec": [{"spoil": {"command": f"rm {' '.join(names)}"}}]}
    probes.write(probes.probe("a"), probes.probe("b"), spoil if not engine else after(spoil, probes, "ab"))
    done = probes.ccm("watch", "m.yaml", "--exit-converged", "200ms")
    assert done.status == 0, done.err
    again = ["write a b"] if engine is AT_ONCE else ["write a", "write b"]
    assert probes.calls("write") == ["write a b", *again]


def after(command, probes, names):
    """Return the command, required to come after some probes."""
    ((name, given),) = command["exec"][0].items()
    return {"exec": [{name: {**given, "require": [probes.reference(other) for other in names]}}]}


@OF_BOTH
def test_there_are_no_groups_under_fail_on_error(probes, engine):
    probes.engine = engine
    probes.write(probes.probe("a"), probes.probe("b"), fail_on_error=True)
    probes.apply()
    assert probes.calls("write") == ["write a", "write b"]

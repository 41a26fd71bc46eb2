# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of what surrounds a resource, through the command: one test for each reason why two neighbours are so.

From outside to inside: values that others send, watching and state between runs, tries and times of `meta`, the
resource with what is kept on disk before it changes.
"""

from __future__ import annotations

import json
import re

import pytest
from ccm.engine.around import Around, stack_of
from ccm.engine.context import Context
from ccm.engine.grouped_order import GroupedOrder
from ccm.engine.run import Run
from ccm.engine.session import Session

from tests.patience import wait_until
from tests.unit.watching import content, rename_over

from .lamp_type import lamp
from .probes import outcomes_in
from .test_grouping import ShelfProvider, box

BOTH = pytest.mark.parametrize("engine", [{}, {"order": "graph"}], ids=["list", "graph"])
SKIPPED, CHANGED = (True, False, False), (False, False, True)
WHERE = pytest.mark.parametrize("where", ["top", "child"])
CANARY = "canary-7e1b"


# State between runs is outside the tries of `meta`, and what a change needs is on disk inside each of them.


@BOTH
def test_what_a_change_owes_is_on_disk_before_its_first_try_and_is_owed_once(probes, engine):
    probes.engine = engine
    probes.write(probes.probe("cause", meta={"retry": 2}), probes.probe("receiver", subscribe=["cause"]))
    probes.plan(cause="half half", receiver="fail")
    assert probes.outcomes() == {"cause": "changed", "receiver": "failed"}
    assert probes.calls("write") == ["write cause"] * 3 + ["write receiver"]
    assert [probes.owed(state) for state in probes.states()] == [[("receiver", "cause")]] * 4
    assert probes.owed() == [("receiver", "cause")]


@BOTH
def test_what_is_undone_is_what_was_there_before_the_first_try(probes, engine):
    """A try that fails may leave half of a change: that is not what was there."""
    probes.engine = engine
    (probes.directory / "one").write_text("before", encoding="utf-8")
    probes.write(probes.probe("one", meta={"retry": 2, "reverse": True}))
    probes.plan(one="half half")
    assert probes.outcomes() == {"one": "changed"}
    first, second, third = probes.states()
    for state in (first, second, third, None):
        (probes.directory / "one").write_text("new", encoding="utf-8")
        probes.undo(state)
        assert probes.read("one") == "before"


@BOTH
def test_a_try_that_changed_nothing_owes_nothing_and_the_next_one_owes_again(probes, engine):
    probes.engine = engine
    probes.write(probes.probe("cause", meta={"retry": 1}), probes.probe("receiver", subscribe=["cause"]))
    probes.plan(cause="fail fail", receiver="fail")
    assert probes.outcomes() == {"cause": "failed", "receiver": "failed"}
    assert probes.owed() == []
    probes.plan(cause="fail half", receiver="fail")
    assert probes.outcomes()["cause"] == "failed"
    assert probes.owed() == [("receiver", "cause")]


@BOTH
def test_what_the_first_try_changed_is_owed_when_the_last_one_changes_nothing(probes, engine):
    probes.engine = engine
    probes.write(probes.probe("cause", meta={"retry": 1}), probes.probe("receiver", subscribe=["cause"]))
    probes.plan(cause="half half", receiver="fail")
    assert probes.outcomes() == {"cause": "failed", "receiver": "failed"}
    assert probes.owed() == [("receiver", "cause")]


@BOTH
@pytest.mark.parametrize("by", ["subscribe", "notify"])
def test_an_owed_refresh_is_struck_off_by_the_try_that_succeeds(probes, engine, by):
    """A try that fails leaves it owed, in the same run and in the next ones, and is no refresh."""
    probes.engine = engine
    meta = {"notify": ["receiver"]} if by == "notify" else {}
    given = {"subscribe": ["cause"]} if by == "subscribe" else {}
    (probes.directory / "receiver").write_text("new", encoding="utf-8")
    probes.write(probes.probe("cause", meta=meta), probes.probe("receiver", meta={"retry": 1}, **given))
    probes.plan(receiver="fail fail")
    assert probes.outcomes() == {"cause": "changed", "receiver": "failed"}
    assert probes.owed() == [("receiver", "cause")]
    probes.plan(receiver="fail fail")
    assert probes.outcomes() == {"cause": "stable", "receiver": "failed"}
    assert probes.owed() == [("receiver", "cause")]
    probes.plan(receiver="fail")
    probes.forget_calls()
    output = probes.apply()
    assert outcomes_in(output) == {"cause": "stable", "receiver": "refreshed"}
    assert "refreshed: owed since" in output
    assert probes.calls("write", "refresh") == ["refresh receiver"] * 2
    assert probes.owed(probes.states()[-1]) == [("receiver", "cause")]
    assert probes.owed() == []
    assert probes.outcomes() == {"cause": "stable", "receiver": "stable"}


@BOTH
def test_a_refresh_of_this_run_leaves_nothing_owed(probes, engine):
    """What notifies is known inside the state between runs, which learns that the refresh was made."""
    probes.engine = engine
    (probes.directory / "receiver").write_text("new", encoding="utf-8")
    probes.write(probes.probe("cause", meta={"notify": ["receiver"]}), probes.probe("receiver", meta={"retry": 1}))
    assert probes.outcomes() == {"cause": "changed", "receiver": "refreshed"}
    assert probes.owed(probes.states()[-1]) == [("receiver", "cause")]
    assert probes.owed() == []


@BOTH
@pytest.mark.parametrize("of", ["run", "resource"])
def test_a_refresh_in_noop_stays_owed(probes, engine, of):
    probes.engine = engine

    def write(**meta):
        probes.write(probes.probe("cause"), probes.probe("receiver", subscribe=["cause"], meta=meta))

    write()
    probes.plan(receiver="fail")
    probes.apply()
    (probes.directory / "receiver").write_text("new", encoding="utf-8")
    write(noop=of == "resource")
    output = probes.apply(*(["--noop"] if of == "run" else []))
    assert "would be refreshed: owed since" in output
    assert outcomes_in(output)["receiver"] == "refreshed"
    assert probes.owed() == [("receiver", "cause")]


# Tries and times of `meta` are outside the resource, and a pause is outside the time.


@BOTH
def test_a_time_is_that_of_each_try_and_not_of_the_pauses(probes, engine):
    probes.engine = engine
    # On a busy machine a try may take too long, and another one follows.
    probes.write(probes.probe("one", meta={"timeout": "300ms", "retry": 9, "delay": "400ms"}))
    probes.plan(one="slow")
    output = probes.apply()
    assert outcomes_in(output) == {"one": "changed"}
    assert "Trying again resource=probe#one tries=1 reason=was not done within its timeout of 300ms" in output


@BOTH
def test_a_try_decides_anew(probes, engine):
    """It reads the state again: what the try before did already is not done twice."""
    probes.engine = engine
    probes.write(probes.probe("one", "half", meta={"retry": 1}))
    probes.plan(one="half")
    assert probes.outcomes() == {"one": "stable"}
    assert probes.calls("write") == ["write one"]


# Values that others send are outside of all: without them a resource is neither tried, refreshed nor recorded.


def waiting(probes, **given):
    """Write a manifest in which `receiver` needs a value of `sender`, and is refreshed because of `cause`."""
    probes.write(
        probes.probe("sender", given.pop("value", "one"), alone=True),
        probes.probe("cause", given.pop("cause", "one"), alone=True),
        probes.probe("receiver", probes.sent("sender"), subscribe=["cause"], **given),
        probes.probe("last", subscribe=["receiver"]),
    )


@BOTH
def test_what_waits_for_a_value_keeps_the_refresh_that_it_is_owed(probes, engine):
    probes.engine = engine
    waiting(probes)
    probes.apply()
    waiting(probes, cause="two", value="two")
    probes.plan(sender="fail")
    skipped = {"sender": "failed", "cause": "changed", "receiver": "skipped", "last": "stable"}
    assert probes.outcomes() == skipped
    assert probes.owed() == [("receiver", "cause")]
    probes.plan(sender="fail")
    assert probes.outcomes() == {**skipped, "cause": "stable"}
    assert probes.owed() == [("receiver", "cause")]
    output = probes.apply()
    assert outcomes_in(output)["receiver"] in ("changed", "refreshed")
    assert "refreshed: owed since" in output
    assert probes.read("receiver") == "two"
    assert probes.owed() == []


@BOTH
def test_what_waits_for_a_value_is_not_tried_again_and_owes_and_records_nothing(probes, engine):
    probes.engine = engine
    waiting(probes, meta={"retry": 2, "reverse": True})
    probes.plan(sender="fail")
    output = probes.apply()
    assert outcomes_in(output)["receiver"] == "skipped"
    assert "Trying again" not in output
    assert [call for call in probes.calls() if "receiver" in call] == []
    assert probes.owed() == [("receiver", "cause")]
    assert json.loads(probes.ccm("state", "show", "m.yaml", "--json").out)["undo"] == []


@BOTH
def test_all_tries_have_the_same_values(probes, engine):
    """A late value is asked for once, before the first try."""
    probes.engine = engine
    probes.write(probes.probe("one", f"{{{{ readFile('{probes.directory}/log') }}}}", meta={"retry": 2}))
    (probes.directory / "log").write_text("begin\n", encoding="utf-8")
    probes.plan(one="half half")
    assert probes.outcomes() == {"one": "changed"}
    assert probes.read("one") == "begin\n"


@BOTH
def test_no_sink_and_no_try_shows_a_sensitive_value(probes, engine):
    """What was received is hidden before anything is said of it: in differences, tries and events."""
    probes.engine = engine
    probes.write(
        probes.probe("sender", CANARY, meta={"send": {"sensitive": True}}),
        probes.probe("receiver", f"x {probes.sent('sender')}", meta={"retry": 1}),
    )
    probes.plan(receiver="echo echo")
    (probes.manifests / "session").mkdir()
    output = probes.apply("--diff", "--session", "session", "--junit", "junit.xml")
    assert outcomes_in(output) == {"sender": "changed", "receiver": "failed"}
    assert "what changes is not shown" in output
    assert "Trying again resource=probe#receiver tries=1 reason=not shown" in output
    assert "errors=failed: the reason is not shown" in output
    assert f"x {CANARY}" not in output
    files = [*(probes.manifests / "session").iterdir(), probes.manifests / "junit.xml"]
    assert not [path for path in files if f"x {CANARY}" in path.read_text(encoding="utf-8")]


@BOTH
def test_all_that_receives_events_sees_the_same_of_what_waits_for_a_value(probes, engine):
    probes.engine = engine
    waiting(probes)
    (probes.manifests / "session").mkdir()
    probes.plan(sender="fail")
    said = "receiver skipped due to unmet requirement"
    done = probes.ccm("apply", "m.yaml", "--detailed-exitcodes", "--session", "session", "--junit", "junit.xml")
    output = probes.short(done.out)
    assert said in output
    assert "unmet=probe#sender" in output
    assert re.search(r"Failed Resources: (\d)", output).group(1) == "1"
    assert re.search(r"Skipped Resources: (\d)", output).group(1) == "1"
    assert done.status == 6
    events = [json.loads(path.read_text(encoding="utf-8")) for path in (probes.manifests / "session").glob("*.event")]
    (event,) = [event for event in events if event.get("name", "").endswith("/receiver")]
    assert (event["skipped"], event["failed"], event["error"]) == (True, False, [])
    assert [probes.short(unmet) for unmet in event["unmet_requirements"]] == ["probe#sender"]
    junit = (probes.manifests / "junit.xml").read_text(encoding="utf-8")
    assert (junit.count("<failure"), junit.count("<skipped")) == (1, 1)
    probes.plan(sender="fail")
    lines = [json.loads(line) for line in probes.apply("--log-format", "json").splitlines()]
    assert [probes.short(line["msg"]) for line in lines if "receiver" in line["msg"]] == [f"probe#{said}"]


@BOTH
def test_the_state_has_the_outcome_of_what_waits_for_a_value(probes, engine):
    probes.engine = engine
    waiting(probes)
    probes.apply()
    waiting(probes, value="two")
    probes.plan(sender="fail")
    probes.apply()
    shown = probes.short(probes.ccm("state", "show", "m.yaml").out)
    assert re.search(r"probe#sender +.*failed", shown), shown
    assert re.search(r"probe#receiver +.*skipped", shown), shown


@BOTH
def test_in_noop_what_waits_for_a_value_waits_for_all_that_receives_events(probes, engine):
    probes.engine = engine
    waiting(probes, meta={"retry": 2})
    said = "Would have changed: waits for probe#sender"
    planned = json.loads(probes.short(probes.ccm("plan", "m.yaml", "--json").out))["steps"]
    (step,) = [each for each in planned if each["resource"] == "probe#receiver"]
    assert (step["outcome"], step["message"]) == ("changed", said)
    output = probes.apply("--noop")
    assert re.search(f"probe#receiver changed .*noop={said}", output)
    assert "Trying again" not in output
    # What subscribes to it gets the event of a change, too.
    assert outcomes_in(output)["last"] == "refreshed"


# The members of a group.


def grouped(probes, names, **more):
    """Write a manifest with a group of probes that are recorded, and what subscribes to the first and the last one."""
    probes.write(
        *(probes.probe(name, meta={"reverse": True}) for name in names),
        *(probes.probe(f"after-{name}", subscribe=[name]) for name in (names[0], names[-1])),
        **more,
    )


@BOTH
def test_what_members_owe_and_keep_is_on_disk_before_their_one_command(probes, engine):
    probes.engine = engine
    for name in "abc":
        (probes.directory / name).write_text("before", encoding="utf-8")
    grouped(probes, "abc")
    assert probes.outcomes() == {**dict.fromkeys("abc", "changed"), "after-a": "refreshed", "after-c": "refreshed"}
    assert probes.calls("write")[0] == "write a b c"
    state = probes.states()[0]
    assert probes.owed(state) == [("after-a", "a"), ("after-c", "c")]
    assert probes.owed() == []
    probes.undo(state)
    assert [probes.read(name) for name in "abc"] == ["before"] * 3


@BOTH
def test_each_member_has_its_own_outcome_after_a_batch_that_failed(probes, engine):
    """One changed by the batch, one failed alone, and one is changed alone."""
    probes.engine = engine
    for name in "abc":
        (probes.directory / name).write_text("before", encoding="utf-8")
    grouped(probes, "abc")
    probes.plan(b="fail")
    wanted = {"a": "changed", "b": "failed", "c": "changed", "after-a": "refreshed", "after-c": "refreshed"}
    assert probes.outcomes() == wanted
    assert probes.calls("write")[:3] == ["write a b c", "write b", "write c"]
    assert probes.owed() == []
    kept = json.loads(probes.short(probes.ccm("state", "show", "m.yaml", "--json").out))["undo"]
    assert sorted(each["resource"] for each in kept) == ["probe#a", "probe#c"]
    probes.undo()
    assert [probes.read(name) for name in "abc"] == ["before"] * 3


@BOTH
def test_a_member_that_failed_owes_nothing_and_the_others_do(probes, engine):
    probes.engine = engine
    grouped(probes, "abc")
    probes.plan(**{"c": "fail", "after-a": "fail", "after-c": "fail"})
    assert probes.outcomes()["c"] == "failed"
    assert probes.owed() == [("after-a", "a")]


def test_two_thousand_members_are_one_command_and_have_two_thousand_events(probes):
    names = [f"n{number}" for number in range(2000)]
    probes.write(
        *(probes.probe(name, meta={"reverse": True} if name == "n1999" else {}) for name in names),
        probes.probe("after", subscribe=["n1999"]),
    )
    found = probes.outcomes()
    assert found.pop("after") in ("changed", "refreshed")
    assert found == dict.fromkeys(names, "changed")
    assert probes.calls("write")[0] == " ".join(["write", *names])
    assert probes.owed(probes.states()[0]) == [("after", "n1999")]
    assert probes.outcomes() == dict.fromkeys([*names, "after"], "stable")


# What a manifest that is applied gets of what surrounds the resource that applies it.


def applying(probes, *resources, depth=1, **meta):
    """Return the resource that applies a manifest of these resources, so many manifests down."""
    probes.write(*resources, name=f"child{depth}.yaml")
    if depth == 1:
        return {"apply": [{"child1.yaml": {"meta": meta} if meta else {}}]}
    return applying(probes, {"apply": [{f"child{depth}.yaml": {}}]}, depth=depth - 1, **meta)


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize(
    ("engine", "by"), [({}, "subscribe"), ({"order": "graph"}, "subscribe"), ({"order": "graph"}, "notify")]
)
def test_a_manifest_that_is_applied_inherits_who_notifies_and_what_is_owed(probes, engine, by, depth):
    probes.engine = engine
    receiver = probes.probe("receiver", meta={"retry": 1}, **({"subscribe": ["cause"]} if by == "subscribe" else {}))
    child = applying(probes, receiver, depth=depth)
    meta = {"notify": ["receiver"]} if by == "notify" else {}
    (probes.directory / "receiver").write_text("new", encoding="utf-8")
    probes.write(probes.probe("cause", meta=meta), child)
    probes.plan(receiver="fail fail")
    assert probes.outcomes() == {"cause": "changed", "receiver": "failed"}
    ((subscriber, cause),) = probes.owed(probes.states()[0])
    assert (subscriber, cause) == ("apply#child1.yaml/*", "cause"), "what it declares is not known yet"
    way = [f"apply#child{number}.yaml" for number in range(1, depth + 1)]
    assert probes.owed() == [(" > ".join([*way, "receiver"]), "cause")]
    probes.plan(receiver="fail")
    output = probes.apply()
    assert outcomes_in(output) == {"cause": "stable", "receiver": "refreshed"}
    assert output.count("Trying again") == 1
    assert probes.owed() == []


@BOTH
def test_a_manifest_that_is_applied_inherits_values_and_records(probes, engine):
    probes.engine = engine
    (probes.directory / "receiver").write_text("before", encoding="utf-8")
    receiver = probes.probe("receiver", probes.sent("sender"), meta={"reverse": True, "retry": 2})
    child = applying(probes, receiver, depth=2)
    probes.write(probes.probe("sender", "value"), child)
    probes.plan(sender="fail")
    output = probes.apply()
    assert outcomes_in(output) == {"sender": "failed", "receiver": "skipped"}
    assert "Trying again" not in output
    probes.plan(receiver="half half")
    assert probes.outcomes() == {"sender": "changed", "receiver": "changed"}
    assert probes.read("receiver") == "value"
    probes.undo()
    assert probes.read("receiver") == "before"


@BOTH
def test_a_try_of_what_applies_a_manifest_manages_all_of_it_again(probes, engine):
    """The state between runs of its resources begins anew in each try, and owes nothing twice."""
    probes.engine = engine
    child = applying(probes, probes.probe("cause"), probes.probe("receiver", subscribe=["cause"]), retry=1)
    probes.write(child)
    probes.plan(receiver="fail fail")
    output = probes.apply()
    assert [line.split()[1:3] for line in output.splitlines() if "probe#" in line] == [
        ["probe#cause", "changed"],
        ["probe#receiver", "failed"],
        ["probe#cause", "stable"],
        ["probe#receiver", "failed"],
    ]
    assert probes.owed() == [("apply#child1.yaml > receiver", "cause")]


# Watching is outside the tries, inside the state between runs, and has the values.


def place(watching, where, *resources):
    """Write resources into the manifest, or into one that it applies."""
    watching.write(*resources, name="m.yaml" if where == "top" else "child.yaml")
    if where == "child":
        watching.write({"apply": [{"child.yaml": {}}]})


@pytest.mark.starts_processes
@WHERE
def test_watching_follows_what_values_resolve_to(watching, tmp_path, where):
    """Values are known before it is said what is watched for a resource."""
    (tmp_path / "source").write_text("one\n")
    receiver = watching.file("receiver", "")
    given = receiver["file"][0][str(tmp_path / "receiver")]
    del given["content"]
    given["source"] = "{{ sent('exec#where').stdout }}"
    place(watching, where, watching.exec("where", f"echo {tmp_path}/source"), receiver)
    with watching.started():
        wait_until(content(tmp_path / "receiver", "one\n"))
        watching.settle()
        (tmp_path / "source").write_text("two\n")
        wait_until(content(tmp_path / "receiver", "two\n"))


@pytest.mark.starts_processes
@WHERE
def test_watching_takes_what_waits_for_a_value_for_skipped(watching, tmp_path, where):
    """It is not tried again for itself, but managed when the value is there."""
    sender = watching.exec("sender", f"sh -c 'test -e {tmp_path}/ok && echo value'")
    receiver = watching.file("receiver", "{{ sent('exec#sender').stdout }}", meta={"retry": -1, "delay": "1h"})
    place(watching, where, sender, receiver)
    with watching.started("--events", "json-lines"):
        wait_until(lambda: watching.count("exec#sender failed") >= 2)
        (tmp_path / "ok").touch()
        wait_until(content(tmp_path / "receiver", "value"))
        watching.settle()
    lines = [line for line in watching.out().splitlines() if line.startswith("{")]
    events = [event for event in map(json.loads, lines) if event["name"].endswith("receiver")]
    assert {(event["skipped"], event["failed"], event["changed"]) for event in events} == {SKIPPED, CHANGED}


@pytest.mark.starts_processes
def test_watching_plans_the_tries_of_a_resource(watching, tmp_path):
    """A pause between two tries, which an order waits for, holds up nothing."""
    watching.write(watching.exec("never", "false", meta={"retry": -1, "delay": "1h"}), watching.file("one"))
    with watching.started():
        (tmp_path / "one").unlink()
        wait_until(content(tmp_path / "one"))


@pytest.mark.starts_processes
def test_watching_does_not_read_what_is_not_due(watching, tmp_path):
    other = watching.exec("other", "false", unless=f"sh -c 'echo read >> {tmp_path}/log'")
    watching.write(watching.file("one"), other, watching.file("two"))
    with watching.started():
        for name in ("one", "two"):
            (tmp_path / name).unlink()
            wait_until(content(tmp_path / name))
        watching.settle()
    assert (tmp_path / "log").read_text() == "read\n"


@pytest.mark.starts_processes
@pytest.mark.parametrize("words", [(), ("--no-state",)], ids=["state", "no-state"])
@WHERE
def test_watching_has_a_notified_resource_refreshed_and_then_nothing_is_owed(ccm, watching, tmp_path, where, words):
    """What watching refreshes, the state between runs takes for made."""
    trigger = {"watch_files": [str(tmp_path / "trigger")]}
    command = f"sh -c 'echo ran >> {tmp_path}/log; test -e {tmp_path}/ok'"
    receiver = watching.exec("it", command, refreshonly=True, subscribe=[f"file#{tmp_path}/one"], meta=trigger)
    place(watching, where, watching.file("one"), receiver)
    with watching.started(*words):
        wait_until(lambda: watching.count("exec#it failed") >= 1)
        (tmp_path / "ok").touch()
        wait_until(lambda: watching.count("exec#it refreshed") == 1)
        watching.settle()
        rename_over(tmp_path / "trigger")
        wait_until(lambda: watching.count("exec#it refreshed") == 2)
        watching.rest()
    count = (tmp_path / "log").read_text().count("ran")
    done = ccm("apply", tmp_path / "m.yaml", "--no-report", "--state", tmp_path / "state")
    assert "exec#it stable" in done.out
    assert (tmp_path / "log").read_text().count("ran") == count


@pytest.mark.starts_processes
@pytest.mark.parametrize("by", ["subscribe", "notify"])
@pytest.mark.parametrize("gated", [False, True])
def test_watching_leaves_no_resource_alone_to_which_a_refresh_is_owed(watching, tmp_path, by, gated):
    """Also where it is to be managed once only, and did not meet its requirement when its cause changed."""
    given = {"subscribe": [f"file#{tmp_path}/one"]} if by == "subscribe" else {}
    cause = watching.file("one", meta={"notify": ["exec#it"]} if by == "notify" else {})
    gate = watching.exec("gate", "false", unless=f"test -e {tmp_path}/gate")
    once = {"refreshonly": True, "require": ["exec#gate"], "meta": {"watch": "false"}}
    place(watching, "child", cause, gate, watching.appending("it", "log", **once, **given))
    (tmp_path / "gate").touch()
    with watching.started():
        wait_until(content(tmp_path / "log", "it\n"))
        watching.settle()
        if gated:
            (tmp_path / "gate").unlink()
        (tmp_path / "one").unlink()
        if gated:
            wait_until(lambda: watching.count("exec#it skipped") >= 1)
            (tmp_path / "gate").touch()
        wait_until(content(tmp_path / "log", "it\nit\n"))
        watching.rest()
        assert (tmp_path / "log").read_text() == "it\nit\n"


@pytest.mark.starts_processes
@pytest.mark.parametrize("mode", ["", "false"])
def test_watching_knows_who_notifies_resources_of_an_applied_manifest(watching, tmp_path, mode):
    it = watching.appending("it", "log", refreshonly=True, meta={"watch": mode} if mode else {})
    watching.write(it, name="child.yaml")
    cause = watching.file("one", meta={"notify": ["exec#it"]})
    watching.write(cause, {"apply": [{"child.yaml": {}}]}, engine={"order": "graph"})
    with watching.started():
        wait_until(content(tmp_path / "log", "it\n"))
        watching.settle()
        (tmp_path / "one").unlink()
        wait_until(content(tmp_path / "log", "it\nit\n"))


# The stack itself: a change of its order is a change of what the tests above describe.


class Noted(Around):
    """Notes when it is entered and left."""

    def __init__(self, name, calls):
        self._name = name
        self._calls = calls

    def attempt(self, attempt, go):
        self._calls.append(f"{self._name} begins {attempt.resource.properties.name}")
        state = yield from go(attempt)
        self._calls.append(f"{self._name} has {attempt.resource.properties.name}")
        return state

    def act(self, attempt, go):
        self._calls.append(f"{self._name} acts on {attempt.resource.properties.name}")
        return (yield from go(attempt))

    def event(self, event):
        self._calls.append(f"{self._name} completes {event.name}")


def test_state_is_around_watching_watching_around_tries_and_values_are_innermost():
    calls = []
    stack = stack_of(*(Noted(name, calls) for name in ("state", "watch", "meta", "values")))
    [event] = Run([lamp("hall")], Context(Session(), stack=stack)).events()
    assert event.changed
    entered = ["state", "watch", "meta", "values"]
    assert calls == [
        *(f"{name} begins hall" for name in entered),
        *(f"{name} acts on hall" for name in entered),
        *(f"{name} has hall" for name in reversed(entered)),
        *(f"{name} completes hall" for name in reversed(entered)),
    ]


def test_a_group_enters_each_member_then_runs_its_command_and_leaves_in_reverse_order(monkeypatch):
    calls = []
    resources = [box("a"), box("b")]
    monkeypatch.setattr(ShelfProvider, "boxes", set())
    monkeypatch.setattr(ShelfProvider, "act_on_batch", lambda self, verb, members: brought(self, members, calls))
    context = Context(Session(), stack=stack_of(Noted("state", calls), None, None, None), resources=resources)
    events = [event.name for event in Run(resources, context, GroupedOrder(resources)).events()]
    assert events == ["a", "b"]
    assert calls == [
        *("state begins a", "state acts on a", "state begins b", "state acts on b"),
        "the command",
        *("state has b", "state has a", "state completes a", "state completes b"),
    ]


def brought(provider, members, calls):
    calls.append("the command")
    provider.boxes.update(properties.name for properties, _state in members)

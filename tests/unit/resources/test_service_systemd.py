# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the systemd provider makes of a systemctl, of files and of debts; real ones are in tests/hosts."""

import pytest
from ccm.engine.context import Context
from ccm.engine.transaction import run_transaction
from ccm.host.asking import ask
from ccm.host.machine import Machine
from ccm.model.resource import Properties, Resource, complete
from ccm.resources.service import unitfiles, units
from ccm.resources.service.type import TYPE as SERVICE

SYSTEMCTL = """#!/bin/sh
echo "$*" >> {log}
[ "$1" = is-enabled ] || exit 1
shift 3
for name; do
    case $name in gone) echo "Failed to get unit file state for gone" >&2; exit 1;; *) echo "state-of-$name";; esac
done
"""


def unit(name, fragment="/etc/systemd/system/x.service", **told):
    return units.Unit(name, {"LoadState": "loaded", "FragmentPath": fragment, **told})


@pytest.fixture
def calls(tmp_path, monkeypatch):
    program = tmp_path / "systemctl"
    program.write_text(SYSTEMCTL.format(log=tmp_path / "log"), encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return lambda: (tmp_path / "log").read_text(encoding="utf-8").splitlines()


def test_enabledness_is_asked_at_once(calls):
    answers = units.enabledness([unit("a"), unit("b")])
    assert {name: answer.text for name, answer in answers.items()} == {"a": "state-of-a", "b": "state-of-b"}
    assert calls() == ["is-enabled --system -- a b"]


def test_an_answer_that_ends_early_is_asked_one_by_one(calls):
    answers = units.enabledness([unit("a"), unit("gone"), unit("b")])
    assert [answers[name].text for name in ("a", "gone", "b")] == ["state-of-a", "", "state-of-b"]
    assert answers["gone"].words == "Failed to get unit file state for gone"
    assert len(calls()) == 4


def test_scripts_of_system_v_are_asked_alone(calls):
    units.enabledness([unit("a"), unit("old", "/run/systemd/generator.late/old.service"), unit("b")])
    assert calls() == ["is-enabled --system -- a b", "is-enabled --system -- old"]


MISSING = "echo LoadState=not-found; echo ActiveState=inactive"


@pytest.mark.parametrize(
    ("show", "is_enabled", "said"),
    [
        ("echo ActiveState=maintenance", "echo enabled", "invalid systemctl is-active output: maintenance"),
        ("echo no bus >&2; exit 1", "exit 1", "invalid systemctl is-active output: no bus"),
        (MISSING, "echo not-found; exit 4", "service ccm-none not found"),
        (
            MISSING,
            "echo no such file >&2; exit 1",
            "invalid systemctl is-enabled output: no such file: service ccm-none not found",
        ),
        ("echo ActiveState=inactive", "echo no >&2; exit 1", "invalid systemctl is-enabled output: no"),
        ("echo ActiveState=active", "echo bad; exit 1", "invalid systemctl is-enabled output: bad"),
    ],
)
def test_what_systemctl_says_that_is_no_answer(pretend, show, is_enabled, said):
    pretend("systemctl", f"case $1 in show) {show};; is-enabled) {is_enabled};; esac")
    service = Resource(SERVICE, Properties(complete(SERVICE, {"name": "ccm-none", "ensure": "running"})))
    event = run_transaction(service, Context())
    assert event.errors == [said]


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("a", "a.service"),
        ("a.service", "a.service"),
        ("a.b", "a.b.service"),
        ("a.timer", "a.timer"),
        ("a@b", "a@b.service"),
    ],
)
def test_names_get_their_suffix(name, full):
    assert units.full_name(name) == full


@pytest.fixture
def folders(tmp_path):
    high, low = tmp_path / "high", tmp_path / "low"
    high.mkdir()
    low.mkdir()
    (low / "x.service").write_text("[Service]\n", encoding="utf-8")
    return high, low


def outdated(folders, **told):
    names = {"Id": "x.service", "Names": "x.service", **told}
    fragment = str(folders[1] / "x.service")
    return unitfiles.UnitFiles([str(folder) for folder in folders]).outdated(unit("x", fragment, **names))


def test_what_systemd_holds_is_compared_with_the_disk(folders):
    assert not outdated(folders)
    (folders[0] / "x.service").write_text("[Service]\n", encoding="utf-8")
    assert outdated(folders)


@pytest.mark.parametrize("name", ["x.service.d", "service.d"])
def test_drop_ins_are_compared(folders, name):
    (folders[0] / name).mkdir()
    drop_in = folders[0] / name / "a.conf"
    drop_in.write_text("[Service]\n", encoding="utf-8")
    assert outdated(folders)
    assert not outdated(folders, DropInPaths=str(drop_in))
    drop_in.write_text("", encoding="utf-8")
    assert not outdated(folders), "an empty one masks others of its name"


def test_what_is_postponed_is_done_once_before_the_next_command_that_may_change_something():
    done = []
    machine = Machine()
    machine.postponed = lambda: done.append("reloaded")
    ask(["true"])
    assert machine.postponed
    machine.run(["true"])
    machine.run(["true"])
    assert done == ["reloaded"]
    machine.postponed = lambda: done.append("at the end")
    machine.run_postponed()
    machine.run_postponed()
    assert done == ["reloaded", "at the end"]


def test_only_a_line_feed_ends_a_property_of_a_unit(pretend):
    pretend("systemctl", "printf 'Id=a.service\\nLoadState=loaded\\nFragmentPath=/x\\342\\200\\250LoadState=masked\\n'")
    assert units.show(["a"])["a"].load == "loaded"

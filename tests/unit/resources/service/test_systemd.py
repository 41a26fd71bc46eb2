# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The systemd provider with a stand-in for systemctl: enabled states, outdated unit files, a postponed reload."""

import json

import pytest
from ccm.host.machine import Machine
from ccm.host.queries import query
from ccm.resources.service import unitfiles, units

SYSTEMCTL = """#!/bin/sh
echo "$*" >> {log}
[ "$1" = is-enabled ] || exit 1
shift 3
for name; do
    case $name in gone) echo "Failed to get unit file state for gone" >&2; exit 1;; *) echo "state-of-$name";; esac
done
"""


def unit(name, fragment="/etc/systemd/system/x.service", **values):
    return units.Unit(name, {"LoadState": "loaded", "FragmentPath": fragment, **values})


@pytest.fixture
def calls(tmp_path, monkeypatch):
    program = tmp_path / "systemctl"
    program.write_text(SYSTEMCTL.format(log=tmp_path / "log"), encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return lambda: (tmp_path / "log").read_text(encoding="utf-8").splitlines()


@pytest.mark.starts_processes
def test_enabled_states_are_queried_in_one_call(calls):
    answers = units.enabled_answers(Machine(), [unit("a"), unit("b")])
    assert {name: answer.text for name, answer in answers.items()} == {"a": "state-of-a", "b": "state-of-b"}
    assert calls() == ["is-enabled --system -- a b"]


@pytest.mark.starts_processes
def test_all_units_are_queried_one_by_one_when_one_is_missing_from_the_output(calls):
    answers = units.enabled_answers(Machine(), [unit("a"), unit("gone"), unit("b")])
    assert [answers[name].text for name in ("a", "gone", "b")] == ["state-of-a", "", "state-of-b"]
    assert answers["gone"].messages == "Failed to get unit file state for gone"
    assert len(calls()) == 4


@pytest.mark.starts_processes
def test_system_v_scripts_are_queried_one_by_one(calls):
    units.enabled_answers(Machine(), [unit("a"), unit("old", "/run/systemd/generator.late/old.service"), unit("b")])
    assert calls() == ["is-enabled --system -- a b", "is-enabled --system -- old"]


@pytest.fixture
def folders(tmp_path):
    high, low = tmp_path / "high", tmp_path / "low"
    high.mkdir()
    low.mkdir()
    (low / "x.service").write_text("[Service]\n", encoding="utf-8")
    return high, low


def outdated(folders, **values):
    names = {"Id": "x.service", "Names": "x.service", **values}
    fragment = str(folders[1] / "x.service")
    return unitfiles.UnitFiles([str(folder) for folder in folders]).outdated(unit("x", fragment, **names))


def test_the_loaded_unit_is_compared_with_the_file(folders):
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


@pytest.mark.starts_processes
def test_a_postponed_reload_runs_once_before_the_next_command_that_can_change_something():
    done = []
    machine = Machine()
    machine.postponed = lambda: done.append("reloaded")
    query(["true"])
    assert machine.postponed
    machine.run(["true"])
    machine.run(["true"])
    assert done == ["reloaded"]
    machine.postponed = lambda: done.append("at the end")
    machine.run_postponed()
    machine.run_postponed()
    assert done == ["reloaded", "at the end"]


@pytest.mark.starts_processes
def test_only_a_line_feed_ends_a_property_of_a_unit(fake_program):
    output = "Id=a.service\\nLoadState=loaded\\nFragmentPath=/x\\342\\200\\250LoadState=masked\\n"
    fake_program("systemctl", f"printf '{output}'")
    assert units.show(Machine(), ["a"])["a"].load == "loaded"


#: A service that runs for 40 ms after each start of it, and has failed then.
SHORT = """
now() { echo $(($(date +%s%N) / 1000000)); }
case $1 in
    start|restart|reload-or-restart) now > "$0.began" ;;
    is-enabled) echo enabled ;;
    show)
        active=active
        [ ! -e "$0.began" ] || [ $(($(now) - $(cat "$0.began"))) -lt 40 ] || active=failed
        printf 'Id=x.service\nNames=x.service\nLoadState=loaded\nActiveState=%s\nType=simple\n\n' "$active"
        ;;
esac
"""


@pytest.mark.starts_processes
@pytest.mark.parametrize(("can", "word"), [("yes", "reloaded"), ("no", "restarted")])
def test_a_reload_of_a_service_that_cannot_is_called_a_restart(ccm, fake_program, tmp_path, can, word):
    shown = f"printf 'Id=x.service\\nNames=x.service\\nLoadState=loaded\\nActiveState=active\\nCanReload={can}\\n\\n'"
    fake_program("systemctl", f"case $1 in is-enabled) echo enabled ;; show) {shown} ;; esac")
    service = {"name": "x", "subscribe": ["exec#true"], "meta": {"refresh": "reload"}}
    resources = [{"exec": {"name": "true"}}, {"service": service}]
    (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": resources}}))
    shown = ccm("apply", "m.yaml", "--noop")
    assert f"Would have {word} via subscribe" in shown.out + shown.err, shown


@pytest.mark.starts_processes
@pytest.mark.parametrize("refresh", ["restart", "reload"])
def test_a_service_that_ends_at_once_after_a_refresh_does_not_count_as_running(ccm, fake_program, tmp_path, refresh):
    fake_program("systemctl", SHORT)
    service = {"name": "x", "subscribe": ["exec#true"], "meta": {"refresh": refresh}}
    resources = [{"exec": {"name": "true"}}, {"service": service}]
    (tmp_path / "m.yaml").write_text(json.dumps({"ccm": {"resources": resources}}))
    shown = ccm("apply", "m.yaml")
    assert "service is stopped, expected running" in shown.out, shown

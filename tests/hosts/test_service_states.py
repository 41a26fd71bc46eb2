# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Services on booted hosts: units on their way, what enabled means, masks, and why a service cannot run."""

from __future__ import annotations

import json

import pytest

from .conftest import RELEASES, host_with_command
from .session import session_events
from .test_service_systemd import BOOT, UNIT, seen, service

OWN = "/etc/systemd/system"
PLAIN = "[Service]\nExecStart=/bin/sleep infinity\n"


@pytest.fixture(scope="module", params=[*RELEASES, "dnf"])
def units(request):
    """A host of each version of systemd, shared by the tests of this module."""
    with host_with_command(request.param) as shared:
        shared.run("mkdir -p /root/bin /opt/units")
        yield shared


def apply(host, *resources, flags=(), path=""):
    """Apply a manifest of resources; the events of its session, and what was printed."""
    host.write("/root/m.yaml", json.dumps({"ccm": {"resources": resources}}))
    host.run("rm -rf /root/s; mkdir /root/s")
    env = {"PATH": f"{path}/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}
    done = host.run(["ccm", "apply", "/root/m.yaml", "--session", "/root/s", *flags], env=env, check=False)
    return session_events(host, "/root/s"), done.stdout + done.stderr


def one(host, name, *args, **properties):
    """Apply one service; its event, and what was printed."""
    (event,), output = apply(host, service(name, *args, **properties.pop("more", {}), **properties))
    return event, output


def outcome(event):
    """Return whether an event changed something, and its errors."""
    return event["changed"], event["error"] or []


def made(host, name, text, folder=OWN):
    host.write(f"{folder}/{name}", text)
    host.run("systemctl daemon-reload")


def installed(wanted_by):
    return f"{PLAIN}[Install]\nWantedBy={wanted_by}\n"


def word(host, name):
    return host.run(["systemctl", "is-enabled", "--", name], check=False).stdout.strip()


def active(host, name):
    return host.run(["systemctl", "show", "--property=ActiveState", "--value", "--", name]).stdout.strip()


def wait_for(host, name, state):
    host.run(f"until systemctl show -p ActiveState --value {name} | grep -qx {state}; do sleep 0.02; done")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[Service]\nExecStart=/bin/false\nRestart=always\nRestartSec=1000\n", id="restarted for ever"),
        pytest.param("[Service]\nType=notify\nTimeoutStartSec=infinity\nExecStart=/bin/sleep 1000\n", id="slow"),
    ],
)
def test_a_service_on_its_way_up_is_stopped(units, text):
    made(units, "way-up.service", text)
    units.run("systemctl start --no-block way-up")
    wait_for(units, "way-up", "activating")
    (event,), _output = apply(units, service("way-up", "stopped"), flags=("--noop",))
    assert event["noop_message"] == "Would have stopped"
    event, _output = one(units, "way-up", "stopped")
    assert outcome(event) == (True, [])
    assert active(units, "way-up") in ("inactive", "failed")
    assert outcome(one(units, "way-up", "stopped")[0]) == (False, [])


#: Lets the unit end at the third look at it while it stops.
ENDS_AT_THIRD_LOOK = """#!/bin/sh
case "$*" in *TimeoutStopUSec*) echo look >> /run/looks; [ "$(wc -l < /run/looks)" -lt 3 ] || touch /run/go ;; esac
exec /usr/bin/systemctl "$@"
"""
STOPS_LATE = (
    "[Service]\nExecStart=/bin/sleep 1000\nTimeoutStopSec=infinity\n"
    "ExecStop=/bin/sh -c 'until [ -e /run/go ]; do sleep 0.02; done'\n"
)


@pytest.fixture
def stopping(units):
    """The host, on which a service is stopping until there is a file."""
    made(units, "late.service", STOPS_LATE)
    units.write("/root/bin/systemctl", ENDS_AT_THIRD_LOOK, 0o755)
    units.run("rm -f /run/looks /run/go; systemctl start late; systemctl stop --no-block late")
    wait_for(units, "late", "deactivating")
    yield units
    units.run("touch /run/go")
    wait_for(units, "late", "inactive")


def test_a_service_that_stops_is_waited_for(stopping):
    (event,), _output = apply(stopping, service("late", "stopped"), flags=("--noop",), path="/root/bin:")
    assert (outcome(event), active(stopping, "late")) == ((False, []), "deactivating")
    (event,), _output = apply(stopping, service("late", "stopped"), path="/root/bin:")
    assert outcome(event) == (False, [])
    assert active(stopping, "late") == "inactive"
    assert stopping.read("/run/looks").count("look") >= 3


def test_it_is_waited_for_until_the_time_of_the_resource_has_passed(stopping):
    (event,), _output = apply(stopping, service("late", "stopped", meta={"timeout": "1s"}))
    assert event["error"] == ["was not done within its timeout of 1s"]
    assert active(stopping, "late") == "deactivating"


def test_a_service_that_stops_and_should_run_is_started_when_it_has_stopped(units):
    made(units, "late.service", STOPS_LATE)
    units.write(
        "/root/end", "#!/bin/sh\nuntil systemctl list-jobs | grep -q 'late.*start'; do sleep 0.02; done\n", 0o755
    )
    units.run("rm -f /run/go; systemctl start late; systemctl stop --no-block late")
    wait_for(units, "late", "deactivating")
    units.run("(/root/end; touch /run/go) >/dev/null 2>&1 &")
    event, _output = one(units, "late")
    assert (outcome(event), active(units, "late")) == ((True, []), "active")
    units.run("systemctl stop late")


def test_what_is_enabled_until_the_next_boot_is_not_enabled(units):
    made(units, "rt.service", installed("multi-user.target"))
    units.run("systemctl enable -q --runtime rt")
    (event,), output = apply(units, service("rt", "unmanaged", enable=True), flags=("--noop", "--diff"))
    assert event["noop_message"] == "Would have enabled"
    assert "enabled-runtime" in output
    event, _output = one(units, "rt", "unmanaged", enable=True)
    assert (outcome(event), word(units, "rt")) == ((True, []), "enabled")
    # Now there are links for both.
    event, _output = one(units, "rt", "unmanaged", enable=False)
    assert (outcome(event), word(units, "rt")) == ((True, []), "disabled")
    units.run("systemctl enable -q --runtime rt")
    event, _output = one(units, "rt", "unmanaged", enable=False)
    assert (outcome(event), word(units, "rt")) == ((True, []), "disabled")
    assert outcome(one(units, "rt", "unmanaged", enable=False)[0]) == (False, [])


def test_a_unit_without_install_satisfies_both(units):
    made(units, "st.service", PLAIN)
    units.run("systemd-run -q --unit=trans sleep 1000")
    for name in ("st", "trans"):
        event, output = one(units, name, enable=False)
        assert (event["error"] or [], seen(event)) == ([], (True, True))
        assert "[Install]" not in output
        assert outcome(one(units, name, enable=False)[0]) == (False, [])
    units.run("systemctl stop st")
    event, output = one(units, "st", enable=True)
    assert outcome(event) == (True, [])
    assert output.count("[Install]") == 1, output
    units.run("systemctl stop trans")


def test_an_indirect_unit_is_enabled_with_the_units_of_also(units):
    made(units, "ind.service", PLAIN + "[Install]\nAlso=ind.socket\n")
    made(units, "ind.socket", "[Socket]\nListenStream=/run/ind.sock\n[Install]\nWantedBy=sockets.target\n")
    event, _output = one(units, "ind", "unmanaged", enable=True)
    assert (outcome(event), word(units, "ind.socket")) == ((True, []), "enabled")
    assert outcome(one(units, "ind", "unmanaged", enable=True)[0]) == (False, [])
    event, _output = one(units, "ind", "unmanaged", enable=False)
    assert (outcome(event), word(units, "ind.socket")) == ((True, []), "disabled")
    assert outcome(one(units, "ind", "unmanaged", enable=False)[0]) == (False, [])


def links_of(host, name):
    return set(host.run(f"ls -d {OWN}/*.wants/{name} {OWN}/*.requires/{name} 2>/dev/null || true").stdout.split())


def test_a_link_that_install_names_now_is_made_and_others_go(units):
    made(units, "re.service", installed("multi-user.target"))
    units.run("systemctl enable -q re")
    made(units, "re.service", installed("graphical.target"))
    new, old = f"{OWN}/graphical.target.wants/re.service", f"{BOOT}/re.service"
    (event,), output = apply(units, service("re", "unmanaged", enable=True), flags=("--noop", "--diff"))
    assert event["noop_message"] == "Would have enabled again"
    assert new in output
    event, output = one(units, "re", "unmanaged", enable=True)
    assert (outcome(event), links_of(units, "re.service")) == ((True, []), {new})
    assert f"links={old}" in output
    assert outcome(one(units, "re", "unmanaged", enable=True)[0]) == (False, [])
    made(units, "re.service.d/more.conf", "[Install]\nRequiredBy=multi-user.target\n")
    event, output = one(units, "re", "unmanaged", enable=True)
    assert (outcome(event), len(links_of(units, "re.service"))) == ((True, []), 2)
    assert "links=" not in output
    # What a manifest does not manage is left alone.
    units.run(f"rm {new}")
    assert outcome(one(units, "re", "unmanaged", enable=None)[0]) == (False, [])


def test_links_of_instances_aliases_and_linked_units(units):
    made(units, "tpl@.service", installed("multi-user.target graphical.target"))
    made(units, "nicks.service", installed("multi-user.target") + "Alias=nick-one.service nick-two.service\n")
    made(units, "lnk.service", installed("multi-user.target graphical.target"), "/opt/units")
    units.run("systemctl link -q /opt/units/lnk.service; systemctl enable -q tpl@one nicks lnk")
    for name in ("tpl@one", "nicks", "lnk"):
        assert outcome(one(units, name, "unmanaged", enable=True)[0]) == (False, []), name
    assert outcome(one(units, "nick-one", "unmanaged", enable=True)[0]) == (False, [])
    units.run(
        f"rm {OWN}/graphical.target.wants/tpl@one.service {OWN}/nick-two.service {OWN}/graphical.target.wants/lnk*"
    )
    for name in ("tpl@one", "nicks", "lnk"):
        assert outcome(one(units, name, "unmanaged", enable=True)[0]) == (True, []), name
        assert outcome(one(units, name, "unmanaged", enable=True)[0]) == (False, []), name
        assert word(units, name) == "enabled"
    units.run(f"test -e {OWN}/nick-two.service")
    # A name that leads to another unit is not ours.
    units.run(f"ln -sf {OWN}/rt.service {OWN}/nick-two.service; systemctl daemon-reload")
    assert outcome(one(units, "nicks", "unmanaged", enable=True)[0]) == (False, [])
    units.run(f"rm {OWN}/nick-two.service; systemctl daemon-reload")


def test_a_unit_of_run_is_enabled_for_later_boots(units):
    made(units, "in-run.service", installed("multi-user.target"), "/run/systemd/system")
    event, _output = one(units, "in-run", "unmanaged", enable=True)
    assert outcome(event) == (True, [])
    assert outcome(one(units, "in-run", "unmanaged", enable=True)[0]) == (False, [])
    assert outcome(one(units, "in-run", "unmanaged", enable=False)[0]) == (True, [])
    assert outcome(one(units, "in-run", "unmanaged", enable=False)[0]) == (False, [])


WHY = {
    "ends": ("[Service]\nType=oneshot\nExecStart=/bin/true\n", "a unit of Type=oneshot without RemainAfterExit=yes"),
    "unmet": (f"[Unit]\nConditionPathExists=/\nConditionPathExists=/none\n{PLAIN}", "ConditionPathExists=/none is not"),
    "either": (
        f"[Unit]\nConditionPathExists=|/none\nConditionPathExists=|/no\n{PLAIN}",
        "ConditionPathExists=|/none or ConditionPathExists=|/no is not met",
    ),
}


def test_why_a_service_does_not_run(units):
    for name, (text, reason) in WHY.items():
        made(units, f"{name}.service", text)
        event, _output = one(units, name)
        lead = "failed to reach desired state: running: service is stopped, expected running: "
        assert event["error"][0].startswith(lead + reason), event["error"]


def masked(host, name, *, runs=False):
    made(host, f"{name}.service", UNIT.format(seconds=1000), "/lib/systemd/system")
    host.run(f"systemctl {'start' if runs else 'stop'} {name}; systemctl mask -q {name}")


def test_noop_of_a_masked_unit_fails_unless_an_earlier_resource_may_change_it(units):
    masked(units, "hidden")
    lead = "failed to reach desired state: running: service is stopped, expected running: unit hidden.service is masked"
    for flags in (("--noop",), ()):
        (event,), _output = apply(units, service("hidden"), flags=flags)
        assert event["failed"]
        assert event["error"][0].startswith(lead)
        (event,), _output = apply(units, service("hidden", "stopped", enable=True), flags=flags)
        assert "service is disabled, expected enabled: unit hidden.service is masked" in event["error"][0]
    assert word(units, "hidden") == "masked"
    assert outcome(one(units, "hidden", "stopped", enable=False)[0]) == (False, [])
    unmask = {"exec": [{"systemctl unmask hidden": {"path": "/usr/bin"}}]}
    events, _output = apply(units, unmask, service("hidden"), flags=("--noop",))
    assert (events[1]["failed"], events[1]["noop_message"]) == (False, "Would have started")
    events, _output = apply(units, unmask, service("hidden"))
    assert not events[1]["failed"]


def test_a_masked_service_that_runs_cannot_be_refreshed(units):
    masked(units, "stays", runs=True)
    changed = {"exec": [{"/bin/true": {}}]}
    events, _output = apply(units, changed, service("stays", subscribe=["exec#/bin/true"]))
    assert "cannot restart: unit stays.service is masked" in events[1]["error"][0]


def test_a_service_is_masked_and_the_mask_is_undone(units):
    made(units, "m.service", UNIT.format(seconds=1000), "/lib/systemd/system")
    units.run("systemctl enable -q --now m")
    wanted = service("m", "stopped", enable="mask", meta={"reverse": True})
    (event,), output = apply(units, wanted, flags=("--noop", "--diff"))
    assert event["noop_message"] == "Would have stopped, would have masked"
    assert "masked" in output
    units.write("/root/kept.yaml", json.dumps({"ccm": {"resources": [wanted]}}))
    units.run("ccm apply /root/kept.yaml")
    assert (word(units, "m"), active(units, "m")) == ("masked", "inactive")
    assert outcome(one(units, "m", "stopped", enable="mask")[0]) == (False, [])
    units.run("ccm undo /root/kept.yaml")
    assert (word(units, "m"), active(units, "m")) == ("enabled", "active")
    assert outcome(one(units, "m", "unmanaged", enable="mask")[0]) == (True, [])
    assert active(units, "m") == "active"
    units.run("systemctl stop m; systemctl unmask -q m; systemctl mask -q --runtime m")
    assert outcome(one(units, "m", "stopped", enable="mask")[0]) == (True, [])
    units.run("systemctl unmask -q --runtime m")
    assert word(units, "m") == "masked"
    made(units, "own.service", PLAIN)
    for flags in (("--noop",), ()):
        (event,), _output = apply(units, service("own", "stopped", enable="mask"), flags=flags)
        assert f"expected masked: its unit file {OWN}/own.service is in the place of the mask" in event["error"][0]


def test_a_mask_by_an_alias_is_one_of_the_unit(units):
    made(units, "real.service", UNIT.format(seconds=1000), "/lib/systemd/system")
    units.run("ln -s real.service /lib/systemd/system/nick.service; systemctl daemon-reload")
    wanted = service("nick", "stopped", enable="mask", meta={"reverse": True})
    units.write("/root/kept.yaml", json.dumps({"ccm": {"resources": [wanted]}}))
    units.run("ccm apply /root/kept.yaml")
    assert word(units, "real") == "masked"
    assert outcome(one(units, "nick", "stopped", enable="mask")[0]) == (False, [])
    units.run("ccm undo /root/kept.yaml")
    assert word(units, "real") != "masked"


def test_a_service_that_is_unmanaged_is_neither_started_nor_stopped(units):
    made(units, "free.service", installed("multi-user.target"))
    made(units, "runs.service", installed("multi-user.target"))
    units.run("systemctl start runs")
    changed = {"exec": [{"/bin/true": {}}]}
    pid = units.run("systemctl show --property=MainPID --value runs").stdout
    events, _output = apply(
        units,
        changed,
        service("free", "unmanaged", enable=True),
        service("runs", "unmanaged", enable=True, subscribe=["exec#/bin/true"]),
    )
    assert [seen(event) for event in events[1:]] == [(False, True), (True, True)]
    assert [event["final_ensure"] for event in events[1:]] == ["stopped", "running"]
    assert units.run("systemctl show --property=MainPID --value runs").stdout == pid


def test_a_unit_that_is_disabled_by_an_alias_is_read_by_its_own_name(units):
    made(units, "own-name.service", installed("multi-user.target") + "Alias=nickname.service\n")
    units.run("systemctl enable -q --now own-name")
    event, output = one(units, "nickname", enable=False)
    assert (outcome(event), seen(event)) == ((True, []), (True, False))
    assert "alias of own-name.service" in output
    assert word(units, "own-name") == "disabled"


def test_names_with_escapes(units):
    made(units, "a\\x2db.service", installed("multi-user.target"))
    made(units, "a\\x2db.service.d/more.conf", "[Service]\nNice=1\n")
    for name in ("a\\x2db", "a\\x2db.service"):
        event, _output = one(units, name, enable=True)
        assert ((event["error"] or []), seen(event)) == ([], (True, True))
    assert outcome(one(units, name, enable=True)[0]) == (False, [])
    shown = units.run(["ccm", "ensure", "service", name, "unmanaged", "--mask"], check=False)
    assert "in the place of the mask" in shown.stdout + shown.stderr

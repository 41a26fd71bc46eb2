# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The systemd provider on booted hosts: what it sees, when it makes systemd read the disk, what it does."""

from __future__ import annotations

import json

import pytest

from .session import session_events

BOOT = "/etc/systemd/system/multi-user.target.wants"
UNIT = "[Service]\nExecStart=/bin/sleep {seconds}\n[Install]\nWantedBy=multi-user.target\n"
# Every daemon-reload runs the generators, and this one counts.
GENERATOR = "#!/bin/sh\necho reload >> /run/reloads\n"
INIT_SCRIPT = """#!/bin/sh
### BEGIN INIT INFO
# Provides: {name}
# Required-Start:
# Required-Stop:
# Default-Start: 2 3 4 5
# Default-Stop: 0 1 6
# Short-Description: {name}
### END INIT INFO
exit 0
"""


@pytest.fixture(scope="module")
def units(host):
    """The host with units in every state that systemd has words for."""
    host.write("/etc/systemd/system-generators/count", GENERATOR, 0o755)
    for name in ("off", "on", "up", "both", "runtime", "app@", "rich"):
        host.write(f"/etc/systemd/system/{name}.service", UNIT.format(seconds=1000))
    for name in ("masked", "masked-runtime"):
        host.write(f"/lib/systemd/system/{name}.service", UNIT.format(seconds=1000))
    plain = "[Service]\nExecStart=/bin/sleep 1000\n"
    host.write("/opt/linked.service", UNIT.format(seconds=1000))
    host.write("/etc/systemd/system/static.service", plain)
    host.write("/etc/systemd/system/indirect.service", plain + "[Install]\nAlso=on.service\n")
    host.write("/etc/systemd/system/named.service", plain + "[Install]\nAlias=other.service\n")
    host.write("/etc/systemd/system/broken.service", "[Service]\nType=simple\n")
    host.write("/etc/systemd/system/failing.service", "[Service]\nExecStart=/bin/false\n")
    slow = "[Service]\nExecStart=/bin/sleep 1000\nTimeoutStartSec=infinity\nTimeoutStopSec=infinity\n"
    host.write("/etc/systemd/system/starting.service", slow + "Type=oneshot\n")
    host.write("/etc/systemd/system/stopping.service", slow + "ExecStop=/bin/sleep 1000\n")
    host.write("/etc/systemd/system/reloading.service", slow + "ExecReload=/bin/sleep 1000\n")
    host.write("/etc/init.d/oldon", INIT_SCRIPT.format(name="oldon"), 0o755)
    host.write("/etc/init.d/oldoff", INIT_SCRIPT.format(name="oldoff"), 0o755)
    host.run(
        "update-rc.d oldon defaults; systemctl daemon-reload; systemctl enable -q on both named app@two;"
        "systemctl enable -q --runtime runtime; systemctl link -q /opt/linked.service; systemctl mask -q masked;"
        "systemctl mask -q --runtime masked-runtime; systemctl start up both app@one stopping reloading;"
        "systemctl start --no-block starting; systemctl start failing; systemd-run -q --unit=transient sleep 1000;"
        "systemctl stop --no-block stopping; systemctl reload --no-block reloading;"
        "for unit in starting:activating stopping:deactivating reloading:reloading failing:failed; do"
        " until systemctl show -p ActiveState --value ${unit%:*} | grep -qx ${unit#*:}; do sleep 0.02; done; done"
    )
    yield host
    host.run("systemctl kill -s KILL starting stopping reloading", check=False)


STATES = {
    # name: running, enabled
    "off": (False, False),
    "off.service": (False, False),
    "on": (False, True),
    "up": (True, False),
    "both": (True, True),
    "runtime": (False, True),
    "static": (False, True),
    "indirect": (False, True),
    "named": (False, True),
    "other": (False, True),
    "app@one": (True, False),
    "app@two": (False, True),
    "app@": (False, True),
    "linked": (False, False),
    "masked": (False, False),
    "masked-runtime": (False, False),
    "broken": (False, True),
    "failing": (False, True),
    "starting": (False, True),
    "stopping": (False, True),
    "reloading": (True, True),
    "oldon": (False, True),
    "oldoff": (False, False),
    "transient": (True, True),
    "dbus": (True, True),
    "multi-user.target": (True, True),
}


def apply(host, resources, *flags, path=""):
    """Apply a manifest of resources; the events of its session, and how often systemd read the disk meanwhile."""
    host.write("/root/m.yaml", json.dumps({"ccm": {"resources": resources}}))
    host.run("rm -rf /root/s /run/reloads; mkdir /root/s")
    env = {"PATH": f"{path}/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}
    host.run(["ccm", "apply", "/root/m.yaml", "--session", "/root/s", *flags], env=env)
    return session_events(host, "/root/s"), int(host.run("cat /run/reloads 2>/dev/null | wc -l").stdout)


def service(name, ensure="running", **more):
    return {"service": [{name: {"ensure": ensure, **more}}]}


def seen(event):
    metadata = event["status"]["metadata"]
    return metadata["running"], metadata["enabled"]


def test_states_seen_together_are_those_seen_alone(units):
    wanted = [service(name, "running" if running else "stopped") for name, (running, enabled) in STATES.items()]
    events, reloads = apply(units, wanted, "--noop")
    assert {event["name"]: seen(event) for event in events} == STATES
    assert reloads == 0
    for name, state in STATES.items():
        alone = json.loads(units.run(["ccm", "status", "service", name, "--json"]).stdout)
        assert (alone["running"], alone["enabled"]) == state, name


def test_a_converged_run_looks_once_and_reloads_nothing(units):
    units.write("/root/count/systemctl", '#!/bin/sh\necho "$1" >> /run/calls\nexec /usr/bin/systemctl "$@"\n', 0o755)
    units.run("rm -f /run/calls")
    wanted = [service("both", enable=True), service("up", enable=False), service("off", "stopped", enable=False)]
    events, reloads = apply(units, wanted, path="/root/count:")
    assert not any(event["changed"] or event["failed"] for event in events)
    assert units.read("/run/calls").split() == ["show", "is-enabled"]
    assert reloads == 0


DRIFT = {
    # what is done by hand: what enable asks for afterwards
    f"rm {BOOT}/drift.service": True,
    f"ln -s /etc/systemd/system/drift.service {BOOT}/drift.service": False,
}


@pytest.mark.parametrize("by_hand", DRIFT)
def test_links_made_by_hand_are_seen(units, by_hand):
    enable = DRIFT[by_hand]
    units.write("/etc/systemd/system/drift.service", UNIT.format(seconds=1))
    units.run(f"systemctl daemon-reload; systemctl {'enable' if enable else 'disable'} -q drift; {by_hand}")
    events, _reloads = apply(units, [service("drift", "stopped", enable=enable)])
    assert [(event["changed"], seen(event)) for event in events] == [(True, (False, enable))]


# Where the unit lies, and what is done to it.
CHANGES = {
    "the file": ("/etc/systemd/system", "sed -i s/1000/2000/ {own}"),
    "a first drop-in": (
        "/etc/systemd/system",
        "mkdir {own}.d; printf '[Service]\\nExecStart=\\nExecStart=/bin/sleep 2000\\n' > {own}.d/a.conf",
    ),
    "a file in its place": ("/lib/systemd/system", "sed s/1000/2000/ {own} > /etc/systemd/system/{name}.service"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_on_disk_is_read_once_before_the_restart(units, change):
    folder, command = CHANGES[change]
    name = "change-" + change.replace(" ", "-")
    own = f"{folder}/{name}.service"
    units.write(own, UNIT.format(seconds=1000))
    units.run(f"systemctl daemon-reload; systemctl start {name}")
    units.write("/root/change", command.format(name=name, own=own))
    wanted = [
        {"exec": [{"/bin/sh /root/change": {}}]},
        service(name, subscribe=["exec#/bin/sh /root/change"]),
        service("both"),
    ]
    events, reloads = apply(units, wanted)
    assert [event["refreshed"] for event in events] == [False, True, False]
    assert reloads == 1
    process = units.run(f"systemctl show --property=MainPID --value {name}").stdout.strip()
    assert units.read(f"/proc/{process}/cmdline") == "/bin/sleep\0" + "2000\0"
    assert apply(units, [service(name), service("both")])[1] == 0


def test_what_only_a_reload_brings_is_found(units):
    units.write("/etc/init.d/fresh", INIT_SCRIPT.format(name="fresh"), 0o755)
    units.run("ln -s both.service /etc/systemd/system/nickname.service")
    events, reloads = apply(units, [service("fresh"), service("nickname")])
    assert [(event["failed"], event["changed"]) for event in events] == [(False, True), (False, False)]
    assert reloads <= 2


def test_a_unit_masked_by_hand_does_not_start(units):
    units.write("/lib/systemd/system/hand.service", UNIT.format(seconds=1000))
    units.run("systemctl daemon-reload; systemctl start up; systemctl start hand; systemctl stop hand")
    units.run("systemctl start hand; ln -s /dev/null /etc/systemd/system/hand.service; systemctl stop hand")
    events, _reloads = apply(units, [service("hand")])
    assert "service is stopped, expected running" in events[0]["error"][0]
    assert "masked" in events[0]["error"][0]


def test_enabling_many_reads_the_disk_once_and_leaves_systemd_knowing(units):
    names = [f"many-{number}" for number in range(5)]
    for name in names:
        units.write(f"/etc/systemd/system/{name}.service", UNIT.format(seconds=1000))
    wanted = [service(name, enable=True) for name in names]
    events, reloads = apply(units, wanted)
    assert [seen(event) for event in events] == [(True, True)] * 5
    assert reloads == 1
    wants = units.run("systemctl show --property=Wants multi-user.target").stdout
    assert all(f"{name}.service" in wants for name in names)
    assert apply(units, wanted)[1] == 0


@pytest.mark.parametrize("skipped", [True, False])
def test_what_is_owed_to_systemd_is_done_before_a_command_and_at_the_end(units, skipped):
    name = f"owed-{skipped}".lower()
    units.write(f"/etc/systemd/system/{name}.service", UNIT.format(seconds=1000))
    look = "/bin/sh -c 'systemctl show --property=Wants multi-user.target > /run/wants'"
    last = service("both", control={"if": "1 == 2"})
    between = [] if skipped else [{"exec": [{"look": {"command": look}}]}]
    _events, reloads = apply(units, [service(name, enable=True), *between, last])
    if skipped:
        units.run("systemctl show --property=Wants multi-user.target > /run/wants")
    assert f"{name}.service" in units.read("/run/wants")
    assert reloads == 1


def test_a_missing_service_fails_in_the_recorded_words_and_is_awaited_in_noop(units):
    events, reloads = apply(units, [service("none-such")])
    word = events[0]["error"][0]
    assert word == "service none-such not found" or word.startswith(
        "invalid systemctl is-enabled output: Failed to get unit file state for none-such.service"
    )
    assert reloads == 1
    brings = {
        "file": [
            {
                "/etc/systemd/system/brought.service": {
                    "ensure": "present",
                    "content": UNIT.format(seconds=9),
                    "owner": "root",
                    "group": "root",
                    "mode": "0644",
                }
            }
        ]
    }
    wanted = [brings, service("brought", enable=True)]
    events, _reloads = apply(units, wanted, "--noop")
    assert events[1]["noop_message"] == "Would have started, would have enabled"
    events, _reloads = apply(units, wanted)
    assert seen(events[1]) == (True, True)
    events, _reloads = apply(units, [*wanted, service("none-such")], "--noop")
    assert events[2]["failed"]


# Services that do not start, and what systemctl says of it.
FAILURES = {"dies": "", "oneshot": "", "fails": "Job for fails.service failed", "unmet": "", "masked": "is masked"}


def test_services_that_do_not_start_fail_with_what_systemctl_said(units):
    units.write("/etc/systemd/system/dies.service", "[Service]\nExecStart=/bin/false\n")
    units.write("/etc/systemd/system/oneshot.service", "[Service]\nType=oneshot\nExecStart=/bin/true\n")
    units.write("/etc/systemd/system/fails.service", "[Service]\nType=oneshot\nExecStart=/bin/false\n")
    units.write("/etc/systemd/system/unmet.service", "[Unit]\nConditionPathExists=/none\n" + UNIT.format(seconds=1))
    units.run("systemctl daemon-reload")
    events, _reloads = apply(units, [service(name) for name in (*FAILURES, "up")])
    for event in events[:-1]:
        text = event["error"][0]
        assert text.startswith("failed to reach desired state: running: service is stopped, expected running"), text
        assert FAILURES[event["name"]] in text
    assert not events[-1]["failed"]


def test_what_is_gone_with_its_stop_is_stopped(units):
    units.run("systemd-run -q --unit=passing sleep 1000")
    (event,), _reloads = apply(units, [service("passing", "stopped")])
    assert (event["changed"], event["final_ensure"], event["error"]) == (True, "stopped", [])


def test_fail_on_error_stops_the_run_with_the_first(units):
    units.write(
        "/root/stop.yaml",
        json.dumps({"ccm": {"fail_on_error": True, "resources": [service("masked"), service("off")]}}),
    )
    done = units.run("ccm apply /root/stop.yaml")
    assert "service#masked failed" in done.stdout
    assert units.run("systemctl is-active off", check=False).stdout == "inactive\n"


@pytest.mark.parametrize(("reloads", "pid_stays"), [("ExecReload=/bin/touch /run/reloaded\n", True), ("", False)])
def test_a_refresh_may_reload(units, reloads, pid_stays):
    """A service that cannot reload is restarted."""
    unit = UNIT.format(seconds=1000).replace("[Install]", reloads + "[Install]")
    units.write("/etc/systemd/system/gentle.service", unit)
    units.run("rm -f /run/reloaded; systemctl daemon-reload; systemctl restart gentle; printf a > /root/conf")
    before = units.run("systemctl show --property=MainPID --value gentle").stdout
    conf = {"ensure": "present", "content": "b", "owner": "root", "group": "root", "mode": "0644"}
    wanted = service("gentle", subscribe=["file#/root/conf"], meta={"refresh": "reload"})
    events, _reloads = apply(units, [{"file": [{"/root/conf": conf}]}, wanted])
    after = units.run("systemctl show --property=MainPID --value gentle").stdout
    assert (events[1]["refreshed"], events[1]["failed"]) == (True, False)
    assert (before == after) == pid_stays
    assert (units.run("test -e /run/reloaded", check=False).returncode == 0) == pid_stays


@pytest.mark.parametrize("refresh", ["file", "nothing"])
@pytest.mark.parametrize("ensure", ["running", "stopped"])
@pytest.mark.parametrize("was", ["running", "stopped"])
def test_subscribe(units, refresh, ensure, was):
    content = "a" if refresh == "nothing" else f"{ensure} {was}"
    units.run(f"printf a > /root/conf; systemctl {'restart' if was == 'running' else 'stop'} rich")
    before = units.run("systemctl show --property=InvocationID --value rich").stdout
    conf = {"ensure": "present", "content": content, "owner": "root", "group": "root", "mode": "0644"}
    events, _reloads = apply(
        units, [{"file": [{"/root/conf": conf}]}, service("rich", ensure, subscribe=["file#/root/conf"])]
    )
    event = events[1]
    restarted = refresh == "file" and ensure == was == "running"
    assert event["refreshed"] == restarted
    assert event["changed"] == (restarted or ensure != was)
    assert event["final_ensure"] == ensure
    if ensure == was == "running":
        after = units.run("systemctl show --property=InvocationID --value rich").stdout
        assert (after != before) == restarted

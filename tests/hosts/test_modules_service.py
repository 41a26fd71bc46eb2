# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""ccm.core.service in plays against booted hosts: states, check mode, differences, handlers."""

from __future__ import annotations

import pytest

UNIT = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"


@pytest.fixture(scope="module")
def services(bookworm):
    """The host with the units m-web, m-job@ and m-broken, which cannot start."""
    for name, text in (("m-web", UNIT), ("m-job@", UNIT), ("m-broken", UNIT.replace("/bin/sleep", "/no/such"))):
        bookworm.write(f"/etc/systemd/system/{name}.service", text)
    bookworm.run("systemctl daemon-reload")
    return bookworm


def shown(host, unit, *properties):
    """The values of a unit's properties."""
    return host.run(["systemctl", "show", unit, "--value", *(f"-p{name}" for name in properties)]).stdout.split()


TASKS = """
- name: run
  ccm.core.service: {name: m-web, enable: true}
- name: instance
  ccm.core.service: {name: "m-job@one.service"}
- name: stop
  ccm.core.service: {name: m-web, ensure: stopped, enable: false}
"""


def test_states_check_mode_and_differences(services, ansible):
    there = ansible.on(services)
    preview = there.play(TASKS, "--check", "--diff")
    assert preview.outcomes == {"run": "changed", "instance": "changed", "stop": "ok"}
    assert preview["run"].msg == "Would have started, would have enabled"
    run = there.play(TASKS, "--diff")
    assert run.outcomes == {"run": "changed", "instance": "changed", "stop": "changed"}
    assert [task.msg for task in run.tasks] == ["Started, enabled", "Started", "Stopped, disabled"]
    assert run["run"].event["status"]["metadata"] == {
        "name": "m-web",
        "provider": "systemd",
        "enabled": True,
        "running": True,
    }
    headers = {"before_header": "service m-web", "after_header": "service m-web"}
    stopped, running = {"ensure": "stopped", "enabled": False}, {"ensure": "running", "enabled": True}
    assert (
        preview["run"].result["diff"] == run["run"].result["diff"] == [{**headers, "before": stopped, "after": running}]
    )
    assert run["stop"].result["diff"] == [{**headers, "before": running, "after": stopped}]
    assert shown(services, "m-job@one", "ActiveState") == ["active"]
    assert shown(services, "m-web", "ActiveState", "UnitFileState") == ["inactive", "disabled"]


PLAY = """
- name: configure
  ccm.core.file:
    {name: /etc/m.conf, ensure: present, content: "{{ text }}", owner: root, group: root, mode: "0644"}
  notify: restart
- name: run
  ccm.core.service: {name: m-web}
"""
HANDLERS = """
- name: restart
  ccm.core.service: {name: m-web}
"""


def test_a_handler_restarts_what_runs(services, ansible):
    """Verified by when systemd started the process; a check does nothing, and a stopped service is started."""
    there = ansible.on(services)

    def play(text, *options, handlers=HANDLERS):
        run = there.play(PLAY, *options, handlers=handlers, vars={"text": text})
        return run, shown(services, "m-web", "ExecMainStartTimestampMonotonic", "MainPID")

    services.run("systemctl start m-web")
    _run, begun = play("one")
    run, same = play("two", "--check")
    assert (run["restart"].outcome, run["restart"].msg) == ("changed", "Would have restarted via subscribe")
    assert same == begun
    run, later = play("two")
    assert run.outcomes == {"configure": "changed", "run": "ok", "restart": "changed"}
    assert run["restart"].msg == "Restarted via subscribe"
    assert run["restart"].event["refreshed"] is True
    assert int(later[0]) > int(begun[0])
    assert later[1] != begun[1]
    run, same = play("two")
    assert run.outcomes == {"configure": "ok", "run": "ok"}
    assert same == later


def test_a_handler_reloads_or_starts_once(services, ansible):
    """The process of a service that is reloaded stays; one that is stopped is started, and not restarted as well."""
    log = "/bin/sh -c 'echo {} >> /srv/m-reload'"
    commands = f"ExecStartPost={log.format('started')}\nExecReload={log.format('reloaded')}\n"
    unit = UNIT.replace("[Install]", f"{commands}[Install]")
    services.write("/etc/systemd/system/m-reload.service", unit)
    services.run("systemctl daemon-reload")
    tasks = (
        "- name: change\n  ansible.builtin.command: echo\n  changed_when: true\n  check_mode: false\n  notify: reload\n"
    )
    handlers = "- name: reload\n  ccm.core.service: {name: m-reload, refresh: reload}\n"
    there = ansible.on(services)
    wanted = ("Would have started", "Started", "Would have reloaded via subscribe", "Reloaded via subscribe")
    for message in wanted:
        options = ["--check"] if message.startswith("Would") else []
        assert there.play(tasks, *options, handlers=handlers)["reload"].msg == message
    assert services.read("/srv/m-reload") == "started\nreloaded\n"
    run = there.play(tasks, handlers=handlers.replace("reload}", "false}"))
    assert (run["reload"].outcome, services.read("/srv/m-reload")) == ("ok", "started\nreloaded\n")


def test_a_refresh_starts_what_is_stopped_unless_it_shall_be(services, ansible):
    services.run("systemctl stop m-web")
    tasks = """
    - name: leave
      ccm.core.service: {name: m-web, ensure: stopped, refresh: true}
    - name: start
      ccm.core.service: {name: m-web, refresh: true}
    """
    run = ansible.on(services).play(tasks)
    assert [(task.outcome, task.msg) for task in run.tasks] == [("ok", "Nothing to do"), ("changed", "Started")]
    assert run["start"].event["refreshed"] is False
    assert shown(services, "m-web", "ActiveState") == ["active"]


def test_ad_hoc(services, ansible):
    run = ansible.on(services).ad_hoc("ccm.core.service", "name=m-web enable=yes", "--check")
    assert run.tasks[0].msg == "Would have enabled"


def test_what_is_wrong_is_told(services, ansible):
    cases = {
        "broken": ("name: m-broken", "service#m-broken: failed to reach desired state: "),
        "missing": ("name: m-none", "service#m-none: "),
        "value": ("name: m-web, ensure: paused", "value of ensure must be one of: running, stopped"),
        "builtin": ("name: m-web, state: restarted", "ensure cannot be restarted, which is a word of ansible.builtin"),
        "name": ("name: 'm;web'", 'service#m;web: service name contains dangerous characters: "m;web"'),
        "boolean": ("name: true", "name must be text, but YAML reads the boolean true"),
        "subscribe": ("name: m-web, subscribe: [file#/x]", "subscribe is for manifests: give the other task notify"),
    }
    tasks = "".join(
        f"- name: {name}\n  ignore_errors: true\n  ccm.core.service: {{{options}}}\n"
        for name, (options, _message) in cases.items()
    )
    run = ansible.on(services).play(tasks)
    for name, (_options, message) in cases.items():
        assert run[name].outcome == "failed"
        assert message in run[name].msg, run[name]


def test_a_service_that_does_not_exist_is_absent(services, ansible):
    tasks = """
    - name: none
      ccm.core.resource_info: {type: service, name: m-none}
    - name: some
      ccm.core.resource_info: {type: service, name: m-broken}
    """
    found = ansible.on(services).play(tasks)
    assert found["none"].result["ensure"] == "absent"
    assert found["none"].result["state"] == {
        "name": "m-none",
        "provider": "systemd",
        "enabled": False,
        "running": False,
    }
    assert found["some"].result["ensure"] == "stopped"

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Handlers in plays: what can be refreshed is refreshed, however the handler came into the play."""

from __future__ import annotations

import os

import pytest

OWN = f'owner: "{os.geteuid()}", group: "{os.getegid()}"'


def changed(here, name, *notified):
    """A task that changes a file and notifies handlers."""
    return f"""
- name: change {name}
  ccm.core.file: {{name: {here}/{name}, ensure: present, content: x, {OWN}, mode: "0600"}}
  notify: [{", ".join(notified)}]
"""


def command(name, here, *options, also=""):
    """A command that adds its name to a log, and that does not run without a refresh: it has made `here`."""
    given = ", ".join(
        (f"name: {name}", f"command: /bin/sh -c 'echo {name} >> {here}/log'", f"creates: {here}", *options)
    )
    return f"- name: {name}\n  ccm.core.exec: {{{given}}}\n{also}"


def log(here):
    path = here / "log"
    return path.read_text("utf-8").split() if path.exists() else []


def test_every_way_to_a_handler_refreshes_once(ansible, here):
    """Notified, listening, included, imported, of a role that a task includes, in a loop, and flushed."""
    ansible.write("included.yml", command("included", here, also="  loop: [1]\n"))
    ansible.write("imported.yml", command("imported", here, "refreshonly: true"))
    ansible.write("roles/own/tasks/main.yml", changed(here, "of-role", "role"))
    ansible.write("roles/own/handlers/main.yml", command("role", here))
    tasks = "- ansible.builtin.include_role: {name: own}\n"
    tasks += changed(here, "a", "first", "files", "imported", "topic", "unwanted", "manifest")
    tasks += "- ansible.builtin.meta: flush_handlers\n"
    tasks += changed(here, "b", "first")
    handlers = command("first", here) + command("listening", here, also="  listen: topic\n")
    handlers += "- name: files\n  ansible.builtin.include_tasks: included.yml\n"
    handlers += "- ansible.builtin.import_tasks: imported.yml\n"
    handlers += command("unwanted", here, "refresh: false")
    manifest = f"{{ccm: {{resources: [{{exec: {{name: /bin/touch {here}/applied, refreshonly: true}}}}]}}}}"
    handlers += f"- name: manifest\n  ccm.core.apply: {{manifest: {manifest}}}\n"
    preview = ansible.play(tasks, "--check", handlers=handlers)
    assert log(here) == []
    run = ansible.play(tasks, handlers=handlers)
    assert log(here) == ["first", "listening", "included", "imported", "role", "first"]
    for played, message in ((preview, "Would have executed via subscribe"), (run, "Executed via subscribe")):
        names = [task.name.rpartition(" ")[2] for task in played.tasks if task.msg == message]
        assert names == log(here)
        assert (played["unwanted"].outcome, played["manifest"].outcome) == ("ok", "ok")
    assert not (here / "applied").exists()
    again = ansible.play(tasks, handlers=handlers)
    assert [task.name for task in again.tasks if task.outcome == "changed"] == []


def test_tasks_are_not_refreshed(ansible, here):
    """Also not the task of a file that a handler includes and a task too, when the task includes it."""
    ansible.write("both.yml", command("both", here))
    run = ansible.play(command("plain", here) + "- ansible.builtin.include_tasks: both.yml\n")
    assert (run["plain"].outcome, run["both"].outcome, log(here)) == ("ok", "ok", [])


@pytest.mark.parametrize("options", [(), ("unless: /bin/false",)])
def test_a_handler_without_guards_runs_its_command_once(ansible, here, options):
    given = ", ".join((f"name: /bin/sh -c 'echo once >> {here}/log'", *options))
    run = ansible.play(changed(here, "a", "plain"), handlers=f"- name: plain\n  ccm.core.exec: {{{given}}}\n")
    assert (run["plain"].msg, log(here)) == ("Executed via subscribe", ["once"])


def test_handlers_with_rules_for_their_health_are_refreshed(ansible, here):
    """Another module runs their tasks."""
    rules = f"health_checks: [{{goss_rules: {{file: {{{here}/log: {{exists: true}}}}}}}}]"
    run = ansible.play(changed(here, "a", "checked"), handlers=command("checked", here, rules))
    assert (run["checked"].outcome, log(here)) == ("changed", ["checked"])

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""ccm.core.package and ccm.core.service on this machine, where nothing may change: check mode, and what is refused.

What they do is tested in booted hosts (tests/hosts).
"""

from __future__ import annotations

import pytest

apt = pytest.mark.needs("apt-get")


@apt
def test_packages_in_check_mode(ansible):
    tasks = """
    - name: there
      ccm.core.package: {name: dpkg, ensure: present}
    - name: some
      ccm.core.package: {name: [dpkg, ccm-no-such, apt], ensure: present}
    - name: away
      ccm.core.package: {name: "ccm-no-such,ccm-none", ensure: absent}
    - name: in the background
      ccm.core.package: {name: [dpkg], ensure: present}
      async: 20
      poll: 1
      check_mode: false
    """
    run = ansible.play(tasks, "--check", "--diff")
    assert [(task.outcome, task.msg) for task in run.tasks if "msg" in task.result] == [
        ("ok", "Nothing to do"),
        ("changed", "1 of 3 packages would change"),
        ("ok", "0 of 2 packages would change"),
        ("ok", "Nothing to do"),
    ]
    (diff,) = run["some"].result["diff"]
    assert (diff["before"], diff["after"]) == ("ccm-no-such absent\n", "ccm-no-such present\n")


def test_mistakes_never_reach_the_node(ansible):
    """The path of Python is invalid: a task that reached the node would fail with another message."""
    cases = {
        "empty": ("package: {name: [], ensure: present}", "name is an empty list"),
        "twice": ("package: {name: [a, a], ensure: present}", "name has a more than once"),
        "number": ("package: {name: [a], ensure: 1.10}", "ensure must be text, but YAML reads the number 1.1"),
        "whole number": ("package: {name: a, ensure: 10}", "ensure must be text, but YAML reads the number 10"),
        "date": ("package: {name: a, ensure: 2026-01-02}", "ensure must be text, but YAML reads a date"),
        "nothing": ("package: {name: a, ensure: }", "ensure"),
        "provider": ("package: {name: a, ensure: present, provider: yum}", "provider not found"),
        "state": ("service: {name: a, ensure: up}", "value of ensure must be one of: running, stopped"),
        "boolean": ("service: {name: true}", "name must be text, but YAML reads the boolean true"),
        "require": ("service: {name: a, require: [file#/x]}", "service#a: require is for manifests: tasks run in"),
    }
    tasks = "".join(
        f"- name: {name}\n  ignore_errors: true\n  ccm.core.{task}\n" for name, (task, _message) in cases.items()
    )
    run = ansible.play(tasks, python="/no/such/python")
    for name, (_task, message) in cases.items():
        assert run[name].outcome == "failed"
        assert message in run[name].msg, run[name]


@apt
def test_options_for_all_packages_of_a_play(ansible):
    keywords = """
    module_defaults:
      ccm.core.package: {ensure: present, lock_timeout: 10s}
    """
    run = ansible.play("- ccm.core.package: {name: dpkg}\n", "--check", keywords=keywords)
    assert [task.outcome for task in run.tasks] == ["ok"]

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands on booted hosts: what they leave in the background, variables, and other users."""

from __future__ import annotations

import json
import shlex

import pytest

from .aptrepo import Deb, register
from .conftest import RELEASES, host_with_command

#: A service that never ends, and that keeps the output of what starts it open.
SERVICE = "sleep infinity & echo $! > /srv/pid"


@pytest.fixture(scope="module", params=[*RELEASES, "dnf"])
def machine(request):
    """A host of each release in turn, and one with dnf."""
    with host_with_command(request.param) as shared:
        yield shared


def ensure(host, *words):
    """Run `ccm ensure` with JSON lines; return them."""
    done = host.run(["ccm", "--log-format", "json", "ensure", *words], check=False)
    return [json.loads(line) for line in (done.stdout + done.stderr).splitlines()]


def last(host, *words):
    return ensure(host, *words)[-1]["msg"]


def end_service(host):
    """End what SERVICE started; it must run."""
    host.run("kill $(cat /srv/pid)")


@pytest.mark.parametrize("timeout", ["5s", "0s"])
def test_a_command_that_starts_a_service(machine, timeout):
    """Q90: neither a failure at the end of the time, nor a run without end."""
    assert last(machine, "exec", SERVICE, "--provider", "shell", "--timeout", timeout).endswith(" changed")
    end_service(machine)


def test_a_package_manager_whose_hook_starts_a_service(host):
    """dpkg and dnf keep the output of the scripts of packages; a hook of apt has apt's."""
    register(host, [Deb("ccm-starts")])
    host.write("/etc/apt/apt.conf.d/99starts", f'DPkg::Post-Invoke {{"{SERVICE}";}};\n')
    assert last(host, "package", "ccm-starts", "present") == "package#ccm-starts changed"
    end_service(host)
    assert last(host, "package", "ccm-starts", "present") == "package#ccm-starts stable"


def test_a_variable_with_an_empty_value(machine):
    words = ("exec", "env", "--logoutput", "-e", "HTTP_PROXY=", "-e", "A=1")
    lines = [line["msg"] for line in ensure(machine, *words)]
    assert {"HTTP_PROXY=", "A=1"} <= set(lines)


def test_the_output_of_a_command_on_a_terminal(machine):
    """It cannot control the terminal, also when it comes there from a pipe later (Q113)."""
    words = ["ccm", "ensure", "exec", r"printf '\033[2Ja\rb\302\233\n'", "--provider", "shell", "--logoutput"]
    for command in (words, ["script", "-qec", shlex.join(words), "/dev/null"]):
        assert r"\x1b[2Ja\rb\u009b" in machine.run(command).stdout


def test_a_command_as_another_user(machine):
    """With its groups, and without what root has; guards and errors too."""
    machine.run("id deploy || { groupadd extra; useradd --create-home --groups extra deploy; }", check=False)
    machine.run("install -d -o deploy -m 0700 /srv/deploy")
    command = "id -nG > groups; env | sort > variables; umask > umask"
    words = ("exec", command, "--provider", "shell", "--user", "deploy", "--cwd", "/srv/deploy", "--umask", "027")
    assert last(machine, *words, "--exec-if", "test -w /srv/deploy -a ! -w /").endswith(" changed")
    assert sorted(machine.read("/srv/deploy/groups").split()) == ["deploy", "extra"]
    names = [line.partition("=")[0] for line in machine.read("/srv/deploy/variables").splitlines()]
    assert {*names} - {"OLDPWD", "PWD", "_"} == {"HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "USER"}
    assert machine.read("/srv/deploy/umask") == "0027\n"
    assert machine.run("stat -c '%U %a' /srv/deploy/umask").stdout == "deploy 640\n"
    errors = ensure(machine, "exec", "id", "--user", "deploy", "--cwd", "/root")[-1]["fields"]["errors"]
    assert errors == "chdir /root: permission denied for user deploy"


def test_a_module_runs_a_command_as_another_user(machine, ansible):
    task = "ccm.core.exec: {name: 'id -un', logoutput: true, user: nobody, umask: '0077'}"
    run = ansible.on(machine).play(f"- name: who\n  {task}\n")
    assert run["who"].result["log"] == ["nobody"], run.output

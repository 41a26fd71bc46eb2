# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples in the documentation of the modules, run on a host that has what they name."""

from __future__ import annotations

import ast
import pathlib

import pytest
import yaml

MODULES = pathlib.Path(__file__).parents[2] / "plugins/modules"
NAMES = sorted(path.stem for path in MODULES.glob("*.py"))
#: They need servers or package indexes that a test host does not have, and run in check mode only.
CHECKED_ONLY = ("archive", "package")
HANDLERS = """
- name: Restart app
  ccm.core.service: {name: app}
- name: Restart nginx
  ccm.core.service: {name: nginx}
"""
UNIT = "[Service]\nExecStart=/bin/sleep infinity\nExecReload=/bin/true\n[Install]\nWantedBy=multi-user.target\n"
SOCKET = "[Socket]\nListenStream=127.0.0.1:2323\nAccept=yes\n[Install]\nWantedBy=sockets.target\n"
PREPARE = """
useradd --system app
useradd alice
useradd bob
groupadd docker
mkdir -p /etc/nginx/conf.d /usr/share/app/templates /usr/share/app/www /etc/sudoers.d
mkdir -p /etc/app/conf.d /srv/app /var/lib/app /tmp/release/bin /var/cache/app/x
cp /bin/true /tmp/release/bin/app
tar -czf /srv/app.tgz -C /tmp/release .
printf '#!/bin/sh\\n[ "$2" != check ]\\n' > /usr/bin/app
printf '#!/bin/sh\\nexit 0\\n' > /usr/sbin/visudo
chmod 0755 /usr/bin/app /usr/sbin/visudo
echo defaults > /usr/share/app/defaults
echo hello > /usr/share/app/www/index.html
echo 'echo {{ .facts.host.info.os }}' > /usr/share/app/templates/a.sh
systemctl daemon-reload
systemctl start motd
"""
MANIFEST = """
data: {port: 80}
ccm:
  resources:
    - exec: {name: "true", creates: /}
"""
FILES = {
    "files/site.yaml": MANIFEST,
    "files/webserver/manifest.yaml": MANIFEST,
    "files/common.yaml": "data: {port: 80}\n",
    "files/words": "one\n",
    "templates/app.conf.j2": "{{ inventory_hostname }}\n",
    "templates/app/settings": "{{ data.port }}\n",
}


def examples(module):
    """Return the tasks and the plays in the examples of a module."""
    for node in ast.walk(ast.parse((MODULES / f"{module}.py").read_text("utf-8"))):
        if isinstance(node, ast.Assign) and node.targets[0].id == "EXAMPLES":
            found = yaml.safe_load(node.value.value)
            return [entry for entry in found if "hosts" not in entry], [entry for entry in found if "hosts" in entry]
    raise AssertionError(f"{module} has no examples")


def is_fetched(task):
    """Return whether a task fetches something from a server that there is not, also in check mode."""
    return any("https://" in str(options) for name, options in task.items() if name.startswith("ccm.core."))


@pytest.fixture(scope="module")
def prepared(bookworm):
    for name in ("app", "nginx", "motd"):
        bookworm.write(f"/etc/systemd/system/{name}.service", UNIT)
    bookworm.write("/etc/systemd/system/telnetd.socket", SOCKET)
    bookworm.write("/etc/systemd/system/telnetd@.service", "[Service]\nExecStart=/bin/true\n")
    bookworm.write("/lib/systemd/system/telnetd.service", "[Service]\nExecStart=/bin/true\n")
    bookworm.write("/etc/ccm/manifest.yaml", MANIFEST)
    bookworm.run(PREPARE)
    return bookworm


def test_examples_run(prepared, ansible):
    """The tasks of all modules are one play: Ansible reads the code of each module once in a run."""
    plays = ansible.on(prepared)
    for path, text in FILES.items():
        plays.write(path, text)
    found = {name: examples(name) for name in NAMES}
    tasks = [
        {**task, "check_mode": True} if name in CHECKED_ONLY else task
        for name, (of_module, _plays) in found.items()
        for task in of_module
        if name in CHECKED_ONLY or not is_fetched(task)
    ]
    variables = {"token": "t", "mirror_password": "p", "vaulted_hash": "$6$saltsalt$" + "a" * 86}
    grouped = [{"ansible.builtin.group_by": {"key": "app"}}, *tasks]
    ran = plays.play(yaml.safe_dump(grouped, sort_keys=False), handlers=HANDLERS, vars=variables)
    assert ran.returncode == 0, ran.output
    assert set(ran.outcomes) >= {task["name"] for task in tasks}
    for name, (_tasks, more) in found.items():
        options = ["--check"] if name in CHECKED_ONLY else []
        for play in more:
            handlers = yaml.safe_dump(play.get("handlers", []), sort_keys=False)
            ran = plays.play(
                yaml.safe_dump(play["tasks"], sort_keys=False), *options, handlers=handlers, vars=variables
            )
            assert ran.returncode == 0, ran.output

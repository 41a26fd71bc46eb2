# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every module with Ansible's default settings: among them, what is run is logged on the node."""

from __future__ import annotations

import os
import re

import pytest

from .aptrepo import Deb, register

UNIT = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"
TASKS = """
- name: text
  ccm.core.file: {name: /srv/text, ensure: present, source: text, owner: root, group: root, mode: "0640"}
- name: binary
  ccm.core.file: {name: /srv/binary, ensure: present, source: binary, owner: root, group: root, mode: "0640"}
- name: large
  ccm.core.file: {name: /srv/large, ensure: present, source: large, owner: root, group: root, mode: "0640"}
- name: template
  ccm.core.file: {name: /srv/template, ensure: present, template: motd.j2, owner: root, group: root, mode: "0640"}
- name: command
  ccm.core.exec: {name: touch /srv/made, creates: /srv/made}
- name: archive
  ccm.core.archive:
    {name: /srv/a.tar.gz, ensure: present, url: "http://127.0.0.1:8090/a.tar.gz", owner: root, group: root,
     extract_parent: /srv/unpacked, creates: /srv/unpacked/hello}
- name: package
  ccm.core.package: {name: s-tool, ensure: present}
- name: service
  ccm.core.service: {name: s-web, enable: true}
- name: scaffold
  ccm.core.scaffold: {name: /srv/app, ensure: present, source: app, data: {port: 8080}}
- name: manifest
  ccm.core.apply: {path: site}
"""
MODULES = ("apply", "archive", "exec", "file", "package", "scaffold", "service")
SITE = """
data: {who: all}
ccm:
  resources:
    - file:
        - /srv/manifest: {ensure: present, content: "to {{ Data.who }}\\n", owner: root, group: root, mode: "0600"}
"""


@pytest.fixture(scope="module")
def prepared(bookworm):
    """A host with a package to install, a service to start and a web server that offers an archive."""
    register(bookworm, [Deb("s-tool", "1.0-1")])
    bookworm.write("/etc/systemd/system/s-web.service", UNIT)
    bookworm.write("/srv/www/hello", "hello\n")
    bookworm.run("cd /srv/www && tar -czf a.tar.gz hello && systemctl daemon-reload")
    bookworm.run("systemd-run --quiet python3 -m http.server --bind 127.0.0.1 --directory /srv/www 8090")
    listening = "import socket; socket.create_connection(('127.0.0.1', 8090))"
    bookworm.run(f'until python3 -c "{listening}" 2> /dev/null; do :; done')
    return bookworm


@pytest.fixture
def plays(ansible, prepared):
    """Plays that send every kind of source."""
    there = ansible.on(prepared).with_default_settings()
    there.write("files/text", "text\n")
    there.write("files/binary", b"\xff\0binary")
    there.write("files/large", os.urandom((1 << 20) + 1))
    there.write("templates/motd.j2", "Welcome to {{ inventory_hostname }}\n")
    there.write("templates/app/app.conf", "port = [[ data.port ]]\n")
    there.write("files/site/manifest.yaml", SITE)
    there.write("files/site/noise", os.urandom((1 << 20) + 1))  # so that the tree is a transferred file
    return there


def test_every_module_runs_and_is_logged(plays, prepared):
    run = plays.play(TASKS)
    assert set(run.outcomes.values()) == {"changed"}, run.output
    for name in ("text", "binary", "large"):
        sent = (plays.folder / "files" / name).read_bytes()
        assert (prepared.root / "srv" / name).read_bytes() == sent
    assert prepared.read("/srv/template") == f"Welcome to {prepared.name}\n"
    assert prepared.read("/srv/app/app.conf") == "port = 8080\n"
    assert prepared.read("/srv/unpacked/hello") == "hello\n"
    assert prepared.read("/srv/manifest") == "to all\n"
    assert [run[name].event["properties"]["source"] for name in ("text", "binary", "large", "scaffold")] == [
        "text",
        "binary",
        "large",
        "app",
    ]
    logged = prepared.run("journalctl --quiet").stdout
    found = set(re.findall(r"ansible-ccm\.core\.([a-z]+)\[[0-9]+\]: Invoked with ", logged))
    assert found == set(MODULES), logged[-5000:]

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A web role in the order of its list and in graph order: both leave the same host, with one transaction of apt."""

from __future__ import annotations

import json
import time

import pytest

from .aptrepo import Deb, register

PACKAGES, FILES, SERVICES = ("w-base", "w-web", "w-tools", "w-extra"), 20, ("w-front", "w-back", "w-job")
DIRECTORIES = ("/srv/web", *(f"/srv/web/{number}" for number in range(4)))
UNIT = "[Service]\\nExecStart=/bin/sleep infinity\\n[Install]\\nWantedBy=multi-user.target\\n"
OWN = 'owner: root, group: root, mode: "0644"'
#: Runs as root on the host; nothing of it depends on when the manifest was applied.
STATE = """
cd / && find etc/w-web srv/web etc/systemd/system -name 'w-*' -o -path 'srv/web*' -o -path 'etc/w-web*' | sort
find etc/w-web srv/web etc/systemd/system/w-* -type f | sort | xargs sha256sum
dpkg-query -W 'w-*'
for unit in w-front w-back w-job; do systemctl is-active $unit; systemctl is-enabled $unit; done
"""


def manifest(engine):
    """The resources in an order that works for a list; in graph order nothing says it but what they are."""
    lines = [f"    - package: {{name: {name}, ensure: present}}" for name in PACKAGES]
    lines += [
        f"    - file: {{name: {path}, ensure: directory, owner: root, group: root, mode: '0755'}}"
        for path in DIRECTORIES
    ]
    lines += [
        f'    - file: {{name: /srv/web/{number % 4}/page{number}, ensure: present, content: "page {number}\\n", {OWN}}}'
        for number in range(FILES)
    ]
    for name in SERVICES:
        lines.append(
            f'    - file: {{name: /etc/systemd/system/{name}.service, ensure: present, content: "{UNIT}", {OWN}}}'
        )
    for name in SERVICES:
        unit = f"file#/etc/systemd/system/{name}.service"
        lines.append(f"    - service: {{name: {name}, ensure: running, enable: true, subscribe: ['{unit}']}}")
    return "\n".join(["ccm:", *([f"  engine: {engine}"] if engine else []), "  resources:", *lines, ""])


@pytest.mark.parametrize("engine", ["{order: graph}", "{order: graph, parallel: 4}"])
def test_graph_order_leaves_the_same_host(booted, engine):
    found, seconds, installs, reloads = {}, {}, {}, {}
    for order in ("", engine):
        host = booted("bookworm")
        register(host, [Deb(name, conffiles={f"/etc/{name}/conf": name}) for name in PACKAGES])
        host.write("/srv/manifest.yaml", manifest(order))
        start = time.monotonic()
        done = host.run("ccm apply /srv/manifest.yaml --report")
        seconds[order] = time.monotonic() - start
        assert "Failed Resources: 0\n" in done.stdout, done.stdout
        again = host.run("ccm apply /srv/manifest.yaml --report")
        assert "Changed Resources: 0\n" in again.stdout, again.stdout
        found[order] = host.run(STATE).stdout
        installs[order] = host.read("/var/log/apt/history.log").count("Commandline:")
        reloads[order] = host.run("journalctl --boot _PID=1 --output cat | grep -c '^Reloading'").stdout
    print(json.dumps({"list": round(seconds[""], 2), "graph": round(seconds[engine], 2)}))
    assert found[engine] == found[""]
    if "parallel" not in engine:
        assert reloads[engine] == reloads[""]
    assert installs == {"": 1, engine: 1}

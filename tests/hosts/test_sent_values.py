# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What packages, services and scaffolds send to others is what the host says of them."""

from __future__ import annotations

import json

import pytest

from .aptrepo import Deb, register

UNIT = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"
SENDERS = {
    "package": ("package#kit", {"kit": {"ensure": "present"}}),
    "service": ("service#kit", {"kit": {"ensure": "running", "enable": True}}),
    "scaffold": ("scaffold#/srv/kit", {"/srv/kit": {"ensure": "present", "source": "/root/templates", "purge": True}}),
}


@pytest.mark.parametrize("engine", [{}, {"order": "graph"}], ids=["list", "graph"])
def test_senders_send_what_is_there(booted, engine):
    host = booted("bookworm")
    register(host, [Deb("kit", "1.5-2")])
    host.write("/etc/systemd/system/kit.service", UNIT)
    host.write("/root/templates/kept", "kept\n")
    host.write("/srv/kit/left", "left\n")
    owned = {"ensure": "present", "owner": "root", "group": "root", "mode": "0644"}
    resources = [{name: [resource]} for name, (_reference, resource) in SENDERS.items()]
    for name, (reference, _resource) in SENDERS.items():
        content = f"${{ toJSON(sent('{reference}')) }}"
        resources.append({"file": [{f"/root/{name}.json": {"content": content, **owned}}]})
    host.write("/root/m.json", json.dumps({"ccm": {"engine": engine, "resources": resources}}))

    def received():
        host.run("ccm apply m.json")
        return {name: json.loads(host.run(["cat", f"/root/{name}.json"]).stdout) for name in SENDERS}

    def service():
        pid = host.run("systemctl show --property=MainPID --value kit").stdout
        return {"running": True, "enabled": True, "pid": int(pid)}

    package = {"version": "1.5-2", "arch": "all"}
    scaffold = {"changed": ["/srv/kit/kept"], "purged": ["/srv/kit/left"]}
    assert received() == {"package": package, "service": service(), "scaffold": scaffold}
    assert service()["pid"] > 0
    # The second time nothing of them changes, and the process is still the same.
    assert received() == {"package": package, "service": service(), "scaffold": {"changed": [], "purged": []}}
    host.run("systemctl kill -s KILL kit; while systemctl is-active -q kit; do sleep 0.02; done; systemctl stop kit")
    assert received()["service"] == service()

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The systemd timer of docs/runner.md, installed as the page says: it applies the manifest of the host regularly."""

from __future__ import annotations

import re

import pytest

from tests.patience import wait_until

from .command import CHECKOUT

BLOCK = re.compile(r"^```\w+ file=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MANIFEST = """
ccm:
  resources:
    - file:
        - /srv/managed: {ensure: present, content: "managed\\n", owner: root, group: root, mode: "0644"}
"""
FAILING = MANIFEST + "    - exec: {name: /bin/false}\n"
MORE_OFTEN = "[Timer]\nOnUnitInactiveSec=\nOnActiveSec=1s\nOnUnitInactiveSec=1s\n"


@pytest.fixture
def timed(bookworm):
    """A host with the manifest and the units of the page in place, and the timer started."""
    page = (CHECKOUT / "docs/runner.md").read_text("utf-8")
    section = page.partition("## Applying a manifest regularly\n")[2].partition("\n## ")[0]
    bookworm.write("/etc/ccm/manifest.yaml", MANIFEST)
    for name, text in BLOCK.findall(section):
        bookworm.write(f"/root/{name}", text)
    bookworm.run("sh -e install-timer.sh")
    return bookworm


def wait_for(host, command):
    """Wait until a shell command succeeds in the host."""
    wait_until(lambda: host.run(command, check=False).returncode == 0)


def test_the_timer_applies_the_manifest_regularly(timed):
    wait_for(timed, "grep -qx managed /srv/managed")
    wait_for(timed, "test $(systemctl show -p Result --value ccm-apply) = success")
    assert timed.run("systemctl is-enabled ccm-apply.timer").stdout == "enabled\n"
    assert "OnUnitInactiveUSec=30min" in timed.run("systemctl show -p TimersMonotonic ccm-apply.timer").stdout
    wait_for(timed, "journalctl -u ccm-apply | grep 'file#/srv/managed changed'")
    timed.write("/etc/systemd/system/ccm-apply.timer.d/more-often.conf", MORE_OFTEN)
    timed.write("/srv/managed", "other\n")
    timed.run("systemctl daemon-reload && systemctl restart ccm-apply.timer")
    wait_for(timed, "grep -qx managed /srv/managed")
    timed.run("rm /srv/managed")
    wait_for(timed, "grep -qx managed /srv/managed")
    timed.write("/etc/ccm/manifest.yaml", FAILING)
    wait_for(timed, "systemctl is-failed --quiet ccm-apply")

# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The guides whose commands change a host: their blocks `console host` run on one, as a reader types them."""

from __future__ import annotations

import pytest

from tests.blocks import PAGES, blocks, pages_with
from tests.scripts import SEPARATOR, matches, script_of

from . import offered
from .aptrepo import register

HOST = ("console", "host")
GUIDES = [pytest.param(page, id=page.stem) for page in pages_with("console host")]

#: The page whose files are a role, and whose play runs from here.
ROLE = next(page for page in PAGES if page.stem == "role")


@pytest.mark.parametrize("base", ["bookworm", "trixie"])
@pytest.mark.parametrize("page", GUIDES)
def test_a_guide(booted, page, base, ran):
    host = booted(base)
    register(host, offered.ALL)
    script, wanted = script_of(page, "/root/tmp", HOST)
    host.write("/root/guide/script", f"exec 2>&1\n{script}")
    printed = host.run("cd /root/guide && bash script").stdout.split(f"{SEPARATOR}\n")[1:]
    assert len(printed) == len(wanted), printed
    for (command, output), text in zip(wanted, printed, strict=True):
        assert matches(output, text), f"$ {command}\n{text}"
    ran(*(block for block in blocks(page) if block.name or block.words == HOST))


def test_the_role_that_wraps_a_manifest(bookworm, ansible, ran):
    plays = ansible.on(bookworm)
    for block in blocks(ROLE):
        plays.write(block.name, block.text)
    foreseen = plays.book("play.yml", "--check", "--diff")
    assert foreseen.returncode == 0, foreseen.output
    assert "+shop@example.org" in foreseen.output
    first, second = plays.book("play.yml"), plays.book("play.yml")
    did = {"motd : Apply the manifest of the role": "changed", "motd : Tell who is logged in": "changed"}
    assert first.outcomes == did, first.output
    assert second.outcomes == {"motd : Apply the manifest of the role": "ok"}, second.output
    assert bookworm.read("/etc/contact") == "shop@example.org\n"
    assert bookworm.read("/etc/motd").endswith(": Managed by Ansible and CCM\n")
    ran(*blocks(ROLE))

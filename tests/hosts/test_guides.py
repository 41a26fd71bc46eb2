# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The guides whose commands change a host: their blocks `console host` run on one, as a reader types them."""

from __future__ import annotations

import pytest

from tests.unit.test_docs import PAGES, SEPARATOR, blocks, matches, script_of

from .aptrepo import Deb, register

HOST = ("console", "host")
GUIDES = [
    pytest.param(page, id=page.stem) for page in PAGES if any(tuple(words) == HOST for words, _text in blocks(page))
]
#: It checks its file as sshd does, as far as a word at the beginning of each line.
SSHD = "#!/bin/sh\n! grep -vE '^(PasswordAuthentication|PermitRootLogin) (yes|no)$' \"$3\"\n"
UNIT = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"
#: libc6 breaks earlier versions.
FILES = {"/usr/sbin/sshd": SSHD, "/lib/systemd/system/ssh.service": UNIT, "/etc/ssh/sshd_config.d/empty.conf": ""}
PACKAGES = [Deb("openssh-server", "1:10.0-1", files=FILES)]


@pytest.mark.parametrize("base", ["bookworm", "trixie"])
@pytest.mark.parametrize("page", GUIDES)
def test_a_guide(booted, page, base):
    host = booted(base)
    register(host, PACKAGES)
    script, wanted = script_of(page, "/root/tmp", HOST)
    host.write("/root/guide/script", f"exec 2>&1\n{script}")
    printed = host.run("cd /root/guide && bash script").stdout.split(f"{SEPARATOR}\n")[1:]
    assert len(printed) == len(wanted), printed
    for (command, output), text in zip(wanted, printed, strict=True):
        assert matches(output, text), f"$ {command}\n{text}"

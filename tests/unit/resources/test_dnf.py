# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of the dnf provider needs no dnf: its answers read, and its place among the providers."""

from __future__ import annotations

import pytest
from ccm.engine.context import Context
from ccm.engine.provider_selection import choose_provider
from ccm.host import programs
from ccm.host.results import Result
from ccm.model.resource import Properties, Resource, complete
from ccm.resources.package.dnf_updates import read_updates
from ccm.resources.package.rpm_database import reason
from ccm.resources.package.type import TYPE as PACKAGE

UPDATES = b"""
nginx.x86_64                1:1.24.0-2.el9                 appstream
nginx.i686                  1:1.24.0-1.el9                 appstream
a-package-with-a-name-that-is-too-long-for-the-column.noarch
                            2.0-1                          base
Security: kernel-core-5.14.0-1.x86_64 is an installed security update
Obsoleting Packages
other.noarch                9-1                            base
    nginx.x86_64            1:1.22.1-1                     @System
"""


def test_updates_are_the_newest_offered_of_each_name():
    long = "a-package-with-a-name-that-is-too-long-for-the-column"
    assert read_updates(UPDATES) == {
        "nginx": "1:1.24.0-2.el9",
        "nginx.x86_64": "1:1.24.0-2.el9",
        "nginx.i686": "1:1.24.0-1.el9",
        long: "2.0-1",
        f"{long}.noarch": "2.0-1",
    }


@pytest.mark.parametrize(
    ("stdout", "stderr", "shown"),
    [
        (b"", b"", ""),
        (b"No match for argument: x\n", b"Error: Unable to find a match: x\n", ": Error: Unable to find a match: x"),
        (
            b"No package x-1 available.\n",
            b"Error: No packages marked for downgrade.\n",
            ": Error: No packages marked for downgrade.",
        ),
        (b"Failed:\n  x-1.noarch\n", b"", ": Failed: / x-1.noarch"),
        (b"", b"Error: \n Problem: one\n  - two\n  - three\n  - four\n", ": - two / - three / - four"),
        (b"", b"Unable to detect release version\nError: no network\n-----\n", ": Error: no network"),
    ],
)
def test_a_failure_has_its_reason(stdout, stderr, shown):
    assert reason(Result(1, stdout, stderr)) == shown


@pytest.mark.parametrize(
    ("family", "chosen"), [("debian", "apt"), ("rhel", "dnf"), ("fedora", "dnf"), ("suse", "dnf"), ("arch", "apt")]
)
def test_where_apt_and_dnf_are_the_platform_decides(monkeypatch, family, chosen):
    monkeypatch.setattr(programs, "find_program", lambda name, path="": f"/usr/bin/{name}")
    resource = Resource(PACKAGE, Properties(complete(PACKAGE, {"name": "nginx", "ensure": "present"})))
    context = Context(resources=[resource], facts=lambda: {"host": {"info": {"platformFamily": family}}})
    assert choose_provider(resource, context).name == chosen

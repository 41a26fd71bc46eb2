# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The family of a system from os-release."""

from __future__ import annotations

import pytest
from ccm.host.distribution import os_family


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("ID=debian\n", "debian"),
        ('NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\n', "debian"),
        ("ID=linuxmint\nID_LIKE='ubuntu debian'\n", "debian"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "rhel"),
        ('ID="rhel"\nID_LIKE="fedora"\n', "rhel"),
        ("# a comment\nID=fedora\n", "fedora"),
        ('ID="opensuse-leap"\nID_LIKE="suse opensuse"\n', "suse"),
        ("ID=arch\n", ""),
        ("", ""),
    ],
)
def test_families(tmp_path, text, family):
    path = tmp_path / "os-release"
    path.write_text(text, encoding="utf-8")
    assert os_family(str(path)) == family


def test_a_missing_file_has_no_family(tmp_path):
    assert os_family(str(tmp_path / "none")) == ""

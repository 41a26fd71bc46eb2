# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The family of distributions of this machine, by their files."""

from __future__ import annotations

import os

from .errors import HostError
from .reading import Reader

_MARKS = (
    ("redhat", "/etc/redhat-release"),
    ("redhat", "/etc/system-release"),
    ("alpine", "/etc/alpine-release"),
    ("arch", "/etc/arch-release"),
    ("debian", "/etc/debian_version"),
)


def distribution() -> str:
    """Return ubuntu, redhat, alpine, arch or debian; "" for any other."""
    try:
        with Reader("/etc/lsb-release") as reader:
            if b"Ubuntu" in reader.read():
                return "ubuntu"
    except HostError:
        pass
    return next((name for name, path in _MARKS if os.path.exists(path)), "")


_FAMILIES = ("debian", "rhel", "fedora", "suse")


def os_family(path: str = "/etc/os-release") -> str:
    """Return `debian`, `rhel`, `fedora` or `suse` by ID and ID_LIKE of os-release, the nearest first; else empty."""
    fields = {"ID": "", "ID_LIKE": ""}
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            fields.update(line.strip().partition("=")[::2] for line in file if "=" in line)
    except OSError:
        return ""
    words = " ".join((fields["ID"], fields["ID_LIKE"])).replace('"', " ").replace("'", " ").split()
    return next((word for word in words if word in _FAMILIES), "")

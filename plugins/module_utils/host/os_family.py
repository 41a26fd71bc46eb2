# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which family of systems this one belongs to, for those that need no other fact."""

from __future__ import annotations

_FAMILIES = ("debian", "rhel", "fedora", "suse")


def os_family(path: str = "/etc/os-release") -> str:
    """`debian`, `rhel`, `fedora` or `suse` as os-release tells by ID and ID_LIKE, the nearest first; else empty."""
    told = {"ID": "", "ID_LIKE": ""}
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            told.update(line.strip().partition("=")[::2] for line in file if "=" in line)
    except OSError:
        return ""
    words = " ".join((told["ID"], told["ID_LIKE"])).replace('"', " ").replace("'", " ").split()
    return next((word for word in words if word in _FAMILIES), "")
